internal import Contracts
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
    if try await core.ruling(action, on: id, type: SmartHome.property, user).isAllowed {
      try await core.requireUsers(request.tenantUserIds, field: "tenant_user_ids")
    }
    let changes = ChangeSet(core: core, call: call, user: user)
    return try await core.write(call, user, key: request.idempotencyKey, request: request) { tx in
      try core.require(action, on: id, type: SmartHome.property, user)
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
      try setCommonAreas(request.commonAreaDeviceIds, of: record, changes, tx)
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
    let list = EntityList(
      action: "unit.view",
      type: SmartHome.unit,
      within: request.propertyId.isEmpty ? [] : [request.propertyId],
      text: request.text,
      sortBy: request.sortBy,
      pageSize: request.pageSize,
      pageToken: request.pageToken
    )
    let page = try await core.page(list, call, user)
    let messages = try await core.read { tx in
      try tx.entities(page.ids).map { record in
        try core.message(unit: record, showsTenants: try showsTenants(record.id, user), tx)
      }
    }
    return Tenancy_V1.ListUnitsResponse(
      units: messages,
      nextPageToken: page.nextToken,
      totalSize: UInt64(page.total)
    )
  }

  private func showsTenants(_ id: String, _ user: UserIdentity) throws(RPCError) -> Bool {
    let ruling = core.decide("unit.list_tenants", on: id, type: SmartHome.unit, user)
    try core.requireFeatures(ruling)
    return ruling.isAllowed
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
      return try core.message(unit: record, showsTenants: try showsTenants(record.id, user), tx)
    }
  }

  func update(
    _ request: Tenancy_V1.UpdateUnitRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Unit {
    let user = try call.requireUser()
    let changes = ChangeSet(core: core, call: call, user: user)
    return try await core.write(call, user, key: request.idempotencyKey, request: request) { tx in
      try core.require("unit.update", on: request.unitId, type: SmartHome.unit, user)
      let before = try tx.known(request.unitId, type: SmartHome.unit)
      try core.requireRevision(request.expectedRevision, of: before)
      var record = before
      if let name = request.name { record.name = name }
      record = try changes.update(from: before, to: record, action: "unit.update", tx)
      if let devices = request.commonAreaDevices {
        try setCommonAreas(devices.deviceIds, of: record, changes, tx)
        // Links are part of the unit: it changes with them.
        if record == before { record = try tx.put(record, core.policy, isNew: false) }
      }
      return try core.message(unit: record, showsTenants: try showsTenants(record.id, user), tx)
    }
  }

  func delete(
    _ request: Tenancy_V1.DeleteUnitRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.DeleteResponse {
    let user = try call.requireUser()
    let changes = ChangeSet(core: core, call: call, user: user)
    return try await core.write(call, user, key: request.idempotencyKey, request: request) { tx in
      try core.require("unit.delete", on: request.unitId, type: SmartHome.unit, user)
      return try changes.delete(
        try tx.known(request.unitId, type: SmartHome.unit),
        cascade: request.cascade,
        deletesDevices: request.deleteDevices,
        isDryRun: request.dryRun,
        tx
      )
    }
  }

  func addTenant(
    _ request: Tenancy_V1.AddTenantRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RoleAssociation {
    let from = try request.validFrom?.milliseconds(field: "valid_from")
    let until = try request.validUntil?.milliseconds(field: "valid_until")
    if let until, until <= from ?? core.clock.now {
      throw TenancyError.invalidField("valid_until", "WINDOW_INVALID", "is not after the beginning")
    }
    return try await core.addRole(
      RoleGrant(
        action: "unit.manage_tenants",
        type: SmartHome.unit,
        entityID: request.unitId,
        role: SmartHome.tenant,
        userID: request.userId,
        from: from,
        until: until
      ),
      key: request.idempotencyKey,
      request: request,
      call
    )
  }

  func removeTenant(
    _ request: Tenancy_V1.RemoveTenantRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RemoveRoleResponse {
    let user = try call.requireUser()
    let changes = ChangeSet(core: core, call: call, user: user)
    return try await core.write(call, user, key: request.idempotencyKey, request: request) { tx in
      try core.require("unit.manage_tenants", on: request.unitId, type: SmartHome.unit, user)
      let unit = try tx.known(request.unitId, type: SmartHome.unit)
      let response = try changes.revoke([SmartHome.tenant], from: request.userId, on: unit, tx)
      guard response.removed > 0 else { return response }
      // What a tenant has lent ends with the tenancy.
      let passes = try tx.query(
        """
        \(AssociationRecord.selection)
        WHERE e.parent_id = ? AND a.role = ? AND a.granted_by = ? ORDER BY a.added
        """,
        .text(unit.id),
        .text(SmartHome.guest),
        .text(request.userId)
      ) { AssociationRecord(row: $0) }
      guard let revision = try changes.end(passes, action: "guest.end", tx) else { return response }
      return Tenancy_V1.RemoveRoleResponse(
        removed: response.removed,
        revision: core.tokens.token(revision: revision)
      )
    }
  }

  func listTenants(
    _ request: Tenancy_V1.ListTenantsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListTenantsResponse {
    let user = try call.requireUser()
    try await core.permit("unit.list_tenants", on: request.unitId, type: SmartHome.unit, user)
    let binding = TokenSealer.PageBinding(
      caller: "user:\(user.userID)",
      filter: ["ListTenants", request.unitId]
    )
    let cursor = try core.tokens.cursor(pageToken: request.pageToken, count: 1, binding)
    let limit = request.pageSize == 0 ? EntityList.pageSizeStandard : Int(request.pageSize)
    let rows = try await core.read { tx in
      try tx.query(
        """
        \(AssociationRecord.selection)
        WHERE a.entity_id = ? AND a.role = ? AND a.added > ? ORDER BY a.added LIMIT ?
        """,
        .text(request.unitId),
        .text(SmartHome.tenant),
        .integer(cursor.flatMap { Int64($0[0]) } ?? 0),
        .integer(limit + 1)
      ) { AssociationRecord(row: $0) }
    }
    let page = core.page(of: rows, limit: limit, binding) { ["\($0.added)"] }
    let ids = page.records.map(\.userID)
    let names = ids.isEmpty ? [:] : try await core.displayNames(of: ids)
    return Tenancy_V1.ListTenantsResponse(
      tenants: ids.map { Tenancy_V1.UserSummary(id: $0, displayName: names[$0] ?? "") },
      nextPageToken: page.nextToken
    )
  }

  func assignDevice(
    _ request: Tenancy_V1.AssignDeviceRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Device {
    let user = try call.requireUser()
    let changes = ChangeSet(core: core, call: call, user: user)
    return try await core.write(call, user, key: request.idempotencyKey, request: request) { tx in
      try core.require("unit.assign_device", on: request.unitId, type: SmartHome.unit, user)
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
    let changes = ChangeSet(core: core, call: call, user: user)
    return try await core.write(call, user, key: request.idempotencyKey, request: request) { tx in
      try core.require("unit.assign_device", on: request.unitId, type: SmartHome.unit, user)
      let held = try core.require(
        "device.move",
        on: request.deviceId,
        type: SmartHome.device,
        user
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
      throw TenancyError.invalidField("unit_id", "REQUIRED", "is required")
    }
    return try await devices.list(request, call)
  }

  /// Hangs a device of the unit's property, or one of its portfolio without a property, under it.
  private func assign(
    _ deviceID: String,
    to unit: EntityRecord,
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws -> (EntityRecord, Ruling) {
    let user = changes.user
    let held = try core.require("device.move", on: deviceID, type: SmartHome.device, user)
    let device = try tx.known(deviceID, type: SmartHome.device)
    guard try isNear(device, property: unit.parentID, tx) else {
      throw TenancyError.notSameProperty
    }
    return (try changes.move(device, under: unit, action: "device.assign", tx), held)
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

  private func setCommonAreas(
    _ deviceIDs: [String],
    of unit: EntityRecord,
    _ changes: ChangeSet,
    _ tx: borrowing WriteTransaction
  ) throws {
    let policy = core.policy
    guard let link = policy.link(named: SmartHome.commonArea) else { return }
    for id in deviceIDs {
      try core.require("device.move", on: id, type: SmartHome.device, changes.user)
      let device = try tx.known(id, type: SmartHome.device)
      guard device.parentID == unit.parentID else { throw TenancyError.notSameProperty }
    }
    try tx.setLinks(link, from: unit, to: deviceIDs, policy)
  }
}
