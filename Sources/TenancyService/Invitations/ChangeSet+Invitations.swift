internal import RPCKit
internal import ServiceKit

extension ChangeSet {
  /// Invites to a role that the caller may grant, checked as the grant that it is.
  ///
  /// An address is invited to a role on an entity once: an earlier invitation ends.
  func invite(
    _ draft: InvitationDraft,
    id: String,
    code: PassedCode,
    _ tx: borrowing WriteTransaction
  ) throws -> InvitationRecord {
    var record = try record(of: draft, id: id, code: code, tx)
    for earlier in try InvitationTable.open(
      to: EmailAddress(record.email),
      record.role,
      on: record.entityID,
      in: tx
    ) {
      try close(earlier, .revoked, tx)
    }
    try requireRoom(for: record, tx)
    try requireSeat(
      ofAddress: EmailAddress(record.email).key,
      at: MemberPlace(entityID: record.entityID, type: record.entityType, role: record.role),
      tx
    )
    try InvitationTable.insert(&record, in: tx)
    if !record.email.isEmpty { try core.mailer?.queue(code, of: record.id, in: tx) }
    try tx.audit("invitation.create", to: record)
    return record
  }

  /// Invites as `invite`, for a grant to the person who proves to receive mail at an address; call `wake` of
  /// the mailer after it.
  ///
  /// Whether the address has an account makes no difference (docs/decisions/0182). A repeated grant makes no
  /// second invitation, and no second mail.
  func inviteInstead(
    _ draft: InvitationDraft,
    _ tx: borrowing WriteTransaction
  ) throws -> InvitationRecord {
    let (id, code) = (core.identifiers.make(.invitation), core.invitationCode())
    let wanted = try record(of: draft, id: id, code: code, tx)
    let open = try InvitationTable.open(
      to: EmailAddress(wanted.email),
      wanted.role,
      on: wanted.entityID,
      in: tx
    )
    if let same = open.last, same.offers(asMuchAs: wanted) { return same }
    return try invite(draft, id: id, code: code, tx)
  }

  /// An invitation that the caller may make.
  private func record(
    of draft: InvitationDraft,
    id: String,
    code: PassedCode,
    _ tx: borrowing WriteTransaction
  ) throws -> InvitationRecord {
    // As if to itself: who will accept is not known yet, and makes no difference to the right.
    let (grant, held) = try requireGrant(draft.grant(to: user.userID), now: tx.now, tx)
    try requireGiven(grant.role, grant.definition, on: held.record, during: grant.window, tx)
    return try InvitationRecord(
      draft,
      id: id,
      codeDigest: core.invitationDigest(of: code),
      on: held.record,
      by: user,
      for: try invitedDefinition(grant, on: held.record, tx),
      at: tx.revision,
      now: tx.now
    )
  }

  /// The tenant's own role that somebody gets by a grant, if it is one or stands for the policy's.
  func invitedDefinition(
    _ grant: RoleDraft,
    on entity: EntityRecord,
    _ tx: borrowing WriteTransaction
  ) throws -> RoleDefinitionRecord? {
    try grant.definition ?? RoleDefinitionTable.find(grant.role, of: entity.rootID, in: tx)
  }

  func requireRoom(
    for record: InvitationRecord,
    _ tx: borrowing WriteTransaction
  ) throws {
    let limits: [(InvitationLimit, InvitationTable.PendingColumn, String, Int)] = [
      (.entity, .entity, record.entityID, InvitationLimits.ofEntityMax),
      (.inviter, .inviter, record.invitedBy, InvitationLimits.ofInviterMax),
    ]
    for (limit, column, value, max) in limits {
      let count = try InvitationTable.pendingCount(column, value, limit: max, in: tx)
      guard count < max else {
        if !tx.isRehearsal { InvitationMetrics(core.metrics).refusals.increment(limit) }
        throw InvitationError.tooMany(limit, max: max)
      }
    }
  }

  /// Accepts an invitation for the caller, who gets what the inviter may grant at this moment, and no
  /// more than it was made for.
  func accept(
    _ record: InvitationRecord,
    _ tx: borrowing WriteTransaction
  ) throws -> AssociationRecord {
    if record.taken?.userID == user.userID { return try use(record, tx) }
    guard try !InvitationTable.isOvertaken(record.id, for: user.userID, in: tx) else {
      throw InvitationError.closed(InvitationRecord.State.revoked.rawValue)
    }
    if let converted = try ConvertedRoleTable.find(invitation: record.id, in: tx) {
      // It was given by right before, and only the proof was missing.
      let granted = try grantAgain(converted.role, of: record, to: user.userID, tx)
      try close(record, .accepted, association: granted.id, tx)
      return granted
    }
    let (issuer, draft, held) = try issuable(record, tx)
    var giver = issuer
    giver.isSeatTaken = !record.email.isEmpty
    let granted = try giver.grant(draft, to: user.userID, on: held, tx)
    try close(record, .accepted, association: granted.id, tx)
    return granted
  }

