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
    if try await core.explanation(action, on: id, type: SmartHome.property, user).isAllowed {
      try await core.requireUsers(request.tenantUserIds, field: "tenant_user_ids")
    }
    return try await core.write(call, key: request.idempotencyKey, request: request) {
      changes,
      tx in
      try core.require(action, on: id, type: SmartHome.property, user, tx)
      let record = try changes.insert(
        SmartHome.unit,
        .unit,
        under: try tx.known(id, type: SmartHome.property),
        name: request.name,
        tx
      )
      for tenant in request.tenantUserIds {
        _ = try changes.grant(SmartHome.tenant, to: tenant, on: record, tx)
      }
      for device in request.deviceIds { _ = try assign(device, to: record, changes, tx) }
      _ = try setCommonAreas(request.commonAreaDeviceIds, of: record, changes, tx)
      return try core.message(unit: record, showsTenants: true, tx)
    }
  }

  func list(
    _ request: Tenancy_V1.ListUnitsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListUnitsResponse {
    let user = try call.requireUser()
    try await core.reach(atLeast: request.atLeastRevision)
    if !request.propertyId.isEmpty {
      try await core.permit(
        "property.view",
        on: request.propertyId,
        type: SmartHome.property,
        user
      )
    }
    var list = EntityList(
      action: "unit.view",
      type: SmartHome.unit,
      within: request.propertyId.isEmpty ? [] : [request.propertyId],
      text: request.text,
      pageSize: request.pageSize,
      pageToken: request.pageToken,
      page: request.page
    )
    list.sort(by: request.sortBy)
    let listed = try await core.list(list, call, user) { record, tx in
      try core.message(
        unit: record,
        showsTenants: try showsTenants(record.id, user, tx),
        tx
      )
    }
    return Tenancy_V1.ListUnitsResponse(
      units: listed.items,
      nextPageToken: listed.nextToken,
      totalSize: listed.total
    )
  }

  private func showsTenants(
    _ id: String,
    _ user: UserIdentity,
    _ tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> Bool {
    let explanation = try core.ruling("unit.list_tenants", on: id, type: SmartHome.unit, user, tx)
    return explanation.isAllowed
  }

  func get(
    _ request: Tenancy_V1.GetUnitRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Unit {
    let user = try call.requireUser()
    try await core.reach(atLeast: request.atLeastRevision)
    try await core.permit("unit.view", on: request.unitId, type: SmartHome.unit, user)
    return try await core.read { tx in
      let record = try tx.known(request.unitId, type: SmartHome.unit)
      return try core.message(
        unit: record,
        showsTenants: try showsTenants(record.id, user, tx),
        tx
      )
    }
  }

  func update(
    _ request: Tenancy_V1.UpdateUnitRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Unit {
    let user = try call.requireUser()
    let mask = try UpdateMask(
      request.updateMask,
      fields: ["name", "common_area_devices", "tenant_user_ids", "device_ids"]
    )
    let (id, tenants, action) = (request.unitId, request.tenantUserIds, "unit.manage_tenants")
    let replacesTenants = mask.changes("tenant_user_ids", isGiven: !tenants.isEmpty)
    let replacesDevices = mask.changes("device_ids", isGiven: !request.deviceIds.isEmpty)
    if replacesTenants,
      try await core.explanation(action, on: id, type: SmartHome.unit, user).isAllowed
    {
      try await core.requireUsers(tenants, field: "tenant_user_ids")
    }
    return try await core.write(call, key: request.idempotencyKey, request: request) {
      changes,
      tx in
      let held = try core.held("unit.update", on: id, type: SmartHome.unit, user, tx)
      if replacesTenants { try core.require(action, on: id, type: SmartHome.unit, user, tx) }
      if replacesDevices {
        try core.require("unit.assign_device", on: id, type: SmartHome.unit, user, tx)
      }
      var record = try changes.update(held, expectedRevision: request.expectedRevision, tx) {
        if let name = request.name, mask.changes("name", isGiven: true) { $0.name = name }
      }
      if replacesTenants {
        try changes.replaceHolders(of: SmartHome.tenant, on: record, by: tenants, tx)
      }
      if replacesDevices { try replaceDevices(of: record, by: request.deviceIds, changes, tx) }
      if let devices = request.commonAreaDevices,
        mask.changes("common_area_devices", isGiven: true),
        try setCommonAreas(devices.deviceIds, of: record, changes, tx), record == held.record
      {
        // Links are part of the unit: it changes with them.
        record = try tx.put(record, insteadOf: held.record, core.policy)
      }
      return try core.message(
        unit: record,
        showsTenants: try showsTenants(record.id, user, tx),
        tx
      )
    }
  }

  func delete(
    _ request: Tenancy_V1.DeleteUnitRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.DeleteResponse {
    let user = try call.requireUser()
    return try await core.write(call, key: request.idempotencyKey, request: request) {
      changes,
      tx in
      try core.require("unit.delete", on: request.unitId, type: SmartHome.unit, user, tx)
      let unit = try tx.known(request.unitId, type: SmartHome.unit)
      let keeping = try changes.keeping(
        devicesOf: unit,
        home: request.moveDevicesTo,
        heir: try tx.known(unit.parentID, type: SmartHome.property),
        deletesDevices: request.deleteDevices,
        tx
      )
      return try changes.delete(
        unit,
        cascades: request.cascade,
        isDryRun: request.dryRun,
        keeping: keeping,
        tx
      )
    }
  }

  /// Replaces the common areas of a unit; whether that changed anything.
  private func setCommonAreas(
    _ deviceIDs: [String],
    of unit: EntityRecord,
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws -> Bool {
    let policy = core.policy
    guard let link = policy.link(named: SmartHome.commonArea) else { return false }
    for id in deviceIDs {
      try core.require("device.move", on: id, type: SmartHome.device, changes.user, tx)
      let device = try tx.known(id, type: SmartHome.device)
      guard device.parentID == unit.parentID else { throw DeviceError.notSameProperty }
    }
    let before = try tx.linkTargets(SmartHome.commonArea, from: unit.id)
    guard deviceIDs != before else { return false }
    try tx.setLinks(link, from: unit, to: deviceIDs, policy)
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
    return true
  }
}
