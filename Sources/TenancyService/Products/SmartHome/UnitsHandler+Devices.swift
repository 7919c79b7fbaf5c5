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
    let user = try call.requireUser()
    return try await core.write(call, key: request.idempotencyKey, request: request) {
      changes,
      tx in
      try core.require("unit.assign_device", on: request.unitId, type: SmartHome.unit, user, tx)
      let unit = try tx.known(request.unitId, type: SmartHome.unit)
      let (record, held) = try assign(request.deviceId, to: unit, changes, tx)
      return try core.message(device: record, held, tx)
    }
  }

  func unassignDevice(
    _ request: Tenancy_V1.AssignDeviceRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Device {
    let user = try call.requireUser()
    return try await core.write(call, key: request.idempotencyKey, request: request) {
      changes,
      tx in
      try core.require("unit.assign_device", on: request.unitId, type: SmartHome.unit, user, tx)
      let held = try core.require(
        "device.move",
        on: request.deviceId,
        type: SmartHome.device,
        user,
        tx
      )
      let unit = try tx.known(request.unitId, type: SmartHome.unit)
      var device = try tx.known(request.deviceId, type: SmartHome.device)
      // One that is somewhere else is not in the unit, which is what was asked for.
      if device.parentID == unit.id {
        let property = try tx.known(unit.parentID, type: SmartHome.property)
        device = try changes.move(device, under: property, action: "device.unassign", tx)
      }
      return try core.message(device: device, held, tx)
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
  func assign(
    _ deviceID: String,
    to unit: EntityRecord,
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws -> (EntityRecord, Explanation) {
    let user = changes.user
    let held = try core.require("device.move", on: deviceID, type: SmartHome.device, user, tx)
    let device = try tx.known(deviceID, type: SmartHome.device)
    guard try isNear(device, property: unit.parentID, tx) else {
      throw DeviceError.notSameProperty
    }
    return (try changes.move(device, under: unit, action: "device.assign", tx), held)
  }

  /// Makes some devices, and no others, those of a unit; the others stay in its property.
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
    let property = try tx.known(unit.parentID, type: SmartHome.property)
    for id in present where !wanted.contains(id) {
      try core.require("device.move", on: id, type: SmartHome.device, changes.user, tx)
      let device = try tx.known(id, type: SmartHome.device)
      _ = try changes.move(device, under: property, action: "device.unassign", tx)
    }
    for id in wanted.subtracting(present).sorted() { _ = try assign(id, to: unit, changes, tx) }
  }

  private func isNear(
    _ device: EntityRecord,
    property: String,
    _ tx: borrowing WriteTransaction
  ) throws -> Bool {
    if device.parentID == property { return true }
    if let unit = try tx.entity(device.parentID, type: SmartHome.unit) {
      return unit.parentID == property
    }
    return try tx.entity(property, type: SmartHome.property)?.parentID == device.parentID
  }
}
