internal import RPCKit
internal import ServiceKit

/// Changes of accounts by operators.
struct AccountChanges: Sendable {
  let deletions: DeletionSaga

  private var core: AuthCore { deletions.core }

  /// Changes that one look takes on.
  private static let countAtOnce = 32

  /// Throws OPERATOR_ACCOUNT when a user is an operator now: one operator must not get at another one's account.
  ///
  /// `operatorID`, if that is one, may.
  func requireNoOperator(_ userID: String, besidesBy operatorID: String? = nil) async throws {
    let right = Permission.administration
    let answer = try await core.permissions.confirm(userID, right.action, right.entity)
    guard answer.decision.isAllowed else { return }
    if let operatorID {
      let own = try await core.permissions.confirm(operatorID, right.action, right.entity)
      if own.decision.isAllowed { return }
    }
    throw OperatorError.operatorAccount
  }

  /// Throws when a change makes no sense for an account as it is.
  func check(
    _ change: AccountChange,
    of user: UserRecord,
    now: Int64,
    in tx: borrowing some Queryable
  ) throws {
    switch change.kind {
    case .removeTotp:
      guard try TotpTable.find(user.id, in: tx)?.confirmed != nil else {
        throw SecondFactorError.totpMissing
      }
    case .email:
      let new = EmailAddress(change.newEmail)
      guard try !UserTable.isTaken(new, now: now, in: tx) else { throw AuthError.emailTaken }
    case .delete:
      guard let begun = try DeletionTable.find(of: user.id, in: tx) else { return }
      guard begun.step.canBeCancelled else { throw DeletionError.underWay }
      throw DeletionError.begun(isBlocked: begun.step == .blocked)
    }
  }

  /// Mails the account's address what changes, with what stops it; nothing for an account without one.
  func announce(
    _ change: AccountChange,
    to user: UserRecord,
    in tx: borrowing WriteTransaction
  ) throws {
    guard let due = change.due else { return }
    var values = ["time": MailDate.short(due)]
    if change.kind == .email { values["new_email"] = change.newEmail }
    try core.require(
      change.kind.notice,
      with: .refuseChange,
      of: user,
      values: values,
      now: change.requested,
      in: tx
    ) { $0.address = change.id }
  }

  /// Does a change; gives the sessions that ended, to be announced after the commit.
  ///
  /// `actor` is who asked for it, if that is not who makes the call.
  func apply(
    _ change: inout AccountChange,
    to user: UserRecord,
    by actor: AuditActor?,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> [Revocation] {
    try check(change, of: user, now: now, in: tx)
    var ended: [Revocation]
    switch change.kind {
    case .removeTotp:
      try TotpTable.delete(user.id, in: tx)
      try RecoveryCodeTable.delete(of: user.id, in: tx)
      ended = try core.endAllSessions(of: user.id, now: now, in: tx)
      try core.outbox.queue(.notice(.totpRemoved, to: user, now: now), in: tx)
    case .email:
      ended = try move(user, to: EmailAddress(change.newEmail), now: now, in: tx)
    case .delete:
      ended = try deletions.begin(of: user, now: now, by: actor, in: tx).ended
    }
    try AccountChangeTable.end(&change, .done, now: now, in: tx)
    try tx.audit(
      "account.change",
      object: user.id,
      detail: "\(change.kind) \(change.id); revoked \(ended.count)",
      by: actor
    )
    return ended
  }

  /// Gives an account the address that operators vouch for: the person who reads its mail sets the password.
  private func move(
    _ user: UserRecord,
    to new: EmailAddress,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> [Revocation] {
    for purpose in [MailToken.Purpose.verifyEmail, .resetPassword, .changeEmail] {
      try MailTokenTable.deleteUnused(purpose, of: user.id, in: tx)
    }
    if user.isEmailVerified { try core.queueUndo(of: user, to: new, now: now, in: tx) }
    try UserTable.changeEmail(of: user.id, to: new, isVerified: true, now: now, in: tx)
    // No record matches this one.
    try UserTable.changePassword(of: user.id, to: "", now: now, in: tx)
    let moved = try UserTable.require(user.id, in: tx)
    try core.require(.passwordVoid, with: .resetPassword, of: moved, now: now, in: tx)
    try tx.appendChange(kind: "\(UserNews.profileKind)", subject: user.id, scope: "")
    return try core.endAllSessions(of: user.id, now: now, in: tx)
  }

  /// Does the changes whose time has come, as a clock that can be relied on says.
  func workOff(now: Int64) async throws {
    let due = try await core.store.read { tx in
      try AccountChangeTable.due(now: now, limit: Self.countAtOnce, in: tx)
    }
    for change in due {
      do {
        try await requireNoOperator(change.userID)
        core.countRevoked(try await settle(change, now: now))
        await deletions.reports.tellSoon(of: change.userID)
      } catch let error as RPCError where error.code != .unavailable {
        try await giveUp(change, because: error, now: now)
      }
    }
    guard !due.isEmpty else { return }
    core.outbox.wake()
    deletions.wake()
  }

  private func settle(_ shown: AccountChange, now: Int64) async throws -> [Revocation] {
    try await core.store.writeOwn { tx -> [Revocation] in
      guard var change = try AccountChangeTable.find(shown.id, in: tx), change.state == .waiting,
        let user = try UserTable.find(change.userID, in: tx)
      else { return [] }
      let actor = AuditActor.user(change.requestedBy)
      return try apply(&change, to: user, by: actor, now: now, in: tx)
    }
  }

  /// Ends a change that cannot be done: its user became an operator, or the address went to somebody else.
  private func giveUp(_ shown: AccountChange, because error: RPCError, now: Int64) async throws {
    try await core.store.writeOwn { tx in
      guard var change = try AccountChangeTable.find(shown.id, in: tx), change.state == .waiting
      else { return }
      try AccountChangeTable.end(&change, .failed, now: now, in: tx)
      try tx.audit(
        "account.change",
        object: change.userID,
        outcome: .refused,
        detail: "\(change.id) \(error.reason ?? "")",
        by: .user(change.requestedBy)
      )
    }
  }
}

extension AccountChange.Kind {
  /// The mail that tells the account of it.
  fileprivate var notice: MailKind {
    switch self {
    case .removeTotp: .totpRemovalAsked
    case .email: .moveAsked
    case .delete: .deletionAsked
    }
  }
}
