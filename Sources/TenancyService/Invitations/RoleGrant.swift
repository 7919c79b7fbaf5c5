internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// A role that a caller gives to a user.
struct RoleGrant: Sendable {
  /// The permission that the caller needs, on an entity of the type that it names first.
  let action: String
  let entityID: String
  /// The role that the user gets.
  let role: String
  let user: NamedUser
  var from: Int64? = nil
  var until: Int64? = nil
  /// Also when the user has the role for another time.
  var replacesWindow = false
}

extension TenancyCore {
  /// Gives a user a role, or invites an address to it, if the caller may.
  func addRole<Request: Message>(
    _ grant: RoleGrant,
    _ call: CallContext,
    _ request: Request,
    key: (Request) -> String
  ) async throws -> Tenancy_V1.RoleAssociation {
    let user = try call.requireUser()
    let core = self
    defer { mailer?.wake() }
    return try await write(
      call,
      request,
      key: key,
      naming: [grant.user],
      ifAllowed: { try await explanation(grant.action, on: grant.entityID, user).isAllowed }
    ) { users, changes, tx in
      let entity = try changes.held(grant.action, on: grant.entityID, tx).record
      let window = RoleWindow(from: grant.from, until: grant.until)
      switch grant.user {
      case .id(let id):
        try users.require(id, tx)
        let record = try changes.grant(
          grant.role,
          to: id,
          on: entity,
          during: window,
          replacesWindow: grant.replacesWindow,
          by: grant.action,
          tx
        )
        return core.message(association: record)
      case .email(let email):
        let draft = InvitationDraft(
          email: email,
          role: grant.role,
          on: entity.id,
          during: window,
          replacesWindow: grant.replacesWindow
        )
        return core.message(invited: try changes.inviteInstead(draft, tx))
      }
    }
  }
  /// Takes roles on an entity from a user, if the caller may.
  func removeRoles<Request: Message>(
    _ roles: [String],
    from userID: String,
    on id: String,
    by action: String,
    _ call: CallContext,
    _ request: Request,
    key: (Request) -> String
  ) async throws -> Tenancy_V1.RemoveRoleResponse {
    let core = self
    return try await write(call, request, key: key) { changes, tx in
      let entity = try changes.held(action, on: id, tx).record
      return core.message(revoked: try changes.revoke(roles, from: userID, on: entity, tx))
    }
  }
}
