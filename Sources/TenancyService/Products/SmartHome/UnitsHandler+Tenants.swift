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
        entityID: request.unitId,
        role: SmartHome.tenant,
        user: try NamedUser(id: request.userId, email: request.email),
        from: from,
        until: until,
        replacesWindow: request.replaceWindow
      ),
      call,
      request,
      key: \.idempotencyKey
    )
  }

  func removeTenant(
    _ request: Tenancy_V1.RemoveTenantRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RemoveRoleResponse {
    try await core.removeRoles(
      [SmartHome.tenant],
      from: request.userId,
      on: request.unitId,
      by: "unit.manage_tenants",
      call,
      request,
      key: \.idempotencyKey
    )
  }

  func listTenants(
    _ request: Tenancy_V1.ListTenantsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListTenantsResponse {
    let user = try call.requireUser()
    try await core.permit("unit.list_tenants", on: request.unitId, user)
    let page = try await core.page(
      AssociationList(on: request.unitId, role: SmartHome.tenant, request),
      method: "ListTenants",
      call.caller
    )
    return Tenancy_V1.ListTenantsResponse(
      tenants: try await core.named(page.items.map { Tenancy_V1.UserSummary(id: $0.userId) }),
      nextPageToken: page.nextToken,
      associations: page.items
    )
  }
}
