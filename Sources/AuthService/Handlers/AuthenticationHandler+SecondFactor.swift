internal import Contracts
internal import RPCKit
internal import ServiceKit

/// The second half of signing in, for accounts that have a second factor.
extension AuthenticationHandler {
  /// Keeps a sign-in whose password was right until its second factor comes, and answers with the token
  /// for that.
  func askForSecondFactor(
    _ verified: VerifiedPassword,
    _ attempt: SignInAttempt,
    _ request: Auth_V1.SignInRequest,
    tellsOwner: Bool,
    replacement: String?,
    _ call: CallContext
  ) async throws -> Auth_V1.SignInResponse {
    let (core, now) = (core, core.clock.now)
    let token = core.factorKey.makeToken(core.random)
    let pending = PendingSignIn(
      digest: token.digest,
      userID: verified.user.id,
      basis: verified.basis,
      device: DeviceDescription(request.device),
      network: attempt.source.network,
      knownDevice: attempt.device,
      tellsOwner: tellsOwner,
      allowsPartialContext: request.allowPartialContext,
      created: now,
      failures: 0
    )
    try await core.store.write(call) { tx in
      guard try UserTable.basis(of: verified.user.id, in: tx) == verified.basis else {
        throw AuthError.sessionEnded
      }
      try AttemptTable.clear(verified.subject, .password, in: tx)
      if let replacement {
        try UserTable.renewPassword(of: verified.user.id, verified.stored, by: replacement, in: tx)
      }
      try PendingSignInTable.insert(pending, in: tx)
    }
    core.metrics.signIns.series("second_factor").increment()
    return .init(
      secondFactor: .init(token: token.text, expiresAt: .init(milliseconds: pending.expires))
    )
  }

  func completeSignIn(
    _ request: Auth_V1.CompleteSignInRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.SignInResponse {
    let shown = try ShownFactor(code: request.code, recoveryCode: request.recoveryCode)
    let (core, now) = (core, core.clock.now)
    let network = CallSource(call, core.settings.sourceLimits).network
    guard let digest = core.factorKey.digest(ofToken: request.secondFactorToken) else {
      throw AuthError.secondFactorTokenInvalid
    }
    let found = try await core.store.read { tx in
      let pending = try PendingSignInTable.find(digest, in: tx)
      return (pending, try pending.flatMap { try UserTable.find($0.userID, in: tx) })
    }
    guard let pending = found.0, let user = found.1, pending.isOpen(now: now),
      pending.network == network
    else { throw AuthError.secondFactorTokenInvalid }
    let proven = try await prove(shown, pending, now: now, call)
    let answer = try await core.prepareAnswer(
      to: user,
      allowsPartialContext: pending.allowsPartialContext,
      call
    )
    let signIn = ReadySignIn(
      user: user,
      basis: pending.basis,
      proof: SignInProof.password.withOneTimeCode,
      device: pending.device,
      network: pending.network,
      knownDevice: pending.knownDevice,
      tellsOwner: pending.tellsOwner
    )
    let response = try await core.complete(
      signIn,
      answer,
      request,
      // The token works once, so there is nothing to repeat.
      once: "",
      call
    ) { tx in
      guard try PendingSignInTable.delete(digest, in: tx) else {
        throw AuthError.secondFactorTokenInvalid
      }
      try core.use(proven, of: user, from: pending.knownDevice?.name, now: now, in: tx)
    }
    core.outbox.wake()
    return response
  }

  /// Counts an attempt and compares; throws CODE_INVALID when the factor is wrong.
  private func prove(
    _ shown: ShownFactor,
    _ pending: PendingSignIn,
    now: Int64,
    _ call: CallContext
  ) async throws -> ProvenFactor {
    let core = core
    let attempt = try await core.store.write(call) { tx in
      guard let current = try PendingSignInTable.find(pending.digest, in: tx),
        current.isOpen(now: now)
      else { throw AuthError.secondFactorTokenInvalid }
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
    guard case .right(let proven) = attempt else {
      core.count(shown.method, false)
      core.metrics.signIns.series("refused").increment()
      throw AuthError.codeInvalid
    }
    core.count(shown.method, true)
    return proven
  }
}
