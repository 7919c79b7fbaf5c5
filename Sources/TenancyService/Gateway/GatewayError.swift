internal import RPCKit
internal import ServiceKit

/// Errors about requests that a gateway asks about.
enum GatewayError {
  /// A path that two programs could understand differently.
  static func pathRefused(_ problem: String) -> RPCError {
    ErrorCatalog.tenancy.invalidRequest(
      "PATH_REFUSED",
      "path \(problem); send it in its plain form"
    )
  }

  /// No route is for the request.
  static let routeUnknown = ErrorCatalog.tenancy.denied(
    "ROUTE_UNKNOWN",
    "no gateway route allows this path; see gateway_routes of TenancyService"
  )

  /// The gateway's route is invalid: not a reason to let anybody pass.
  static let routeMisconfigured = ErrorCatalog.tenancy.unavailable(
    "ROUTE_MISCONFIGURED",
    "the gateway route for this path is invalid; correct its configuration",
    retryAfter: .seconds(30)
  )
}
