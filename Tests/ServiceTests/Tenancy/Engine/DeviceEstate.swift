import Testing

@testable import AccessEngine
@testable import TenancyService

/// A portfolio with properties of many devices, and one user who owns it.
struct DeviceEstate {
  let policy: Policy
  var forest: Forest
  let propertyCount = 6

  init(deviceCount: Int) throws {
    policy = try PolicyFile.smartHome()
    forest = Forest(policy: policy)
    put("prt_1", "portfolio", under: Forest.systemIdentifier)
    for property in 0..<propertyCount { put("prp_\(property)", "property", under: "prt_1") }
    for device in 0..<deviceCount { addDevice(device) }
    forest.apply(.putAssociation(association("owner", on: "prt_1")))
  }

  func row(
    _ id: String,
    _ type: String,
    under parent: String,
    name: String? = nil
  ) -> EntityRow {
    guard let type = policy.type(named: type) else { preconditionFailure("no type \(type)") }
    return EntityRow(
      id: id,
      type: type,
      parent: parent,
      name: name ?? "name of \(id)",
      codes: policy[type].codes([:])
    )
  }

  /// A role of the user's.
  func association(_ role: String, on entity: String) -> AssociationRow {
    guard let role = policy.role(named: role) else { preconditionFailure("no role \(role)") }
    return AssociationRow(id: "asc_\(entity)", subject: "usr_1", role: role, entity: entity)
  }

  /// The place of a device to begin with.
  func property(of device: Int) -> String { "prp_\(device % propertyCount)" }

  private mutating func put(_ id: String, _ type: String, under parent: String) {
    forest.apply(.putEntity(row(id, type, under: parent)))
  }

  private mutating func addDevice(_ number: Int) {
    put("dev_\(number)", "device", under: property(of: number))
  }

  /// The user's question for devices.
  func query(within: String? = nil) throws -> Forest.ListQuery {
    var query = try #require(
      forest.query(
        "device.view",
        on: "device",
        subject: "usr_1",
        context: .plain,
        now: 0,
        NoFeatures()
      )
    )
    query.within = within.flatMap { forest.entity($0) }
    return query
  }
}
