internal import AccessEngine
internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.Roles`: roles of every kind that the policy has, on entities of every type.
struct RolesHandler: Tenancy_V1.RolesService {
  let core: TenancyCore

  func grant(
    _ request: Tenancy_V1.GrantRoleRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RoleAssociation {
    let drafts = try drafts([request.role ?? .init()]) { _ in "role" }
    return try await grant(drafts, call, request, key: \.idempotencyKey) { answers, _ in answers[0]
    }
  }

  func batchGrant(
    _ request: Tenancy_V1.BatchGrantRolesRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.BatchGrantRolesResponse {
    let drafts = try drafts(request.roles) { "roles[\($0)]" }
    return try await grant(drafts, call, request, key: \.idempotencyKey) {
      Tenancy_V1.BatchGrantRolesResponse(
        associations: $0,
        revision: core.tokens.token(revision: $1)
      )
    }
  }

  /// Grants roles, all or none, to users who are looked up only for those who may grant them all; addresses
  /// are invited to them.
  private func grant<Request: Message, Response: Message>(
    _ drafts: [RoleDraft],
    _ call: CallContext,
    _ request: Request,
    key: (Request) -> String,
    answer: @escaping @Sendable ([Tenancy_V1.RoleAssociation], _ revision: Int64) -> Response
  ) async throws -> Response {
    let (user, core) = (try call.requireUser(), core)
    defer { core.mailer?.wake() }
    return try await core.write(
      call,
      request,
      key: key,
      naming: drafts.map(\.user),
      path: { "\(drafts[$0].field)." },
      ifAllowed: { try await mayGrant(drafts, user, call) },
      heads: .any
    ) { users, changes, tx in
      // All rights before the first user, so that a batch finds out no more than its parts would.
      let allowed = try drafts.map { try changes.requireGrant($0, now: tx.now, tx) }
      var (granted, revision): ([Tenancy_V1.RoleAssociation], Int64) = ([], 0)
      for ((draft, held), asked) in zip(allowed, drafts) {
        try LimitExceeded.naming(drafts.count > 1 ? asked.field : "") {
          switch draft.user {
          case .id(let id):
            try users.require(id, tx)
            let record = try changes.grant(draft, to: id, on: held, tx)
            granted.append(core.message(association: record))
            revision = max(revision, record.added)
          case .email(let email):
            // By the name that the caller gave: of the tenant-defined role, if it is one.
            let record = try changes.inviteInstead(asked.invitation(of: email), tx)
            granted.append(core.message(invited: record))
          }
        }
      }
      return answer(granted, revision == 0 ? tx.revision : revision)
    }
  }

  private func drafts(
    _ roles: [Tenancy_V1.NewRole],
    field: (Int) -> String
  ) throws -> [RoleDraft] {
    try roles.enumerated().map { index, new in try RoleDraft(new, field: field(index)) }
  }

  /// Whether a user may grant all of some roles at the moment.
  private func mayGrant(
    _ drafts: [RoleDraft],
    _ user: UserIdentity,
    _ call: CallContext
  ) async throws -> Bool {
    try await core.read { tx in
      let changes = ChangeSet(core: core, call: call, user: user)
      let drafts = try drafts.map { try changes.resolved($0, tx) }
      let places = Dictionary(
        try EntityTable.all(Array(Set(drafts.map(\.entityID))), in: tx).map { ($0.id, $0.type) }
      ) { first, _ in first }
      return try drafts.allSatisfy { draft in
        guard let type = places[draft.entityID],
          let action = core.policy.granting(draft.role, on: type)
        else { return false }
        let explanation = try core.ruling(action, on: draft.entityID, type: type, user, tx)
        return explanation.isAllowed
      }
    }
  }

  func revoke(
    _ request: Tenancy_V1.RevokeRoleRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RemoveRoleResponse {
    try await core.write(call, request, key: \.idempotencyKey, heads: .any) { changes, tx in
      let own = try changes.ownRole(request.role, on: request.entityId, tx)
      let role = own?.baseRole ?? request.role
      guard core.policy.role(named: role) != nil else { throw RoleError.unknown("role") }
      let held = try changes.requireRole(
        role,
        .revoke,
        on: request.entityId,
        field: "",
        tx
      )
      let revoked = try changes.revoke(
        [role],
        variant: own?.id,
        from: request.userId,
        on: held.record,
        tx
      )
      return core.message(revoked: revoked)
    }
  }

  func leave(
    _ request: Tenancy_V1.LeaveRoleRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RemoveRoleResponse {
    try await core.write(call, request, key: \.idempotencyKey) { changes, tx in
      core.message(revoked: try changes.leave(request.role, on: request.entityId, tx))
    }
  }

  func listByUser(
    _ request: Tenancy_V1.ListRolesByUserRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListAssociationsResponse {
    let user = try await core.listedUser(request.userId, call)
    return try await core.associations(.init(of: user, request), call)
  }

  func listByEntity(
    _ request: Tenancy_V1.ListRolesByEntityRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListAssociationsResponse {
    try await core.associations(
      .init(on: request.entityId, role: request.role, request),
      call
    )
  }
}
