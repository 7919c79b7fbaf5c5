internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Moving an account to another address.
extension AccountsHandler {
  func changeEmail(
    _ request: Auth_V1.ChangeEmailRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ChangeEmailResponse {
    let identity = try call.requireUser()
    let new = EmailAddress(request.newEmail)
    guard new.isMailable else { throw AuthError.emailInvalid(field: "new_email") }
    try core.admitMail(Array("change \(identity.userID)".utf8), "account", call)
    let verified = try await prove(request.currentPassword, identity, call)
    let (core, now) = (core, core.clock.now)
    try await core.store.write(call) { tx in
      try core.requireActiveSession(of: identity, now: now, in: tx)
      try verified.settle(in: tx)
      try MailTokenTable.deleteUnused(.changeEmail, of: identity.userID, in: tx)
      // Whether the address has an account the outbox finds out; then it gets another mail.
      try core.require(
        .changeEmail,
        with: .changeEmail,
        to: new.text,
        of: verified.user,
        values: ["new_email": new.text],
        now: now,
        in: tx
      ) { token in
        token.address = new.text
        token.sessionID = identity.sessionID
      }
      try tx.audit("email.request_change", object: identity.userID)
    }
    core.outbox.wake()
    return .init()
  }

  /// Finds the password to be the caller's; throws INVALID_CREDENTIALS when it is not.
  private func prove(
    _ password: String,
    _ identity: UserIdentity,
    _ call: CallContext
  ) async throws -> VerifiedPassword {
    let permit = try core.pool.reserve(.trusted, for: HashShare(user: identity.userID))
    let user = try await core.store.read { tx in try UserTable.find(identity.userID, in: tx) }
    guard let user else { throw AuthError.userNotFound }
    let verified = try await core.verify(
      password,
      of: user.address,
      core.attemptSubject(session: identity.sessionID),
      permit,
      call
    )
    guard let verified, verified.user.id == identity.userID else {
      throw AuthError.invalidCredentials
    }
    return verified
  }

  func confirmEmailChange(
    _ request: Auth_V1.ConfirmEmailChangeRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ConfirmEmailChangeResponse {
    let shown = try await find(request.token, .changeEmail, call)
    let credential = AccountCredential(
      password: request.password,
      ceremonyID: request.ceremonyId,
      passkeyResponse: request.passkeyResponse
    )
    // The person who reads the mail of the new address need not know the account: others would give it theirs.
    let proof = try await prove(credential, isNeeded: { _ in true }, for: shown, call)
    let (core, now) = (core, core.clock.now)
    let revoked = try await core.store.write(call) { tx -> [Revocation] in
      let (token, user) = try current(shown, in: tx)
      let (old, new) = (user.address, EmailAddress(token.address))
      if token.used != nil, old.key == new.key { return [] }
      guard token.isUsable(now: now), old.key == token.addressKey else {
        throw MailError.tokenInvalid
      }
      guard try !UserTable.isTaken(new, exceptBy: user.id, now: now, in: tx) else {
        throw AuthError.emailTaken
      }
      try core.settle(proof, isNeeded: true, now: now, in: tx)
      try UserTable.changeEmail(of: user.id, to: new, isVerified: true, now: now, in: tx)
      try MailTokenTable.markUsed(token.digest, now: now, in: tx)
      // Those for the old address; the undo of an earlier change stays, because anyone who changes an
      // address twice may be a thief.
      try MailTokenTable.deleteUnused(.verifyEmail, of: user.id, in: tx)
      try MailTokenTable.deleteUnused(.resetPassword, of: user.id, in: tx)
      // An address that nobody has proven was perhaps mistyped: the person who reads its mail learns nothing of the
      // account, and cannot take it.
      if user.isEmailVerified {
        try core.queueUndo(of: user, to: new, now: now, in: tx)
      }
      let ended = try core.endAllSessions(of: user.id, except: token.sessionID, now: now, in: tx)
      try tx.appendChange(kind: "\(UserNews.profileKind)", subject: user.id, scope: "")
      try tx.audit("email.change", of: user.id, ending: ended)
      return ended
    }
    core.countRevoked(revoked)
    core.outbox.wake()
    return .init()
  }

  func undoEmailChange(
    _ request: Auth_V1.UndoEmailChangeRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.UndoEmailChangeResponse {
    let shown = try await find(request.token, .undoEmailChange, call)
    let (core, now) = (core, core.clock.now)
    let revoked = try await core.store.write(call) { tx -> [Revocation] in
      let (token, user) = try current(shown, in: tx)
      let old = EmailAddress(token.address)
      if token.used != nil, user.address.key == old.key { return [] }
      // Those of earlier versions may be for an address that the account had not proven.
      guard token.isUsable(now: now), token.wasVerified else {
        throw MailError.tokenInvalid
      }
      guard try !UserTable.isTaken(old, exceptBy: user.id, now: now, in: tx) else {
        throw AuthError.emailTaken
      }
      try UserTable.changeEmail(
        of: user.id,
        to: old,
        isVerified: true,
        now: now,
        in: tx
      )
      // An app or a PIN that was added since may be the thief's.
      try core.removeFactors(of: user.id, since: token.created, in: tx)
      // The one who changed the address knew the password: no record matches this one.
      try UserTable.changePassword(of: user.id, to: "", now: now, in: tx)
      try MailTokenTable.markUsed(token.digest, now: now, in: tx)
      // The thief may have registered some, and nobody can tell which.
      let removed = try PasskeyTable.deleteAll(of: user.id, in: tx)
      // What a thief may have linked who knew the password.
      try core.unlinkAllIdentities(of: user.id, in: tx)
      // The thief's own undo too.
      for purpose in MailToken.Purpose.allCases {
        try MailTokenTable.deleteUnused(purpose, of: user.id, in: tx)
      }
      try AccountChangeTable.holdBack(of: user.id, in: tx)
      let restored = try UserTable.require(user.id, in: tx)
      try core.require(.passwordVoid, with: .resetPassword, of: restored, now: now, in: tx)
      let ended = try core.endAllSessions(of: user.id, now: now, in: tx)
      try tx.appendChange(kind: "\(UserNews.profileKind)", subject: user.id, scope: "")
      try tx.audit(
        "email.undo_change",
        object: user.id,
        detail: "revoked \(ended.count)" + (removed > 0 ? ", removed passkeys \(removed)" : ""),
        by: .user(user.id)
      )
      return ended
    }
    core.countRevoked(revoked)
    core.outbox.wake()
    return .init()
  }
}

extension AuthCore {
  /// Mails the old address of an account about the change, with a link that undoes it for seven days.
  func queueUndo(
    of user: UserRecord,
    to new: EmailAddress,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    try require(
      .emailChanged,
      with: .undoEmailChange,
      of: user,
      values: ["new_email": new.text],
      now: now,
      in: tx
    ) { token in
      token.address = user.email
      token.wasVerified = true
    }
  }
}
