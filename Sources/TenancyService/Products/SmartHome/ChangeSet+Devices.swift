internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Where devices go when what they are in is deleted.
extension ChangeSet {
  /// The part of a deleted portfolio, property or unit that is kept; nil when its devices are deleted with it.
  ///
  /// Devices move to the home that the caller names, if it names one, and otherwise to `heir`, if there
  /// is one and nobody asks for their deletion.
  func keeping(
    devicesOf entity: EntityRecord,
    home homeID: String,
    heir: EntityRecord? = nil,
    deletesDevices: Bool,
    _ tx: borrowing WriteTransaction
  ) throws -> DeletionOptions.Keeping? {
    guard !homeID.isEmpty else {
      guard let heir, !deletesDevices else { return nil }
      return .init(type: SmartHome.device, home: heir, action: "device.unassign")
    }
    let field = "move_devices_to"
    guard !deletesDevices else {
      throw ErrorCatalog.tenancy.invalid(
        field,
        "FIELDS_EXCLUSIVE",
        "must be empty with delete_devices"
      )
    }
    let home = try requireHome(homeID, tx)
    guard try !tx.reach(of: home.id).path.contains(entity.id) else {
      throw ErrorCatalog.tenancy.invalid(field, "HOME_DELETED", "is part of what is deleted")
    }
    for record in try tx.subtree(of: entity.id) where record.type == SmartHome.device {
      try core.require("device.move", on: record.id, type: SmartHome.device, user, tx)
    }
    return .init(type: SmartHome.device, home: home, action: "device.move")
  }

  /// Deletes an entity as the generic deletion does, and says so in this product's words.
  func delete(
    _ entity: EntityRecord,
    cascades: Bool,
    isDryRun: Bool,
    keeping: DeletionOptions.Keeping? = nil,
    _ tx: borrowing WriteTransaction
  ) throws -> Tenancy_V1.DeleteResponse {
    let deletion = try delete(
      entity,
      DeletionOptions(cascades: cascades, isDryRun: isDryRun, keeping: keeping),
      tx
    )
    var counts: [String: UInt64] = [:]
    for type in deletion.deleted { counts[type.name, default: 0] += UInt64(type.count) }
    for role in deletion.endedRoles {
      counts[role.name == SmartHome.guest ? "guest_pass" : "association", default: 0] +=
        UInt64(role.count)
    }
    return Tenancy_V1.DeleteResponse(
      deleted: counts.sorted { $0.key < $1.key }.map { .init(type: $0.key, count: $0.value) },
      unassignedDevices: UInt64(deletion.movedCount),
      revision: core.tokens.token(revision: deletion.revision),
      devicesMovedTo: deletion.movedCount == 0 ? "" : keeping?.home.id ?? "",
      holderCount: UInt64(deletion.holderCount),
      deletionId: deletion.recordID
    )
  }

  /// A unit or property where the caller may put devices; NOT_FOUND for everything else.
  private func requireHome(
    _ id: String,
    _ tx: borrowing WriteTransaction
  ) throws -> EntityRecord {
    if let unit = try tx.entity(id, type: SmartHome.unit) {
      try core.require("unit.assign_device", on: id, type: SmartHome.unit, user, tx)
      return unit
    }
    try core.require("property.register_device", on: id, type: SmartHome.property, user, tx)
    return try tx.known(id, type: SmartHome.property)
  }
}
