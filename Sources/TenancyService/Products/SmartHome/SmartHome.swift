internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// The names of the smart-home policy that its handlers speak of; the engine knows none of them.
enum SmartHome: Product {
  static let system = "system"
  static let portfolio = "portfolio"
  static let property = "property"
  static let unit = "unit"
  static let device = "device"

  static let superAdmin = BuiltIn.superAdmin
  static let owner = "owner"
  static let portfolioAdmin = "portfolio_admin"
  static let propertyManager = "property_manager"
  static let tenant = "tenant"
  static let guest = "guest"

  /// A guest of a unit who may use its common areas as well.
  static let areaGuest = "area_guest"
  static let guestRoles = [guest, areaGuest]

  static let grantGuest = "device.grant_guest"

  static let commonArea = "common_area"
  static let kind = "kind"
  static let timeZone = "default_time_zone"
  /// The access level from which on a device names where it is: guests of it need not know.
  private static let use = "use"
  static let address = ["street", "city", "state", "postal_code", "country"]

  private static let actions = [
    system: [BuiltIn.administer, "portfolio.create"],
    portfolio: [
      "portfolio.view", "portfolio.update", "portfolio.delete", "portfolio.manage_admins",
      "portfolio.list_associations", "portfolio.create_property",
    ],
    property: [
      "property.view", "property.update", "property.delete", "property.manage_managers",
      "property.list_associations", "property.create_unit", "property.register_device",
    ],
    unit: [
      "unit.view", "unit.update", "unit.delete", "unit.manage_tenants", "unit.list_tenants",
      "unit.list_associations", "unit.assign_device",
    ],
    device: [
      "device.view", "device.update", "device.delete", "device.move", "device.view_history",
      "device.list_associations", grantGuest,
    ],
  ]

  private static let roles = [
    superAdmin: system, owner: portfolio, portfolioAdmin: portfolio, propertyManager: property,
    tenant: unit, guest: device,
  ]

  /// The roles whose holders an answer lists: administrators, managers, tenants.
  private static let listedRoles = [
    portfolio: [owner, portfolioAdmin], property: [propertyManager], unit: [tenant],
  ]

  static func listsHolders(of role: String, on type: String) -> Bool {
    listedRoles[type]?.contains(role) == true
  }

  static func isDevice(_ type: String) -> Bool { type == device }

  static func device(
    _ id: String,
    _ held: Explanation,
    _ core: TenancyCore,
    _ tx: borrowing ReadTransaction
  ) throws -> Tenancy_V1.Device? {
    try EntityTable.find(id, type: device, in: tx).map { record in
      try core.message(device: record, held, tx)
    }
  }

  static func parents(listing type: String) -> [String] { type == device ? [unit] : [] }

  /// The access level that shows where a device is; the highest in a policy that has no such level.
  static func levelOfNames(_ type: EntityTypeID, _ policy: Policy) -> Int {
    let levels = policy.accessLevels(of: type)
    return levels.firstIndex(of: use) ?? levels.count - 1
  }

  /// The action by which an update sets a list of people: one of its own, which may be more people's than giving the
  /// role by itself, or that one in a policy without it.
  static func setting(_ action: String, or giving: String, _ policy: Policy) -> String {
    policy.action(named: action) == nil ? giving : action
  }

  static func isPart(of policy: Policy) -> Bool {
    [portfolio, property, unit, device].contains { policy.type(named: $0) != nil }
  }

  static func services(_ core: TenancyCore) -> [ServiceDefinition] {
    let devices = DevicesHandler(core: core)
    let units = UnitsHandler(core: core, devices: devices)
    let properties = PropertiesHandler(core: core, units: units)
    return [
      PortfoliosHandler(core: core, properties: properties).definition,
      properties.definition,
      units.definition,
      devices.definition,
      GuestsHandler(core: core).definition,
    ]
  }

  static func watched(_ metrics: MetricRegistry) -> [ScopeWatchers.Subject] {
    let commands = DeviceMetrics(metrics).commands
    return [
      .init(
        kind: CommandRecord.changeKind,
        missedCountMax: CommandLimits.missedCountMax,
        tooSlow: DeviceError.bridgeTooSlow,
        count: { commands.increment(.watchTooSlow) }
      )
    ]
  }

  static func purge(_ core: TenancyCore, now: Int64) async throws {
    try await DesiredState.expire(core, now: now)
    try await core.database.purge(
      "device_command",
      "expires_at",
      before: now - CommandLimits.retention
    )
    try await BridgeTable.purge(core, now: now)
  }

  /// The names that the handlers need and a policy does not have; empty when they can work with it.
  static func missing(in policy: Policy) -> [PolicyError.Problem] {
    var missing = policy.missing(actions)
    for (name, type) in roles.sorted(by: { $0.key < $1.key }) {
      let role = policy.role(named: name).map { policy[$0] }
      let isHeld = policy.type(named: type).flatMap { role?.heldOn.contains($0) } ?? false
      if !isHeld {
        let problem =
          role == nil
          ? "is missing; the smart home's calls grant it on \(type)"
          : "must be held on \(type), where the smart home's calls grant it"
        missing.append(.init(path: "roles.\(name)", problem: problem))
      }
    }
    if policy.link(named: commonArea) == nil {
      missing.append(.init(path: "links.\(commonArea)", problem: "is missing"))
    }
    return missing
  }
}

extension IdentifierPrefix {
  static let portfolio = IdentifierPrefix("prt")
  static let property = IdentifierPrefix("prp")
  static let unit = IdentifierPrefix("unt")
  static let device = IdentifierPrefix("dev")
}
