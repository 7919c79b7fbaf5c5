public import RPCKit

/// The pages of the admin port.
///
/// ```swift
/// var responder = AdminResponder(registry: registry) {
///   Readiness([.init("store", isReady: store.isOpen)])
/// }
/// responder.add("/version") { .text("1.2.3") }
/// ```
///
/// Pages are made on the event loop of the connection, so they must not block.
public struct AdminResponder: Sendable {
  private var routes: [String: @Sendable (AdminRequest) -> AdminResponse] = [:]

  /// Makes a responder without pages.
  public init() {}

  /// Makes a responder with `/metrics`, `/healthz` (the process answers) and `/readyz` (it should
  /// be sent calls; 503 when not, as JSON if `Accept` says so).
  public init(registry: MetricRegistry, readiness: @escaping @Sendable () -> Readiness) {
    add("/metrics") {
      AdminResponse(contentType: MetricExposition.contentType, body: registry.render())
    }
    add("/healthz") { .text("ok") }
    addPage("/readyz") { readiness().response(asJSON: $0.accept.contains("application/json")) }
  }

  /// Adds or replaces a page; the path is compared byte by byte, without the query.
  public mutating func add(_ path: String, _ page: @escaping @Sendable () -> AdminResponse) {
    addPage(path) { _ in page() }
  }

  /// Adds or replaces a page that depends on the request.
  public mutating func addPage(
    _ path: String,
    _ page: @escaping @Sendable (AdminRequest) -> AdminResponse
  ) {
    precondition(path.hasPrefix("/"), "the path of a page starts with a slash")
    routes[path] = page
  }

  /// The answer to a request: a page, or 404.
  func respond(to request: AdminRequest, limits: AdminLimits) -> AdminResponse {
    guard let page = routes[request.path] else { return .rejection(status: 404) }
    let response = page(request)
    guard response.body.count <= limits.responseByteCountMax else {
      return .rejection(status: 500)
    }
    return response
  }
}
