internal import Contracts
internal import RPCKit
internal import ServiceKit

/// A role that a caller gives to a user.
struct RoleGrant: Sendable {
  /// What the caller must be allowed to do.
  let action: String
  /// On what.
  let type: String
  let entityID: String
  /// What the user gets.
  let role: String
  let user: NamedUser
  var from: Int64? = nil
  var until: Int64? = nil
  /// Also when the user has the role for another time.
  var replacesWindow = false
}

/// What several handlers do alike.
extension TenancyCore {
  /// Gives a user a role, if the caller may and the user exists.
  func addRole(
    _ grant: RoleGrant,
    key: String,
    request: some Message,
    _ call: CallContext
  ) async throws -> Tenancy_V1.RoleAssociation {
    let user = try call.requireUser()
    let core = self
    let changes = ChangeSet(core: self, call: call, user: user)
    return try await write(
      call,
      user,
      key: key,
      request: request,
      naming: [grant.user],
      ifAllowed: {
        try await ruling(grant.action, on: grant.entityID, type: grant.type, user).isAllowed
      }
    ) { users, tx in
      try core.require(grant.action, on: grant.entityID, type: grant.type, user, tx)
      let entity = try tx.known(grant.entityID, type: grant.type)
      let record = try changes.grant(
        grant.role,
        to: try users.id(of: grant.user),
        on: entity,
        from: grant.from,
        until: grant.until,
        replacesWindow: grant.replacesWindow,
        tx
      )
      return core.message(association: record)
    }
  }

  /// ABORTED unless an entity still has the revision that the caller has seen; empty is any.
  func requireRevision(_ token: String, of record: EntityRecord) throws(RPCError) {
    guard !token.isEmpty else { return }
    guard try tokens.revision(token: token) == record.revision else {
      throw TenancyError.revisionMismatch
    }
  }

  /// A page of what a user has access to, its token bound to the user and the whole filter.
  func page(_ list: EntityList, _ call: CallContext, _ user: UserIdentity) async throws -> Page {
    let method = "\(call.method.service)/\(call.method.method)"
    return try await page(
      list,
      subject: user.userID,
      acr: user.acr,
      TokenSealer.PageBinding(
        caller: "user:\(user.userID)",
        filter: [
          method, list.action, list.type, list.text, list.kind, list.sortBy, "\(list.limit)",
        ] + list.within
      )
    )
  }
}

extension StoreTransaction where Self: ~Copyable {
  /// An entity that the caller may know; NOT_FOUND when it has gone since that was decided.
  func known(_ id: String, type: String) throws -> EntityRecord {
    guard let record = try entity(id, type: type) else { throw TenancyError.notFound }
    return record
  }
}
