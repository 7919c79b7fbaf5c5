internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// The operators and support people; only AuthService's commands on the server appoint them.
extension AssociationsHandler {
  func grantSuperAdmin(
    _ request: Tenancy_V1.GrantSuperAdminRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RoleAssociation {
    try await appoint(
      request.userId,
      BuiltIn.superAdmin,
      action: "super_admin.add",
      once: request.idempotencyKey,
      request.protobufBytes,
      call
    )
  }

  func revokeSuperAdmin(
    _ request: Tenancy_V1.RevokeSuperAdminRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RemoveRoleResponse {
    try await dismiss(
      request.userId,
      BuiltIn.superAdmin,
      action: "super_admin.remove",
      keepsOne: !request.force,
      once: request.idempotencyKey,
      request.protobufBytes,
      call
    )
  }

  func grantSupport(
    _ request: Tenancy_V1.GrantSupportRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RoleAssociation {
    try await appoint(
      request.userId,
      BuiltIn.support,
      action: "support.add",
      once: request.idempotencyKey,
      request.protobufBytes,
      call
    )
  }

  func revokeSupport(
    _ request: Tenancy_V1.RevokeSupportRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RemoveRoleResponse {
    try await dismiss(
      request.userId,
      BuiltIn.support,
      action: "support.remove",
      keepsOne: false,
      once: request.idempotencyKey,
      request.protobufBytes,
      call
    )
  }

  private func appoint(
    _ userID: String,
    _ role: String,
    action: String,
    once key: String,
    _ bytes: [UInt8],
    _ call: CallContext
  ) async throws -> Tenancy_V1.RoleAssociation {
    _ = try call.requireService()
    try await core.requireUsers([userID], field: "user_id")
    return try await core.change(call, once: key, bytes) { tx in
      let system = try EntityTable.known(Forest.systemIdentifier, type: BuiltIn.system, in: tx)
      guard let type = core.policy.type(named: BuiltIn.system),
        core.policy.role(named: role).map({ core.policy[$0].heldOn.contains(type) }) == true
      else { throw RoleError.noBuiltIn(role) }
      if let existing = try AssociationTable.all(of: userID, on: system.id, role: role, in: tx)
        .first
      {
        return core.message(association: existing)
      }
      let record = AssociationRecord(
        id: core.identifiers.make(.association),
        userID: userID,
        entity: system,
        role: role,
        grantedBy: "",
        now: tx.now
      )
      _ = try AssociationTable.put(record, core.policy, in: tx)
      try tx.audit(action, to: record)
      return core.message(association: record)
    }
  }

  /// Takes the role away; of what has to be kept, not from the last who has it.
  private func dismiss(
    _ userID: String,
    _ role: String,
    action: String,
    keepsOne: Bool,
    once key: String,
    _ bytes: [UInt8],
    _ call: CallContext
  ) async throws -> Tenancy_V1.RemoveRoleResponse {
    _ = try call.requireService()
    return try await core.change(call, once: key, bytes) { tx in
      let own = try AssociationTable.all(on: Forest.systemIdentifier, role: role, in: tx)
        .filter { $0.userID == userID }
      var revision = tx.revision
      // In the one writer: of two who take it from each other only one succeeds.
      if !own.isEmpty, keepsOne {
        let remains = try AssociationTable.hasLastingHolder(
          of: role,
          on: Forest.systemIdentifier,
          besides: userID,
          now: tx.now,
          in: tx
        )
        guard remains else { throw RoleError.lastOne(role: role) }
      }
      let lending = LendingLimit(policy: core.policy, products: core.products)
      for record in own {
        revision = try AssociationTable.remove(record, core.policy, in: tx)
        try tx.audit(action, from: record)
        revision = try lending.apply(to: record.userID, on: record.entityID, tx) ?? revision
      }
      return core.message(revoked: RevokedRoles(count: own.count, revision: revision))
    }
  }
}
