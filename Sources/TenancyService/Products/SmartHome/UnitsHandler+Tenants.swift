internal import Contracts
internal import RPCKit
internal import ServiceKit

/// Who lives in a unit.
extension UnitsHandler {
  func addTenant(
    _ request: Tenancy_V1.AddTenantRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RoleAssociation {
    let from = try request.validFrom?.milliseconds(field: "valid_from")
    let until = try request.validUntil?.milliseconds(field: "valid_until")
    if let until, until <= from ?? core.clock.now {
      throw TenancyError.invalidField("valid_until", "WINDOW_INVALID", "must be after valid_from")
    }
    return try await core.addRole(
      RoleGrant(
        action: "unit.manage_tenants",
        type: SmartHome.unit,
        entityID: request.unitId,
        role: SmartHome.tenant,
        userID: request.userId,
        from: from,
        until: until,
        replacesWindow: request.replaceWindow
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
      try core.require("unit.manage_tenants", on: request.unitId, type: SmartHome.unit, user, tx)
      let unit = try tx.known(request.unitId, type: SmartHome.unit)
      return try changes.revoke([SmartHome.tenant], from: request.userId, on: unit, tx)
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
}
