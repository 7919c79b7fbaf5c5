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
    guard try !EntityTable.reach(of: home.id, in: tx).path.contains(entity.id) else {
      throw ErrorCatalog.tenancy.invalid(field, "HOME_DELETED", "is part of what is deleted")
    }
    for record in try EntityTable.subtree(of: entity.id, in: tx)
    where record.type == SmartHome.device {
      try core.require("device.move", on: record.id, user, tx)
    }
    return .init(type: SmartHome.device, home: home, action: "device.move")
  }

  /// A unit or property where the caller may put devices; NOT_FOUND for everything else.
  private func requireHome(
    _ id: String,
    _ tx: borrowing WriteTransaction
  ) throws -> EntityRecord {
    let isUnit = try EntityTable.find(id, type: SmartHome.unit, in: tx) != nil
    return try held(isUnit ? "unit.assign_device" : "property.register_device", on: id, tx).record
  }
}
