internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Taking an address off an account that somebody else made with it.
extension AccountsHandler {
  /// Frees the address of an account that has not proven it.
  ///
  /// The account stays as it is otherwise, with its sessions: the person who made it may have mistyped their own
  /// address, and moves to that one. A disabled account holds no address back from its owner either.
  func disownEmail(
    _ request: Auth_V1.DisownEmailRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.DisownEmailResponse {
    let shown = try await find(request.token, .verifyEmail, isForEverybody: true, call)
    let (core, now) = (core, core.clock.now)
    try await core.store.write(call) { tx in
      guard let token = try MailTokenTable.find(shown.digest, in: tx), let userID = token.userID,
        let user = try UserTable.find(userID, in: tx)
      else { throw MailError.tokenInvalid }
      let hasAddress = user.address.key == token.addressKey
      if token.used != nil, !hasAddress { return }
      guard hasAddress else { throw MailError.tokenInvalid }
      // Also by the link that has proven it, which another mail would not change.
      guard !user.isEmailVerified else { throw AccountError.addressProven }
      guard token.isUsable(now: now) else { throw MailError.tokenInvalid }
      // Before the others of the account go, so that the call can be repeated.
      try MailTokenTable.markUsed(token.digest, now: now, in: tx)
      try AuthCore.freeAddress(of: user.id, now: now, in: tx)
      try tx.audit("email.disown", object: user.id)
    }
    return .init()
  }
}

extension AuthCore {
  /// Takes the address off an account, in the write that found it to be somebody else's.
  ///
  /// No mail to it works from then on, and none that waits is sent: it would tell its owner about a stranger's
  /// account.
  static func freeAddress(
    of userID: String,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    let none = EmailAddress(missingOf: userID)
    try UserTable.changeEmail(of: userID, to: none, isVerified: false, now: now, in: tx)
    for purpose in MailToken.Purpose.allCases {
      try MailTokenTable.deleteUnused(purpose, of: userID, in: tx)
    }
    try AccountChangeTable.holdBack(of: userID, in: tx)
    try AccountRows.giveUpMails(of: userID, now: now, in: tx)
    try tx.appendChange(kind: "\(UserNews.profileKind)", subject: userID, scope: "")
  }
}
