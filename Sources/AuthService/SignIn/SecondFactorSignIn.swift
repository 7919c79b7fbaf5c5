internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// The second half of signing in, for accounts that have a second factor.
extension AuthenticationHandler {
  func completeSignIn(
    _ request: Auth_V1.CompleteSignInRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.SignInResponse {
    let shown = try ShownFactor(code: request.code, recoveryCode: request.recoveryCode)
    let (core, now) = (core, core.clock.now)
    let network = CallSource(call, core.settings.sourceLimits).network
    guard let digest = core.factorKey.digest(ofToken: request.secondFactorToken) else {
      throw SignInError.secondFactorTokenInvalid
    }
    let found = try await core.store.read { tx in
      let pending = try PendingSignInTable.find(digest, in: tx)
      return (pending, try pending.flatMap { try UserTable.find($0.userID, in: tx) })
    }
    guard let pending = found.0, let user = found.1, pending.network == network,
      pending.isOpen(now: now)
        || pending.canBeRepeated(now: now) && !request.idempotencyKey.isEmpty
    else { throw SignInError.secondFactorTokenInvalid }
    // Of a repeated request the factor is used up; the answer is looked for under its key.
    let proven =
      pending.completed == nil ? try await prove(shown, pending, now: now, call) : nil
    let answer = try await core.prepareAnswer(
      to: user,
      allowsPartialContext: pending.allowsPartialContext,
      isAsked: false,
      call
    )
    let signIn = ReadySignIn(
      user: user,
      basis: pending.basis,
      proof: pending.proof.withOneTimeCode,
      device: pending.device,
      network: pending.network,
      knownDevice: pending.knownDevice,
      tellsOwner: pending.tellsOwner
    )
    let response = try await core.complete(
      signIn,
      answer,
      request,
      once: request.idempotencyKey,
      call,
      first: { tx in
        guard let proven, try PendingSignInTable.complete(digest, now: now, in: tx) else {
          throw SignInError.secondFactorTokenInvalid
        }
        try core.use(proven, of: user, from: pending.knownDevice?.name, now: now, in: tx)
      }
    )
    core.outbox.wake()
    return response
  }

  /// Counts an attempt and compares; throws CODE_INVALID when the factor is wrong.
  ///
  /// Gives nil when another call has completed the sign-in in the meantime.
  private func prove(
    _ shown: ShownFactor,
    _ pending: PendingSignIn,
    now: Int64,
    _ call: CallContext
  ) async throws -> ProvenFactor? {
    let core = core
    let attempt = try await core.store.write(call) { tx -> AuthCore.FactorAttempt? in
      guard let current = try PendingSignInTable.find(pending.digest, in: tx) else {
        throw SignInError.secondFactorTokenInvalid
      }
      guard current.completed == nil else { return nil }
      guard current.isOpen(now: now) else { throw SignInError.secondFactorTokenInvalid }
      let attempt = try core.attempt(
        shown,
        of: pending.userID,
        from: pending.knownDevice?.name,
        now: now,
        in: tx
      )
      if case .wrong = attempt { try PendingSignInTable.countFailure(pending.digest, in: tx) }
      return attempt
    }
    guard let attempt else { return nil }
    guard case .right(let proven) = attempt else {
      core.count(shown.method, false)
      core.metrics.signIns.series("refused").increment()
      throw SecondFactorError.codeInvalid
    }
    core.count(shown.method, true)
    return proven
  }
}

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
