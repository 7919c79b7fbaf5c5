internal import AuthContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// The calls by which organizers export the account of a child, delete it and hand it over.
extension ChildrenHandler {
  func exportAccount(
    _ request: Auth_V1.ExportChildAccountRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Auth_V1.ExportPiece>
  ) async throws {
    let account = try await managed(request.childId, call)
    try await exports.export(account.userID, call, to: writer)
  }

  func deleteAccount(
    _ request: Auth_V1.DeleteChildAccountRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.Deletion {
    let account = try await managed(request.childId, call)
    return try await deletions.reports.announcing.alone(account.userID) {
      let report = try await deletions.reports.announceDeletion(
        of: account.userID,
        refusingLast: false
      )
      do {
        return try await begin(account.userID, report, call)
      } catch {
        await deletions.reports.withdraw(report)
        throw error
      }
    }
  }

  private func begin(
    _ userID: String,
    _ report: AccountReport,
    _ call: CallContext
  ) async throws -> Auth_V1.Deletion {
    let (core, deletions) = (core, deletions)
    let begun = try await core.writeInSession(call) { _, now, tx in
      let user = try UserTable.require(userID, in: tx)
      // Another state of the account was reported since, such as that it is disabled.
      guard try AccountReportTable.version(of: userID, in: tx) == report.version else {
        throw DeletionError.overtaken
      }
      let begun = try deletions.begin(of: user, now: now, in: tx)
      try AccountReportTable.finishAll(of: userID, in: tx)
      return begun
    }
    core.countRevoked(begun.ended)
    deletions.wake()
    core.outbox.wake()
    return .init(begun.deletion)
  }

  func cancelDeletion(
    _ request: Auth_V1.CancelChildDeletionRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.CancelDeletionResponse {
    let userID = try await managed(request.childId, call).userID
    let wasPending = try await core.writeInSession(call) { _, _, tx -> Bool in
      guard let deletion = try DeletionTable.find(of: userID, in: tx) else { return false }
      guard deletion.step.canBeCancelled else { throw DeletionError.underWay }
      try DeletionTable.delete(deletion.id, in: tx)
      try tx.audit("user.cancel_deletion", object: userID, detail: deletion.id)
      return true
    }
    await deletions.reports.tellSoon(of: userID)
    return .init(wasPending: wasPending)
  }

  func handOver(
    _ request: Auth_V1.HandOverChildAccountRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.HandOverChildAccountResponse {
    let email = EmailAddress(request.email)
    guard email.isMailable else { throw AuthError.emailInvalid(field: "email") }
    let account = try await managed(request.childId, call)
    try core.admitMail(Array("hand over \(account.userID)".utf8), "account", call)
    let core = core
    try await core.writeInSession(call) { _, now, tx in
      guard try DeletionTable.find(of: account.userID, in: tx) == nil else {
        throw ChildError.ending
      }
      let user = try UserTable.require(account.userID, in: tx)
      try MailTokenTable.deleteUnused(.takeOver, of: user.id, in: tx)
      // Whether the address has an account is found out when the account is taken over.
      try core.require(
        .takeOver,
        with: .takeOver,
        to: email.text,
        of: user,
        now: now,
        in: tx
      ) { token in token.address = email.text }
      try tx.audit("child_account.hand_over", object: user.id)
    }
    core.outbox.wake()
    return .init()
  }

  func takeOver(
    _ request: Auth_V1.TakeOverAccountRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.TakeOverAccountResponse {
    let core = core
    guard let digest = core.outbox.tokens.digest(of: request.token, .takeOver),
      let shown = try await core.store.read({ try MailTokenTable.find(digest, in: $0) }),
      shown.purpose == .takeOver, shown.isUsable(now: core.clock.now), let userID = shown.userID
    else { throw MailError.tokenInvalid }
    let email = EmailAddress(shown.address)
    if let objection = core.policy.objection(to: request.password, email: email.text) {
      throw PasswordError.refused(objection, field: "password")
    }
    let permit = try core.pool.reserve(.ordinary, for: HashShare(user: userID))
    let password = request.password
    let record = try await core.pool.run(permit) { try core.hasher.record(of: password) }
    let now = core.clock.now
    let ended = try await core.store.write(call) { tx -> [Revocation] in
      guard let token = try MailTokenTable.find(digest, in: tx), token.isUsable(now: now),
        try DeletionTable.find(of: userID, in: tx) == nil,
        try DisablementTable.find(userID, in: tx) == nil,
        try ChildAccountTable.delete(userID, in: tx)
      else { throw MailError.tokenInvalid }
      guard try !UserTable.isTaken(email, exceptBy: userID, now: now, in: tx) else {
        throw AuthError.emailTaken
      }
      try UserTable.changeEmail(of: userID, to: email, isVerified: true, now: now, in: tx)
      try UserTable.changePassword(of: userID, to: record.text, now: now, in: tx)
      try MailTokenTable.markUsed(digest, now: now, in: tx)
      let ended = try core.endAllSessions(of: userID, now: now, in: tx)
      try tx.appendChange(kind: "user.updated", subject: userID, scope: "")
      try tx.audit("child_account.take_over", of: userID, ending: ended)
      return ended
    }
    core.countRevoked(ended)
    return .init()
  }

  /// The account of a child that the caller manages; throws CHILD_UNKNOWN.
  private func managed(_ childID: String, _ call: CallContext) async throws -> ChildAccountRecord {
    try await known(childID, FamilyAction.manageChildAccount, try call.requireUser())
  }
}