  /// The grant to the caller that an invitation stands for, by the one who has made it.
  ///
  /// ISSUER_LACKS_RIGHT when the inviter may not grant it at this moment, ROLE_CHANGED when it would be more than the
  /// inviter has said yes to.
  func issuable(
    _ record: InvitationRecord,
    _ tx: borrowing WriteTransaction
  ) throws -> (issuer: ChangeSet, draft: RoleDraft, held: HeldEntity) {
    let issuable = try issued(by: record.invitedBy, acr: record.inviterACR) { issuer in
      let (draft, held) = try issuer.requireGrant(
        record.grant(to: user.userID),
        now: tx.now,
        tx
      )
      try issuer.requireGiven(
        draft.role,
        draft.definition,
        on: held.record,
        during: draft.window,
        tx
      )
      return (issuer: issuer, draft: draft, held: held)
    }
    let definition = try invitedDefinition(issuable.draft, on: issuable.held.record, tx)
    guard InvitedRole.allows(definition, invitedTo: record.madeFor) else {
      throw InvitationError.roleChanged
    }
    return issuable
  }

  /// Closes a pending invitation; a role that came of it by itself ends, unless `association` is that.
  @discardableResult
  func close(
    _ record: InvitationRecord,
    _ state: InvitationRecord.State,
    association: String = "",
    _ tx: borrowing WriteTransaction
  ) throws -> InvitationRecord {
    var closed = record
    closed.state = state
    closed.closedAt = tx.now
    closed.closedBy = user.userID
    closed.associationID = association
    if let taken = record.taken {
      if association != taken.associationID { try remove(taken, of: record, tx) }
      closed.taken = nil
    }
    try InvitationTable.update(&closed, in: tx)
    // Nobody needs its code.
    try InvitationMailTable.delete(record.id, in: tx)
    let action =
      switch state {
      case .accepted: "invitation.accept"
      case .declined: "invitation.decline"
      case .revoked, .pending: "invitation.revoke"
      }
    try tx.audit(action, from: record, to: closed)
    return closed
  }

  /// Ends the pending invitations that a user has made.
  func endInvitations(by userID: String, _ tx: borrowing WriteTransaction) throws {
    var last = ""
    while true {
      let page = try InvitationTable.list(
        .inviter(userID),
        pendingAt: tx.now,
        after: last,
        limit: Database.purgeCountMax,
        in: tx
      )
      for record in page { try close(record, .revoked, tx) }
      guard let end = page.last, page.count == Database.purgeCountMax else { return }
      last = end.id
    }
  }

  /// Decides for the user who has issued something what that user may do now.
  ///
  /// Whatever stands against it is ISSUER_LACKS_RIGHT to the caller, who must not learn what others may
  /// do; what would be different another time, such as features that are not known yet, is passed on.
  func issued<R>(
    by issuer: String,
    acr: String,
    _ decide: (ChangeSet) throws -> R
  ) throws -> R {
    let issuer = UserIdentity.named(issuer, Assurance(text: acr))
    do {
      return try decide(ChangeSet(core: core, call: call, user: issuer))
    } catch let error as RPCError where error.code != .unavailable {
      throw CodeError.issuerLacksRight.denying(
        call.map { "\($0.method.method)" } ?? "invitation.accept",
        on: issuer.userID,
        because: error.reason ?? "\(error.code)"
      )
    }
  }
}

extension InvitationDraft {
  /// The role as a grant to a user.
  func grant(to userID: String) -> RoleDraft {
    RoleDraft(
      role: role,
      on: entityID,
      to: userID,
      during: RoleWindow(from: validFrom, until: validUntil, recurring: recurring),
      replacesWindow: replacesWindow
    )
  }
}

extension InvitationRecord {
  /// The role as a grant to a user.
  func grant(to userID: String) -> RoleDraft {
    RoleDraft(
      role: role,
      on: entityID,
      to: userID,
      during: RoleWindow(from: validFrom, until: validUntil, recurring: recurring),
      replacesWindow: replacesWindow
    )
  }
}
