internal import Contracts
internal import RPCKit
internal import ServiceKit

/// Signing in with a password.
extension AuthenticationHandler {
  /// For who is not known here every way to fail costs one write, one look-up and one hash, and gets
  /// one answer.
  func signIn(
    _ request: Auth_V1.SignInRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.SignInResponse {
    try await signIn(request, call, tellsOwner: true)
  }

  /// Signs in; the account's owner is told of a device that it does not know, unless it was just made
  /// there.
  func signIn(
    _ request: Auth_V1.SignInRequest,
    _ call: CallContext,
    tellsOwner: Bool
  ) async throws -> Auth_V1.SignInResponse {
    let attempt = try core.admitSignIn(
      email: request.email,
      deviceToken: request.deviceToken,
      CallSource(call, core.settings.sourceLimits)
    )
    guard let verified = try await verify(request.password, attempt, call) else {
      core.failed(attempt)
      throw AuthError.invalidCredentials
    }
    // Whoever lacks a second factor gets no answer to prepare for.
    let answer: SignInAnswer?
    do {
      try core.succeeded(attempt)
      answer =
        verified.basis.needsSecondFactor
        ? nil
        : try await core.prepareAnswer(
          to: verified.user,
          allowsPartialContext: request.allowPartialContext,
          call
        )
    } catch {
      let isLimited = (error as? RPCError)?.code == .resourceExhausted
      core.metrics.signIns.series(isLimited ? "limited" : "unavailable").increment()
      // The password was right: the next attempt must not wait for that.
      try await core.store.write(call) { tx in
        try AttemptTable.clear(verified.subject, .password, in: tx)
      }
      throw error
    }
    let replacement = await core.replacement(for: verified, password: request.password)
    let signIn = ReadySignIn(
      user: verified.user,
      basis: verified.basis,
      proof: .password,
      device: DeviceDescription(request.device),
      network: attempt.source.network,
      knownDevice: attempt.device?.known(to: verified.user),
      tellsOwner: tellsOwner
    )
    let settle = { @Sendable (tx: borrowing WriteTransaction) throws in
      try AttemptTable.clear(verified.subject, .password, in: tx)
      if let replacement {
        try UserTable.renewPassword(of: verified.user.id, verified.stored, by: replacement, in: tx)
      }
    }
    guard let answer else {
      return try await core.askForSecondFactor(
        signIn,
        allowsPartialContext: request.allowPartialContext,
        call,
        settle: settle
      )
    }
    return try await core.complete(
      signIn,
      answer,
      request,
      once: request.idempotencyKey,
      call,
      settle: settle
    )
  }

  private func verify(
    _ password: String,
    _ attempt: SignInAttempt,
    _ call: CallContext
  ) async throws -> VerifiedPassword? {
    do {
      return try await core.verify(
        password,
        of: attempt.email,
        attempt.subject,
        attempt.permit,
        call
      )
    } catch {
      // Nothing was found out about the password.
      core.giveBack(attempt)
      throw error
    }
  }
}
