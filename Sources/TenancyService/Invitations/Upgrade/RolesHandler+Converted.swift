internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// Operators look at the roles that an upgrade turned into invitations, and restore them.
extension RolesHandler {
  func listConverted(
    _ request: Tenancy_V1.ListConvertedRolesRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListConvertedRolesResponse {
    let (user, core) = (try await core.requireAdministrator(call), core)
    try core.auditBudget.take(user.userID)
    let filter = [call.method.fullName, "\(request.restorableOnly)"]
    let asked = try core.asked(request, for: filter, call.caller)
    let direction = ListDirection(request.sortBy, standard: .ascending)
    let now = core.clock.now
    let rows = try await core.read { tx in
      try ConvertedRoleTable.page(
        after: asked.cursor?[0],
        direction,
        skipping: asked.skippedCount,
        limit: asked.size + 1,
        restorableAt: request.restorableOnly ? now : nil,
        in: tx
      ).map { ($0, try InvitationTable.find($0.invitationID, in: tx)) }
    }
    // It has addresses of users.
    try await core.change(call) { tx in
      try tx.audit("role.list_converted", object: "", detail: "\(min(rows.count, asked.size))")
    }
    let page = try core.page(of: rows, asked, after: { [$0.0.role.id] }) {
      core.message(converted: $0.0, as: $0.1, now: now)
    }
    return .init(roles: try await core.named(page.items), nextPageToken: page.nextToken)
  }

  func restoreConverted(
    _ request: Tenancy_V1.RestoreConvertedRoleRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RoleAssociation {
    let (user, core) = (try await core.requireAdministrator(call), core)
    let id = request.associationId
    // Whose account was deleted gets nothing; looked up before the write, which cannot wait.
    if let converted = try await core.read({ tx in try ConvertedRoleTable.find(id, in: tx) }) {
      try await core.requireUsers([converted.role.userID], field: "association_id")
    }
    return try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      try core.requireAdministrator(user, tx)
      guard let converted = try ConvertedRoleTable.find(id, in: tx) else {
        throw InvitationError.convertedRoleNotFound
      }
      return core.message(association: try changes.restore(converted, tx))
    }
  }
}

extension TenancyCore {
  fileprivate func message(
    converted: ConvertedRole,
    as invitation: InvitationRecord?,
    now: Int64
  ) -> Tenancy_V1.ConvertedRole {
    var association = message(association: converted.role)
    association.invitationId = converted.invitationID
    let invited = invitation.map { message(invitation: $0, toInvited: true, now: now) }
    return .init(
      association: association,
      email: invited?.email ?? "",
      invitationState: invited?.state ?? .unspecified,
      convertedAt: .init(milliseconds: converted.convertedAt),
      restoredAt: converted.restoredAt.map { .init(milliseconds: $0) }
    )
  }
}
