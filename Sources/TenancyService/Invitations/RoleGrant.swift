internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// A role that a caller gives to a user.
struct RoleGrant: Sendable {
  /// The permission that the caller needs.
  let action: String
  /// On what.
  let type: String
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
  func addRole(
    _ grant: RoleGrant,
    key: String,
    request: some Message,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RoleAssociation {
    let user = try call.requireUser()
    let core = self
    defer { mailer?.wake() }
    return try await write(
      call,
      key: key,
      request: request,
      naming: [grant.user],
      ifAllowed: {
        try await explanation(grant.action, on: grant.entityID, type: grant.type, user).isAllowed
      }
    ) { users, changes, tx in
      try core.require(grant.action, on: grant.entityID, type: grant.type, user, tx)
      let entity = try tx.known(grant.entityID, type: grant.type)
      let window = RoleWindow(from: grant.from, until: grant.until)
      switch grant.user {
      case .id(let id):
        try users.require(id)
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
}
