internal import RPCKit
public import ServiceKit

/// The demands on requests that a gateway asks about.
///
/// The gateway's own configuration can say it for each of its routes, in `context_extensions`; for the others
/// there is a table in the settings. The first row that fits counts, and where none does nobody passes.
public struct GatewayRoutes: Hashable, Sendable {
  /// Rows of the table, at most.
  static let countMax = 1000

  private var table: [GatewayRoute] = []

  /// No table.
  public init() {}

  /// Reads the setting: a list of objects with `path`, `methods`, and either `access` or `action`.
  public init(_ field: JSONField?) throws(JSONDecodingError) {
    for element in try field?.elements() ?? [] {
      guard table.count < Self.countMax else {
        throw element.error("is one too many; \(Self.countMax) routes are allowed")
      }
      table.append(try Self.route(element))
    }
  }

  private static func route(_ field: JSONField) throws(JSONDecodingError) -> GatewayRoute {
    var members = try field.members()
    let path = try members.required("path")
    let methods = try members.optional("methods")?.strings() ?? []
    var values: [String: String] = [:]
    for name in ["access", "action", "entity"] {
      values[name] = try members.optional(name)?.nonEmptyString()
    }
    try members.finish()
    guard let pattern = GatewayRoute.Pattern(try path.string()) else {
      throw path.error(
        "must be a path such as /devices/{entity}/*, with ** at most at its end"
      )
    }
    guard let demand = demand(values, pattern) else {
      throw field.error(
        "must have either access (public or user) or action, and with action {entity} in its path "
          + "or entity"
      )
    }
    return GatewayRoute(methods: Set(methods), pattern: pattern, demand: demand)
  }

  /// The demands of a route by its own settings; nil if these are invalid.
  private static func demand(
    _ values: [String: String],
    _ pattern: GatewayRoute.Pattern?
  ) -> GatewayDemand? {
    let (entity, hasEntity) = (values["entity"], pattern?.hasEntity ?? false)
    switch (values["access"], values["action"]) {
    case ("public"?, nil) where entity == nil && !hasEntity: return .nothing
    case ("user"?, nil) where entity == nil && !hasEntity: return .user
    case (nil, let action?) where !action.isEmpty && (entity != nil) != hasEntity:
      guard entity != "" else { return nil }
      return .action(action, entity: entity ?? "")
    default: return nil
    }
  }

  /// The demand on a request, by the gateway's route if it says any, or else by the table.
  ///
  /// ROUTE_MISCONFIGURED for invalid settings, and ROUTE_UNKNOWN where nothing is said.
  func demand(
    _ method: String,
    _ path: GatewayPath,
    extensions: [String: String]
  ) throws(RPCError) -> GatewayDemand {
    let own = extensions.filter { ["access", "action", "entity", "path"].contains($0.key) }
    guard own.isEmpty else { return try Self.demand(own, path) }
    for route in table {
      if let demand = route.demand(method, path) { return demand }
    }
    throw GatewayError.routeUnknown
  }

  private static func demand(
    _ values: [String: String],
    _ path: GatewayPath
  ) throws(RPCError) -> GatewayDemand {
    let pattern = values["path"].flatMap { GatewayRoute.Pattern($0) }
    guard (values["path"] == nil) == (pattern == nil), let demand = demand(values, pattern) else {
      throw GatewayError.routeMisconfigured
    }
    guard let pattern else { return demand }
    let route = GatewayRoute(methods: [], pattern: pattern, demand: demand)
    guard let demand = route.demand("", path) else { throw GatewayError.routeUnknown }
    return demand
  }
}
