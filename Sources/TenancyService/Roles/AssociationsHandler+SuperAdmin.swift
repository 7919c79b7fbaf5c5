internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// The operators; only AuthService's commands on the server appoint them.
extension AssociationsHandler {
  func grantSuperAdmin(
    _ request: Tenancy_V1.GrantSuperAdminRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RoleAssociation {
    _ = try call.requireService()
    try await core.requireUsers([request.userId], field: "user_id")
    return try await core.change(
      call,
      once: request.idempotencyKey,
      request.protobufBytes
    ) { tx in
      let system = try EntityTable.known(Forest.systemIdentifier, type: BuiltIn.system, in: tx)
      let role = BuiltIn.superAdmin
      guard core.policy.role(named: role) != nil else { throw RoleError.noOperators }
      if let existing = try AssociationTable.all(
        of: request.userId,
        on: system.id,
        role: role,
        in: tx
      ).first {
        return core.message(association: existing)
      }
      let record = AssociationRecord(
        id: core.identifiers.make(.association),
        userID: request.userId,
        entity: system,
        role: role,
        grantedBy: "",
        now: tx.now
      )
      _ = try AssociationTable.put(record, core.policy, in: tx)
      try tx.audit("super_admin.add", to: record)
      return core.message(association: record)
    }
  }

  func revokeSuperAdmin(
    _ request: Tenancy_V1.RevokeSuperAdminRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RemoveRoleResponse {
    _ = try call.requireService()
    return try await core.change(
      call,
      once: request.idempotencyKey,
      request.protobufBytes
    ) { tx in
      let own = try AssociationTable.all(
        on: Forest.systemIdentifier,
        role: BuiltIn.superAdmin,
        in: tx
      )
      .filter { $0.userID == request.userId }
      var revision = tx.revision
      // In the one writer: of two who take it from each other only one succeeds.
      if !own.isEmpty, !request.force {
        let remains = try AssociationTable.hasLastingHolder(
          of: BuiltIn.superAdmin,
          on: Forest.systemIdentifier,
          besides: request.userId,
          now: tx.now,
          in: tx
        )
        guard remains else { throw RoleError.lastOne(role: BuiltIn.superAdmin) }
      }
      let lending = LendingLimit(policy: core.policy, products: core.products)
      for record in own {
        revision = try AssociationTable.remove(record, core.policy, in: tx)
        try tx.audit("super_admin.remove", from: record)
        revision = try lending.apply(to: record.userID, on: record.entityID, tx) ?? revision
      }
      return core.message(revoked: RevokedRoles(count: own.count, revision: revision))
    }
  }
}
