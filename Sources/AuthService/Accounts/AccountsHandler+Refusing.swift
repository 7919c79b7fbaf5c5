internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Stopping what operators were asked to change.
extension AccountsHandler {
  /// Stops a change: the code comes from a mail to the account's address, and no session is needed.
  func refuseAccountChange(
    _ request: Auth_V1.RefuseAccountChangeRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.RefuseAccountChangeResponse {
    let shown = try await find(request.token, .refuseChange, isForEverybody: true, call)
    let (core, now) = (core, core.clock.now)
    try await core.store.write(call) { tx in
      guard let token = try MailTokenTable.find(shown.digest, in: tx),
        var change = try AccountChangeTable.find(token.address, in: tx)
      else { throw MailError.tokenInvalid }
      if token.used != nil, change.state == .refused { return }
      guard token.isUsable(now: now), change.state == .waiting else {
        throw AccountError.changeClosed
      }
      try MailTokenTable.markUsed(token.digest, now: now, in: tx)
      try AccountChangeTable.end(&change, .refused, now: now, in: tx)
      try tx.audit("account.refuse_change", object: change.userID, detail: change.id)
    }
    return .init()
  }
}
