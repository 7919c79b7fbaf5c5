internal import RPCKit
internal import ServiceKit

/// What operators change in accounts.
extension AuthCore {
  /// Changes that one look takes on.
  private static let countAtOnce = 32

  /// Throws OPERATOR_ACCOUNT when a user is an operator now: one operator must not get at another one's account.
  func requireNoOperator(_ userID: String) async throws {
    let right = Permission.administration
    let answer = try await permissions.confirm(userID, right.action, right.entity)
    guard !answer.decision.isAllowed else { throw AuthError.operatorAccount }
  }

  /// Throws when a change makes no sense for an account as it is.
  func check(
    _ change: AccountChange,
    of user: UserRecord,
    now: Int64,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws {
    switch change.kind {
    case .removeTotp:
      guard try TotpTable.find(user.id, in: tx)?.confirmed != nil else {
        throw AuthError.totpMissing
      }
    case .email:
      let new = EmailAddress(change.newEmail)
      guard try !UserTable.isTaken(new, now: now, in: tx) else { throw AuthError.emailTaken }
    case .delete:
      guard let begun = try DeletionTable.find(of: user.id, in: tx) else { return }
      guard begun.step.canBeCancelled else { throw AuthError.deletionUnderWay }
      throw AuthError.deletionBegun(isBlocked: begun.step == .blocked)
    }
  }

  /// Has the account's address told of a change, with what stops it; nothing for an account without one.
  func announce(
    _ change: AccountChange,
    to user: UserRecord,
    token text: String,
    in tx: borrowing WriteTransaction
  ) throws {
    guard let due = change.due, let digest = outbox.tokens.digest(of: text, .refuseChange) else {
      return
    }
    let token = MailToken(
      digest: digest,
      purpose: .refuseChange,
      userID: user.id,
      addressKey: user.address.key,
      address: change.id,
      created: change.requested
    )
    try MailTokenTable.insert(token, in: tx)
    var values = ["time": MailDate.short(due)]
    if change.kind == .email { values["new_email"] = change.newEmail }
    let order = MailOrder(
      change.kind.notice,
      to: .address(user.email),
      userID: user.id,
      token: text,
      values: values
    )
    try outbox.require(order, expires: due, in: tx)
  }

  /// Writes that a change ended.
  func end(
    _ change: inout AccountChange,
    _ state: AccountChange.State,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    (change.state, change.finished) = (state, now)
    try AccountChangeTable.end(change, in: tx)
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
      ended = try endAllSessions(of: user.id, now: now, in: tx)
      let notice = MailOrder(
        .totpRemoved,
        to: .address(user.email),
        userID: user.id,
        values: ["time": MailDate.short(now)]
      )
      try outbox.queue(notice, in: tx)
    case .email:
      ended = try move(user, to: EmailAddress(change.newEmail), now: now, in: tx)
    case .delete:
      ended = try beginDeletion(of: user, now: now, by: actor, in: tx).ended
    }
    try end(&change, .done, now: now, in: tx)
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
    if user.isEmailVerified { try queueUndo(of: user, to: new, now: now, in: tx) }
    try UserTable.changeEmail(of: user.id, to: new, isVerified: true, now: now, in: tx)
    // No record matches this one.
    try UserTable.changePassword(of: user.id, to: "", now: now, in: tx)
    let text = outbox.tokens.make(random)
    guard let digest = outbox.tokens.digest(of: text, .resetPassword) else {
      throw AuthError.mailTokenInvalid
    }
    let reset = MailToken(
      digest: digest,
      purpose: .resetPassword,
      userID: user.id,
      addressKey: new.key,
      created: now
    )
    try MailTokenTable.insert(reset, in: tx)
    let order = MailOrder(
      .passwordVoid,
      to: .address(new.text),
      userID: user.id,
      token: text
    )
    try outbox.require(order, expires: reset.expires, in: tx)
    try tx.appendChange(kind: "user.updated", subject: user.id, scope: "")
    return try endAllSessions(of: user.id, now: now, in: tx)
  }

  /// Does the changes whose time has come, as a clock that can be relied on says.
  func workOffAccountChanges(now: Int64) async throws {
    let due = try await store.read { tx in
      try AccountChangeTable.due(now: now, limit: Self.countAtOnce, in: tx)
    }
    for change in due {
      do {
        try await requireNoOperator(change.userID)
        announce(try await settle(change, now: now))
        await reports.tellSoon(of: change.userID)
      } catch let error as RPCError where error.code != .unavailable {
        try await giveUp(change, because: error, now: now)
      }
    }
    guard !due.isEmpty else { return }
    outbox.wake()
    deletionSignal.announce()
  }

  private func settle(_ shown: AccountChange, now: Int64) async throws -> [Revocation] {
    let core = self
    return try await store.writeOwn { tx -> [Revocation] in
      guard var change = try AccountChangeTable.find(shown.id, in: tx), change.state == .waiting,
        let user = try UserTable.find(change.userID, in: tx)
      else { return [] }
      let actor = AuditActor.user(change.requestedBy)
      return try core.apply(&change, to: user, by: actor, now: now, in: tx)
    }
  }

  /// Ends a change that cannot be done: its user became an operator, or the address went to somebody else.
  private func giveUp(_ shown: AccountChange, because error: RPCError, now: Int64) async throws {
    let core = self
    try await store.writeOwn { tx in
      guard var change = try AccountChangeTable.find(shown.id, in: tx), change.state == .waiting
      else { return }
      try core.end(&change, .failed, now: now, in: tx)
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
