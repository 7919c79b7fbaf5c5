internal import Contracts
internal import RPCKit
internal import ServiceKit

/// Sign-ins to accounts that have a second factor.
extension AuthCore {
  /// Keeps a sign-in whose first proof was right until its second factor comes, and answers with the token
  /// for that.
  ///
  /// `settle` runs in the transaction that keeps it: it uses up what works once. Throws SESSION_ENDED when
  /// the account changed since the proof.
  func askForSecondFactor(
    _ signIn: ReadySignIn,
    allowsPartialContext: Bool,
    _ call: CallContext,
    settle: @escaping @Sendable (borrowing WriteTransaction) throws -> Void
  ) async throws -> Auth_V1.SignInResponse {
    let now = clock.now
    let token = factorKey.makeToken(random)
    let pending = PendingSignIn(
      digest: token.digest,
      userID: signIn.user.id,
      basis: signIn.basis,
      proof: signIn.proof,
      device: signIn.device,
      network: signIn.network,
      knownDevice: signIn.knownDevice,
      tellsOwner: signIn.tellsOwner,
      allowsPartialContext: allowsPartialContext,
      created: now,
      failures: 0
    )
    try await store.write(call) { tx in
      guard try UserTable.basis(of: signIn.user.id, in: tx) == signIn.basis else {
        throw AuthError.sessionEnded
      }
      try settle(tx)
      try PendingSignInTable.insert(pending, in: tx)
    }
    metrics.signIns.series("second_factor").increment()
    return .init(
      secondFactor: .init(token: token.text, expiresAt: .init(milliseconds: pending.expires))
    )
  }
}
