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
    let signedIn: (user: UserRecord, context: UserContext)
    let signer: SigningKey
    do {
      try core.succeeded(attempt)
      signer = try await core.signer()
      let context = try await core.contexts.context(
        of: verified.user.id,
        allowsPartial: request.allowPartialContext
      )
      signedIn = try await core.settled(verified.user, context, call)
    } catch {
      let isLimited = (error as? RPCError)?.code == .resourceExhausted
      core.metrics.signIns.series(isLimited ? "limited" : "unavailable").increment()
      // The password was right: the next attempt must not wait for that.
      try await core.store.write(call) { tx in
        try AttemptTable.clear(verified.subject, .password, in: tx)
      }
      throw error
    }
    let session = try await begin(
      verified,
      request,
      attempt.source.network,
      isNewDevice: tellsOwner && attempt.device == nil,
      call
    )
    core.metrics.signIns.series("done").increment()
    return .init(
      // A repeated answer by the key of the first one, which its successor may have relieved since.
      tokens: core.tokens(of: session, by: core.ring.signer(at: session.created) ?? signer),
      user: .init(signedIn.user, signedIn.context),
      deviceToken: deviceToken(attempt.device, attempt.email, session)
    )
  }

  /// Begins a session, or finds the one that the same request began before, if it names one by its key.
  ///
  /// Under a key of the account, not of everyone: it is looked for once the password was right, so it
  /// tells nothing to those who do not know that.
  private func begin(
    _ verified: VerifiedPassword,
    _ request: Auth_V1.SignInRequest,
    _ network: String,
    isNewDevice: Bool,
    _ call: CallContext
  ) async throws -> SessionRecord {
    let replacement = await core.replacement(for: verified, password: request.password)
    let (core, userID) = (core, verified.user.id)
    let session = core.newSession(
      of: userID,
      from: DeviceDescription(request.device),
      network: network,
      now: core.clock.now
    )
    let notice = isNewDevice ? core.newDeviceNotice(of: session, to: verified.user) : nil
    let settle = { @Sendable (tx: borrowing WriteTransaction) throws in
      let basis = try UserTable.basis(of: userID, in: tx)
      guard let basis, basis.passwordVersion == verified.basis.passwordVersion else {
        throw AuthError.invalidCredentials
      }
      guard basis == verified.basis else { throw AuthError.sessionEnded }
      try AttemptTable.clear(verified.subject, .password, in: tx)
      if let replacement {
        try UserTable.renewPassword(of: userID, verified.stored, by: replacement, in: tx)
      }
    }
    let evicted = Lock<[Revocation]>([])
    let begun = try await core.writeOnce(
      request.idempotencyKey,
      request,
      call,
      caller: "sign-in \(userID)",
      onReplay: settle
    ) { tx in
      try settle(tx)
      let ended = try core.begin(session, in: tx)
      evicted.withLock { $0 = ended }
      if let notice { try core.outbox.queue(notice, in: tx) }
      return Auth_V1.Session(id: session.id)
    }
    if notice != nil { core.outbox.wake() }
    core.announce(evicted.withLock { $0 })
    return begun.id == session.id ? session : try await unused(begun.id)
  }

  /// The session of an earlier answer, as long as nobody has used that.
  ///
  /// Its refresh token may be given out again only until it is used: two who hold one would look like
  /// an owner and a thief.
  private func unused(_ id: String) async throws -> SessionRecord {
    let now = core.clock.now
    let session = try await core.store.read { tx in try SessionTable.find(id, in: tx) }
    guard let session, session.isAlive(at: now) else { throw AuthError.sessionEnded }
    guard session.refresh.generation == 1 else { throw AuthError.sessionInUse }
    return session
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
