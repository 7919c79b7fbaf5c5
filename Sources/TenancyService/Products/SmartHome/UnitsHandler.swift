internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.Units`.
struct UnitsHandler: Tenancy_V1.UnitsService {
  let core: TenancyCore
  let devices: DevicesHandler

  func create(
    _ request: Tenancy_V1.CreateUnitRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Unit {
    let user = try call.requireUser()
    let (core, id, action) = (core, request.propertyId, "property.create_unit")
    let tenants = request.tenantUserIds
    try await core.requireUsers(tenants, field: "tenant_user_ids", ifMay: action, on: id, user)
    return try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      let record = try changes.insert(
        SmartHome.unit,
        .unit,
        under: try changes.held(action, on: id, tx).record,
        name: request.name,
        tx
      )
      for tenant in tenants { _ = try changes.grant(SmartHome.tenant, to: tenant, on: record, tx) }
      for device in request.deviceIds { _ = try assign(device, to: record, changes, tx) }
      try setCommonAreas(request.commonAreaDeviceIds, of: record, changes, tx)
      return try core.message(unit: changes.current(record, tx), showsTenants: true, user, tx)
    }
  }

  func list(
    _ request: Tenancy_V1.ListUnitsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListUnitsResponse {
    let listed = try await core.places(
      request,
      of: SmartHome.unit,
      within: [(SmartHome.property, request.propertyId)],
      call
    ) { record, user, tx in try message(record, user, tx) }
    return .init(units: listed.items, nextPageToken: listed.nextToken, totalSize: listed.total)
  }

  func get(
    _ request: Tenancy_V1.GetUnitRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Unit {
    try await core.place(
      request.unitId,
      of: SmartHome.unit,
      atLeast: request.atLeastRevision,
      call
    ) { held, user, tx in try message(held.record, user, tx) }
  }

  /// A unit with its tenants, if the user may list them.
  private func message(
    _ record: EntityRecord,
    _ user: UserIdentity,
    _ tx: borrowing some Queryable
  ) throws -> Tenancy_V1.Unit {
    let held = try core.ruling("unit.list_tenants", on: record.id, user, tx)
    return try core.message(unit: record, showsTenants: held.isAllowed, user, tx)
  }

  func update(
    _ request: Tenancy_V1.UpdateUnitRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Unit {
    let user = try call.requireUser()
    let mask = try UpdateMask(
      request.updateMask,
      fields: [
        "name", "common_area_devices", "common_area_device_ids", "tenant_user_ids", "device_ids",
      ]
    )
    let (id, action) = (request.unitId, "unit.manage_tenants")
    let commonAreas = try Self.commonAreas(request, mask)
    let setsDevices = mask.changes("device_ids", isGiven: !request.deviceIds.isEmpty)
    let list = PlaceList("tenant_user_ids", request.tenantUserIds, mask)
    try await list.requireUsers(on: id, ifMay: action, core, user)
    return try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      let held = try changes.held("unit.update", on: id, tx)
      // Not for a new name alone.
      let isCompared =
        list.isGiven || setsDevices || commonAreas != nil || request.current != nil
      let shown = isCompared ? try message(held.record, user, tx) : Tenancy_V1.Unit()
      try core.requireKept(request.current, of: held.record, asIn: shown)
      let replacesTenants = list.changes(shown.tenantUserIds)
      if replacesTenants { try changes.require(action, on: id, tx) }
      let replacesDevices =
        setsDevices && (shown.deviceIdsCut || Set(request.deviceIds) != Set(shown.deviceIds))
      if replacesDevices {
        try changes.require("unit.assign_device", on: id, tx)
        guard !shown.deviceIdsCut else { throw DeviceError.listCut }
      }
      let record = try changes.update(held, expectedRevision: request.expectedRevision, tx) {
        if let name = request.name, mask.changes("name", isGiven: true) { $0.name = name }
      }
      if replacesTenants {
        try changes.replaceHolders(of: SmartHome.tenant, on: record, by: list.userIDs, tx)
      }
      if replacesDevices { try replaceDevices(of: record, by: request.deviceIds, changes, tx) }
      if let commonAreas, commonAreas != shown.commonAreaDeviceIds {
        try setCommonAreas(commonAreas, of: record, changes, tx)
      }
      return try message(changes.current(record, tx), user, tx)
    }
  }

  /// The common areas that a request sets by either of two fields; nil for none.
  private static func commonAreas(
    _ request: Tenancy_V1.UpdateUnitRequest,
    _ mask: UpdateMask
  ) throws(RPCError) -> [String]? {
    let ids = request.commonAreaDeviceIds
    let isList = mask.changes("common_area_device_ids", isGiven: !ids.isEmpty)
    guard let devices = request.commonAreaDevices,
      mask.changes("common_area_devices", isGiven: true)
    else { return isList ? ids : nil }
    guard !isList else {
      throw ErrorCatalog.tenancy.invalid(
        "common_area_devices",
        "FIELDS_EXCLUSIVE",
        "must be absent with common_area_device_ids"
      )
    }
    return devices.deviceIds
  }

  func delete(
    _ request: Tenancy_V1.DeleteUnitRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.DeleteResponse {
    try await core.delete(request.unitId, of: SmartHome.unit, request, call)
  }

  /// Replaces the common areas of a unit.
  private func setCommonAreas(
    _ deviceIDs: [String],
    of unit: EntityRecord,
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws {
    let policy = core.policy
    guard let link = policy.link(named: SmartHome.commonArea) else { return }
    for id in deviceIDs {
      let device = try changes.held("device.move", on: id, tx).record
      guard device.parentID == unit.parentID else { throw DeviceError.notSameProperty }
    }
    let before = try LinkTable.targets(SmartHome.commonArea, from: unit.id, in: tx)
    guard deviceIDs != before else { return }
    try LinkTable.set(link, from: unit, to: deviceIDs, policy, in: tx)
    // Links are part of the unit: it changes with them, also when only their order does.
    let unit = try changes.current(unit, tx)
    _ = try EntityTable.put(unit, insteadOf: unit, policy, in: tx)
    let digest = { (devices: [String]) in
      Digests.sha256(([unit.id] + devices).joined(separator: "\n"))
    }
    try tx.audit(
      "unit.set_common_areas",
      object: unit.id,
      scope: unit.rootID,
      before: digest(before),
      after: digest(deviceIDs)
    )
    try changes.limitLending(ofUnlinked: before.filter { !deviceIDs.contains($0) }, tx)
  }
}
