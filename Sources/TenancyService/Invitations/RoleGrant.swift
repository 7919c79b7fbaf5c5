internal import AccessEngine
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

/// One page of a list, as an answer has it.
struct Listed<Item: Message>: Sendable {
  let items: [Item]
  /// For the next page; empty at the end.
  let nextToken: String
  /// How many there are on all pages; 0 when nobody has counted.
  let total: UInt64
}

/// What several handlers do alike.
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
    let changes = ChangeSet(core: self, call: call, user: user)
    defer { mailer?.wake() }
    return try await write(
      call,
      user,
      key: key,
      request: request,
      naming: [grant.user],
      ifAllowed: {
        try await explanation(grant.action, on: grant.entityID, type: grant.type, user).isAllowed
      }
    ) { users, tx in
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

  /// ABORTED unless an entity still has the revision that the caller has seen; empty is any.
  func requireRevision(_ token: String, of record: EntityRecord) throws(RPCError) {
    guard !token.isEmpty else { return }
    guard try tokens.revision(token: token) == record.revision else {
      throw TenancyError.revisionMismatch
    }
  }

  /// What a user has access to as messages, as many as fit into one answer; one for which `message` is
  /// nil is left out.
  func list<Item: Message>(
    _ list: EntityList,
    _ call: CallContext,
    _ user: UserIdentity,
    message: @escaping @Sendable (EntityRecord, borrowing ReadTransaction) throws -> Item?
  ) async throws -> Listed<Item> {
    let core = self
    let page = try await page(list, call, user)
    let (items, nextToken) = try await read { tx in
      try core.fill(page, tx) { try message($0, tx) }
    }
    // The next page by number would begin behind what did not fit into this one.
    guard list.page == 0 || nextToken == page.nextToken else {
      throw TenancyError.invalidField(
        "page_size",
        "PAGE_TOO_LARGE",
        "must be smaller: a page of this size does not fit into one answer"
      )
    }
    let total = !list.sifting.isEmpty ? 0 : UInt64(page.total)
    return Listed(items: items, nextToken: nextToken, total: total)
  }

  /// A page of what a user has access to, its token bound to the user and the whole request.
  func page(_ list: EntityList, _ call: CallContext, _ user: UserIdentity) async throws -> Page {
    let method = "\(call.method.service)/\(call.method.method)"
    return try await page(
      list,
      subject: user.userID,
      assurance: user.assurance,
      TokenSealer.PageBinding(
        caller: call.caller.description,
        filter: [
          method, list.action, list.type, list.text, list.sortBy, "\(list.isDescending)",
          list.parent, "\(list.within.count)",
        ] + list.within + list.filters.flatMap { [$0.attribute, "\($0.values.count)"] + $0.values }
          + list.sifting
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
