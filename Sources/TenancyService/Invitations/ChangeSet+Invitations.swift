internal import AccessEngine
internal import Contracts
internal import RPCKit
internal import ServiceKit

extension ChangeSet {
  /// Invites to a role that the caller may grant.
  func invite(
    _ draft: InvitationDraft,
    id: String,
    codeDigest: [UInt8],
    _ tx: borrowing WriteTransaction
  ) throws -> InvitationRecord {
    // As if to itself: who will accept is not known yet, and makes no difference to the right.
    let held = try requireGrant(draft.grant(to: user.userID), now: tx.now, tx).held
    let record = try InvitationRecord(
      draft,
      id: id,
      codeDigest: codeDigest,
      on: held.record,
      by: user,
      now: tx.now
    )
    try requireRoom(for: record, tx)
    try record.insert(tx)
    try audit(record, "invitation.create", before: nil, tx)
    return record
  }

  private func requireRoom(
    for record: InvitationRecord,
    _ tx: borrowing WriteTransaction
  ) throws {
    let limits: [(InvitationLimit, InvitationRecord.PendingColumn, String, Int)] = [
      (.entity, .entity, record.entityID, InvitationLimits.ofEntityMax),
      (.inviter, .inviter, record.invitedBy, InvitationLimits.ofInviterMax),
    ]
    for (limit, column, value, max) in limits {
      let count = try InvitationRecord.pendingCount(column, value, limit: max, tx)
      guard count < max else {
        core.instruments.refused(limit)
        throw TenancyError.tooManyInvitations(limit, max: max)
      }
    }
  }

  /// Accepts an invitation for the caller, who gets what whoever invites may grant at this moment.
  func accept(
    _ record: InvitationRecord,
    _ tx: borrowing WriteTransaction
  ) throws -> AssociationRecord {
    let association = try issued(by: record.invitedBy, acr: record.inviterACR) { issuer in
      let grant = try issuer.requireGrant(record.grant(to: user.userID), now: tx.now, tx)
      return (issuer, grant.draft, grant.held)
    }
    let (issuer, draft, held) = association
    let granted = try issuer.grant(draft, to: user.userID, on: held, tx)
    try close(record, .accepted, association: granted.id, tx)
    return granted
  }

  /// Closes a pending invitation.
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
    try closed.close(tx)
    // Nobody needs its code any more.
    try InvitationMail.delete(record.id, tx)
    let action =
      switch state {
      case .accepted: "invitation.accept"
      case .declined: "invitation.decline"
      case .revoked, .pending: "invitation.revoke"
      }
    try audit(closed, action, before: record.digest, tx)
    return closed
  }

  private func audit(
    _ record: InvitationRecord,
    _ action: String,
    before: [UInt8]?,
    _ tx: borrowing WriteTransaction
  ) throws {
    try tx.audit(
      action,
      object: record.entityID,
      scope: record.rootID,
      before: before,
      after: record.digest,
      detail: "\(record.id) \(record.role)"
    )
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
    // Nobody's token: it only says about whom, and how that user had proved to be it.
    let assurance = Assurance(text: acr)
    let issuer = UserIdentity(
      userID: issuer,
      sessionID: "",
      token: BearerToken(""),
      acr: assurance.acr,
      authenticated: 0,
      tokenExpires: .max,
      purpose: assurance.purpose
    )
    do {
      return try decide(ChangeSet(core: core, call: call, user: issuer))
    } catch let error as RPCError where error.code != .unavailable {
      throw TenancyError.issuerLacksRight.denying(
        "\(call.method.method)",
        on: issuer.userID,
        because: error.reason ?? "\(error.code)"
      )
    }
  }
}

extension InvitationDraft {
  /// The role as a grant to a user.
  func grant(to userID: String) throws(RPCError) -> RoleDraft {
    let new = Tenancy_V1.NewRole(entityId: entityID, role: role, userId: userID)
    return try Self.grant(new, from: validFrom, until: validUntil, recurring)
  }

  fileprivate static func grant(
    _ new: Tenancy_V1.NewRole,
    from: Int64?,
    until: Int64?,
    _ recurring: RecurringWindow?
  ) throws(RPCError) -> RoleDraft {
    var new = new
    new.validFrom = from.map { .init(milliseconds: $0) }
    new.validUntil = until.map { .init(milliseconds: $0) }
    new.recurring = recurring.map { .init($0) }
    return try RoleDraft(new, field: "")
  }
}

extension InvitationRecord {
  /// The role as a grant to a user.
  func grant(to userID: String) throws(RPCError) -> RoleDraft {
    let new = Tenancy_V1.NewRole(entityId: entityID, role: role, userId: userID)
    return try InvitationDraft.grant(new, from: validFrom, until: validUntil, recurring)
  }
}

extension TenancyError {
  static func tooManyInvitations(_ limit: InvitationLimit, max: Int) -> RPCError {
    let whose =
      switch limit {
      case .entity: "this entity has"
      case .inviter: "you have"
      }
    return RPCError(
      .failedPrecondition,
      reason: "TOO_MANY_INVITATIONS",
      domain: domain,
      message: "\(whose) \(max) pending invitations; revoke some first",
      metadata: ["limit": limit.rawValue, "max": "\(max)"]
    )
  }

  /// An invitation that is of no use any more.
  static func invitationClosed(_ state: String) -> RPCError {
    RPCError(
      .failedPrecondition,
      reason: "INVITATION_CLOSED",
      domain: domain,
      message: state == "accepted"
        ? "the invitation was accepted already; revoke the role instead"
        : "the invitation has \(state == "expired" ? "expired" : "been \(state)"); ask for a new one",
      metadata: ["state": state]
    )
  }
}
