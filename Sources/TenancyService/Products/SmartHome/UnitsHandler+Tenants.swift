internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// The tenants of a unit.
extension UnitsHandler {
  func addTenant(
    _ request: Tenancy_V1.AddTenantRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RoleAssociation {
    let from = try request.validFrom?.milliseconds(field: "valid_from")
    let until = try request.validUntil?.milliseconds(field: "valid_until")
    if let until, until <= from ?? core.clock.now {
      throw RoleError.windowInvalid("valid_until", until: until, from: from)
    }
    return try await core.addRole(
      RoleGrant(
        action: "unit.manage_tenants",
        type: SmartHome.unit,
        entityID: request.unitId,
        role: SmartHome.tenant,
        user: try NamedUser(id: request.userId, email: request.email),
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
    return try await core.write(call, key: request.idempotencyKey, request: request) {
      changes,
      tx in
      try core.require("unit.manage_tenants", on: request.unitId, type: SmartHome.unit, user, tx)
      let unit = try tx.known(request.unitId, type: SmartHome.unit)
      return core.message(
        revoked: try changes.revoke([SmartHome.tenant], from: request.userId, on: unit, tx)
      )
    }
  }

  func listTenants(
    _ request: Tenancy_V1.ListTenantsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListTenantsResponse {
    let user = try call.requireUser()
    try await core.permit("unit.list_tenants", on: request.unitId, type: SmartHome.unit, user)
    let page = try await core.page(
      AssociationList(
        anchor: .entity(request.unitId, role: SmartHome.tenant),
        isInForce: request.inForce,
        pageSize: request.pageSize,
        pageToken: request.pageToken
      ),
      method: "ListTenants",
      call.caller
    )
    let ids = page.items.map(\.userId)
    let names = ids.isEmpty ? [:] : try await core.displayNames(of: ids)
    return Tenancy_V1.ListTenantsResponse(
      tenants: ids.map { Tenancy_V1.UserSummary(id: $0, displayName: names[$0] ?? "") },
      nextPageToken: page.nextToken,
      associations: page.items
    )
  }
}
