package import RPCKit
package import Reflection

/// Calls by HTTP with JSON, as `(google.api.http)` says of each method.
package struct RESTRoutes: HTTPRoutes {
  /// The state that all requests share.
  final class Shared: Sendable {
    let registry: SchemaRegistry
    let json: MessageJSON
    let plans: MessagePlans
    let ignoredKeys: Set<String>

    init(_ registry: SchemaRegistry, _ plans: MessagePlans, _ ignoredKeys: Set<String>) {
      self.registry = registry
      self.plans = plans
      json = MessageJSON(registry, unset: .defaults, rules: .rest)
      self.ignoredKeys = ignoredKeys
    }
  }

  private let tree: RESTRouteTree
  private let prefix: String?
  private let shared: Shared

  /// Makes the routes of all methods that have some.
  ///
  /// `registry` knows the types of their messages; it is a mistake of the program if it does not. Keys in
  /// `ignoredKeys` may be in any query and mean nothing, as programs in front and browsers add some. With a
  /// `prefix`, paths elsewhere that cannot be read are left to others.
  package init(
    _ services: [ServiceDefinition],
    registry: SchemaRegistry,
    prefix: String? = nil,
    ignoredKeys: Set<String> = []
  ) {
    let methods = services.flatMap(\.methods).map(\.descriptor).filter { !$0.httpBindings.isEmpty }
    var tree = RESTRouteTree()
    do throws(SchemaError) {
      let plans = try MessagePlans(
        registry,
        of: methods.flatMap { [$0.requestType, $0.responseType] },
        unset: .defaults,
        rules: .rest
      )
      for method in methods {
        for binding in method.httpBindings {
          tree.insert(try RESTRoute(binding, of: method, registry, plans))
        }
      }
      shared = Shared(registry, plans, ignoredKeys)
    } catch {
      preconditionFailure("the methods cannot be called by HTTP: \(error)")
    }
    self.tree = tree
    self.prefix = prefix
  }

  package func makeExchange(_ arrival: HTTPArrival) -> HTTPExchange? {
    let head = arrival.head
    func refusal(_ failure: RESTFailure, form: HTTPBinding.Errors = .envelope) -> HTTPExchange {
      RESTRefusal(arrival, RESTErrorAnswer(failure, form: form))
    }
    if let recent = arrival.connection.recentReading as? RESTReading,
      recent.target.isNamed(by: head, among: shared)
    {
      return RESTExchange(arrival, RESTReading(head, recent.target))
    }
    let path: RESTPath
    do throws(RESTPath.Failure) {
      path = try RESTPath(head.path)
    } catch {
      guard prefix.map({ head.path.hasPrefix($0) }) ?? true else { return nil }
      return refusal(.invalid("", error.problem))
    }
    // HEAD is GET without the content (RFC 9110 section 9.3.2).
    let method = head.method == "HEAD" ? "GET" : head.method
    switch tree.match(path, method: method) {
    case .nothing: return nil
    case .otherMethods(let methods, let form):
      let allowed = methods.joined(separator: ", ")
      return refusal(
        RESTFailure(
          RPCError(
            .unimplemented,
            .methodUnknown,
            "\(head.path.prefix(256)) is called by \(allowed)"
          ),
          status: 405,
          fields: ["allow": methods.contains("GET") ? "\(allowed), HEAD" : allowed]
        ),
        form: form
      )
    case .route(let route, let hasVerb):
      guard case .success(let bound) = arrival.connection.method(at: route.methodPath) else {
        return nil
      }
      let target = RESTTarget(head, route, method: bound, path: path, hasVerb: hasVerb, shared)
      return RESTExchange(arrival, RESTReading(head, target))
    }
  }
}
