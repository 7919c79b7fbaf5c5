internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// Which devices a unit has.
extension UnitsHandler {
  func assignDevice(
    _ request: Tenancy_V1.AssignDeviceRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Device {
    try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      let unit = try changes.held("unit.assign_device", on: request.unitId, tx).record
      let takes = request.take
      let (record, held) = try assign(request.deviceId, to: unit, takes: takes, changes, tx)
      return try core.message(device: record, held, tx)
    }
  }

  func unassignDevice(
    _ request: Tenancy_V1.AssignDeviceRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Device {
    try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      let unit = try changes.held("unit.assign_device", on: request.unitId, tx).record
      let held = try changes.held("device.move", on: request.deviceId, tx)
      var device = held.record
      // One that is somewhere else is not in the unit, which is what was asked for.
      if device.parentID == unit.id {
        let property = try EntityTable.known(unit.parentID, type: SmartHome.property, in: tx)
        device = try changes.move(device, under: property, action: "device.unassign", tx)
      }
      return try core.message(device: device, held.explanation, tx)
    }
  }

  func listDevices(
    _ request: Tenancy_V1.ListDevicesRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListDevicesResponse {
    guard !request.unitId.isEmpty else {
      throw ErrorCatalog.tenancy.invalid("unit_id", "REQUIRED", "is required")
    }
    return try await devices.list(request, call)
  }

  /// Hangs a device of the unit's property, or one of its portfolio without a property, under it.
  ///
  /// `takes`: also out of another unit, whose tenants lose it, with the passes that they gave.
  func assign(
    _ deviceID: String,
    to unit: EntityRecord,
    takes: Bool = false,
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws -> (EntityRecord, Explanation) {
    let held = try changes.held("device.move", on: deviceID, tx)
    guard try isNear(held.record, property: unit.parentID, tx) else {
      throw DeviceError.notSameProperty
    }
    if !takes { try requireFree(held.record, for: unit, changes, tx) }
    let device = try changes.move(held.record, under: unit, action: "device.assign", tx)
    return (device, held.explanation)
  }

  /// Makes some devices, and no others, those of a unit; the others stay in its property.
  ///
  /// None is taken from another unit.
  func replaceDevices(
    of unit: EntityRecord,
    by deviceIDs: [String],
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws {
    let wanted = Set(deviceIDs)
    let present = try tx.query(
      "SELECT id FROM entity WHERE parent_id = ? AND type = ? ORDER BY id",
      .text(unit.id),
      .text(SmartHome.device)
    ) { $0.text(0) }
    let property = try EntityTable.known(unit.parentID, type: SmartHome.property, in: tx)
    for id in present where !wanted.contains(id) {
      let device = try changes.held("device.move", on: id, tx).record
      _ = try changes.move(device, under: property, action: "device.unassign", tx)
    }
    for id in wanted.subtracting(present).sorted() { _ = try assign(id, to: unit, changes, tx) }
  }

  /// Throws if a device is in another unit, and names that to callers who may view it.
  private func requireFree(
    _ device: EntityRecord,
    for unit: EntityRecord,
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws {
    guard device.parentID != unit.id,
      try EntityTable.find(device.parentID, type: SmartHome.unit, in: tx) != nil
    else { return }
    let held = try core.ruling("unit.view", on: device.parentID, changes.user, tx)
    throw DeviceError.elsewhere(device.id, unitID: held.isAllowed ? device.parentID : "")
  }

  private func isNear(
    _ device: EntityRecord,
    property: String,
    _ tx: borrowing WriteTransaction
  ) throws -> Bool {
    if device.parentID == property { return true }
    if let unit = try EntityTable.find(device.parentID, type: SmartHome.unit, in: tx) {
      return unit.parentID == property
    }
    return try EntityTable.find(property, type: SmartHome.property, in: tx)?.parentID
      == device.parentID
  }
}
