internal import AuthContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Keeping people out of an account, and making its owner choose another password.
extension OperatorsHandler {
  /// Disables an account and ends its sessions, in one transaction.
  ///
  /// Nobody disables their own account. Anyone who disables somebody is therefore still there afterwards, and
  /// of two operators who disable each other only the first one's session lives until the second one's turn.
  func disableUser(
    _ request: Auth_V1.DisableUserRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.Account {
    let caller = try call.requireUser()
    guard request.userId != caller.userID else { throw OperatorError.cannotDisableSelf }
    let answer: Auth_V1.Account = try await change(
      request.userId,
      request.idempotencyKey,
      request,
      call
    ) { [core] user, now, tx in
      if let disablement = try DisablementTable.find(user.id, in: tx) {
        try tx.audit("user.disable", object: user.id, detail: "was disabled; \(request.reason)")
        return (.init(user, disablement), [])
      }
      let disablement = Disablement(
        userID: user.id,
        reason: request.reason,
        actor: call.caller.description,
        since: now
      )
      try DisablementTable.insert(disablement, in: tx)
      let ended = try core.endAllSessions(of: user.id, now: now, in: tx)
      try tx.audit(
        "user.disable",
        object: user.id,
        detail: "\(ended.count) sessions; \(request.reason)"
      )
      return (.init(user, disablement), ended)
    }
    await deletions.reports.tellSoon(of: request.userId)
    return answer
  }

  func enableUser(
    _ request: Auth_V1.EnableUserRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.Account {
    let answer: Auth_V1.Account = try await change(
      request.userId,
      request.idempotencyKey,
      request,
      call
    ) { user, _, tx in
      let wasDisabled = try DisablementTable.find(user.id, in: tx) != nil
      try DisablementTable.delete(user.id, in: tx)
      let remark = wasDisabled ? "" : "was active; "
      try tx.audit("user.enable", object: user.id, detail: "\(remark)\(request.reason)")
      return (.init(user, nil), [])
    }
    await deletions.reports.tellSoon(of: request.userId)
    return answer
  }

  func forcePasswordReset(
    _ request: Auth_V1.ForcePasswordResetRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.RevokeSessionsResponse {
    let response: Auth_V1.RevokeSessionsResponse = try await change(
      request.userId,
      by: .inspection,
      request.idempotencyKey,
      request,
      call
    ) { [core] user, now, tx in
      guard try DisablementTable.find(user.id, in: tx) == nil else {
        throw OperatorError.userDisabled
      }
      guard !user.email.isEmpty else { throw AccountError.addressMissing }
      // No record matches this one.
      try UserTable.changePassword(of: user.id, to: "", now: now, in: tx)
      // The one who asked for these knew the password; a change that was made can still be taken back.
      try MailTokenTable.deleteUnused(.resetPassword, of: user.id, in: tx)
      try MailTokenTable.deleteUnused(.changeEmail, of: user.id, in: tx)
      try core.require(.passwordVoid, with: .resetPassword, of: user, now: now, in: tx)
      let ended = try core.endAllSessions(of: user.id, now: now, in: tx)
      try tx.audit(
        "password.force_reset",
        object: user.id,
        detail: "\(ended.count) sessions; \(request.reason)"
      )
      return (Auth_V1.RevokeSessionsResponse(revoked: UInt32(ended.count)), ended)
    }
    core.outbox.wake()
    return response
  }
}
