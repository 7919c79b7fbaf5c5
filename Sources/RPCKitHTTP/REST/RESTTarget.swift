internal import RPCKit

/// The call that the path of a request names: its route and method.
///
/// A connection keeps that of its last request, with what was read of its head, since many clients ask for the same one again.
final class RESTTarget: Sendable {
  let route: RESTRoute
  let method: BoundMethod
  let path: RESTPath
  let hasVerb: Bool
  let shared: RESTRoutes.Shared
  private let httpMethod: String
  private let text: String

  init(
    _ head: HTTPRequestHead,
    _ route: RESTRoute,
    method: BoundMethod,
    path: RESTPath,
    hasVerb: Bool,
    _ shared: RESTRoutes.Shared
  ) {
    (self.route, self.method, self.path) = (route, method, path)
    (self.hasVerb, self.shared) = (hasVerb, shared)
    (httpMethod, text) = (head.method, head.path)
  }

  /// Whether a request names the same, of the same routes.
  func isNamed(by head: HTTPRequestHead, among shared: RESTRoutes.Shared) -> Bool {
    self.shared === shared && httpMethod == head.method && text == head.path
  }
}
