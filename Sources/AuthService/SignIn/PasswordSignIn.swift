internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Signing in with a password, from the request to the answer.
extension AuthenticationHandler {
  /// For callers that are not known here every way to fail costs one write, one look-up and one hash, and
  /// gets one answer.
  func signIn(
    _ request: Auth_V1.SignInRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.SignInResponse {
    try await signIn(request, call, tellsOwner: true)
  }

  /// Signs in; `tellsOwner` unless the account was just made there: then its owner gets a mail about a device
  /// that the account does not know.
  func signIn(
    _ request: Auth_V1.SignInRequest,
    _ call: CallContext,
    tellsOwner: Bool
  ) async throws -> Auth_V1.SignInResponse {
    // 1. The limits of the source and the account, and a place in the queue of the hashes.
    let attempt = try core.admitSignIn(
      email: request.email,
      deviceToken: request.deviceToken,
      CallSource(call, core.settings.sourceLimits)
    )
    // 2. The attempt is counted, then the password checked.
    let verified = try await core.verify(request.password, attempt, call)
    // 3. What the answer needs, before anything begins that could not be answered for; nothing for an
    // account with a second factor.
    let answer: SignInAnswer?
    do {
      answer = try await core.countingRefusal {
        try core.succeeded(attempt)
        guard !verified.basis.needsSecondFactor else { return nil }
        return try await core.prepareAnswer(
          to: verified.user,
          allowsPartialContext: request.allowPartialContext,
          call
        )
      }
    } catch {
      // The password was right: the next attempt must not wait for that.
      try await core.store.write(call) { tx in
        try AttemptTable.clear(verified.subject, .password, in: tx)
      }
      throw error
    }
    // 4. A new record, when the stored one is below today's cost or another system's.
    let replacement = await core.replacement(for: verified, password: request.password)
    let settle = { @Sendable (tx: borrowing WriteTransaction) throws in
      try AttemptTable.clear(verified.subject, .password, in: tx)
      if let replacement {
        try UserTable.renewPassword(of: verified.user.id, verified.stored, by: replacement, in: tx)
      }
    }
    let signIn = ReadySignIn(
      user: verified.user,
      basis: verified.basis,
      proof: .password,
      device: DeviceDescription(request.device),
      network: attempt.source.network,
      knownDevice: attempt.device?.known(to: verified.user),
      tellsOwner: tellsOwner
    )
    // 5. The second factor is asked for, or the session begins and the answer has its tokens.
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
}

/// A user with a proof that was right, of whichever kind: a session may begin.
struct ReadySignIn: Sendable {
  /// The user, as read when the proof was.
  let user: UserRecord
  /// The basis that must still hold when the session begins.
  let basis: SignInBasis
  /// How the user proved it.
  let proof: SignInProof
  /// When, if that was earlier than now and to somebody else, in milliseconds since 1970.
  var authenticated: Int64?
  /// The device that the user signs in from, as the application describes it.
  let device: DeviceDescription
  /// The network it comes from, without the host part.
  let network: String
  /// The device, if it signed in to the account before.
  let knownDevice: KnownDevice?
  /// Whether the account's owner gets a mail if the device is new.
  let tellsOwner: Bool
}

/// The data besides its session that the answer to a sign-in needs.
struct SignInAnswer: Sendable {
  let user: UserRecord
  let context: UserContext
  let signer: SigningKey
}

// MARK: - Steps

extension AuthCore {
  /// Checks the password of an attempt, and counts what comes of it; throws INVALID_CREDENTIALS when it is
  /// wrong or came too early.
  func verify(
    _ password: String,
    _ attempt: SignInAttempt,
    _ call: CallContext
  ) async throws -> VerifiedPassword {
    let verified: VerifiedPassword?
    do {
      verified = try await verify(
        password,
        of: attempt.email,
        attempt.subject,
        attempt.permit,
        call
      )
    } catch {
      // Nothing was found out about the password.
      giveBack(attempt)
      throw error
    }
    guard let verified else {
      failed(attempt)
      throw AuthError.invalidCredentials
    }
    return verified
  }

  /// Counts a sign-in that is refused although its proof was right.
  func countingRefusal<R>(
    _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    do {
      return try await body()
    } catch {
      let isLimited = (error as? RPCError)?.code == .resourceExhausted
      metrics.signIns.series(isLimited ? "limited" : "unavailable").increment()
      throw error
    }
  }

  /// Gets all that the answer needs, before a session begins that could not be answered for.
  ///
  /// Throws UNAVAILABLE when there is no key, or when a part of the context is missing and may not
  /// be. `isAsked`: the call itself says whether it may.
  func prepareAnswer(
    to user: UserRecord,
    allowsPartialContext: Bool,
    isAsked: Bool = true,
    _ call: CallContext
  ) async throws -> SignInAnswer {
    let signer = try await signer()
    let context = try await contexts.context(
      of: user.id,
      allowsPartial: allowsPartialContext,
      isAsked: isAsked
    )
    let settled = try await settled(user, context, call)
    return SignInAnswer(user: settled.user, context: settled.context, signer: signer)
  }

  /// Begins a session and answers with its tokens; a request that is repeated with its key gets the
  /// session that it began before, as long as nobody has used that.
  ///
  /// The key is one of the account, not of everyone: it is looked for once the proof was right, so it
  /// tells nothing to those who have none. `first` runs at the start of the transaction that begins the session:
  /// it uses up what works once, and can make the user. `settle` runs later in that transaction, and before
  /// an answer is repeated.
  func complete(
    _ signIn: ReadySignIn,
    _ answer: SignInAnswer,
    _ request: some Message,
    once key: String,
    _ call: CallContext,
    first: @escaping @Sendable (borrowing WriteTransaction) throws -> Void = { _ in },
    settle: @escaping @Sendable (borrowing WriteTransaction) throws -> Void = { _ in }
  ) async throws -> Auth_V1.SignInResponse {
    var session = newSession(
      of: signIn.user.id,
      from: signIn.device,
      network: signIn.network,
      proof: signIn.proof,
      now: clock.now
    )
    if let authenticated = signIn.authenticated {
      session.authenticated = min(authenticated, session.created)
    }
    let begun = try await beginSession(
      session,
      signIn,
      request,
      once: key,
      call,
      first: first,
      settle: settle
    )
    metrics.signIns.series("done").increment()
    // A repeated answer by the key of the first one, which its successor may have relieved since.
    let tokens = tokens(of: begun, by: ring.signer(at: begun.created) ?? answer.signer)
    return .init(
      tokens: tokens,
      user: .init(answer.user, answer.context, now: clock.now),
      deviceToken: deviceToken(signIn.knownDevice, signIn.user.address, begun),
      token: tokens.accessToken
    )
  }

  /// Begins the session, or finds the one that the key began before.
  private func beginSession(
    _ session: SessionRecord,
    _ signIn: ReadySignIn,
    _ request: some Message,
    once key: String,
    _ call: CallContext,
    first: @escaping @Sendable (borrowing WriteTransaction) throws -> Void,
    settle: @escaping @Sendable (borrowing WriteTransaction) throws -> Void
  ) async throws -> SessionRecord {
    let (core, user) = (self, signIn.user)
    let isTold = signIn.tellsOwner && signIn.knownDevice == nil
    let notice =
      isTold ? sessionNotice(.newDevice, of: session, to: user, now: session.created) : nil
    let check = { @Sendable (tx: borrowing WriteTransaction) throws in
      let basis = try UserTable.basis(of: user.id, in: tx)
      guard let basis else { throw AuthError.invalidCredentials }
      // A password that was changed in between was the wrong one; other proofs were right.
      guard !signIn.proof.isPassword || basis.passwordVersion == signIn.basis.passwordVersion else {
        throw AuthError.invalidCredentials
      }
      guard basis == signIn.basis else { throw AuthError.sessionEnded }
    }
    let evicted = Lock<[Revocation]>([])
    let begun = try await writeOnce(
      key,
      request,
      call,
      caller: "sign-in \(user.id)",
      heads: .any,
      onReplay: { tx in
        try check(tx)
        try settle(tx)
      }
    ) { tx in
      try first(tx)
      try check(tx)
      let ended = try core.begin(session, of: user, in: tx)
      try settle(tx)
      evicted.withLock { $0 = ended }
      if let notice { try core.outbox.queue(notice, in: tx) }
      return Auth_V1.Session(id: session.id)
    }
    let ended = evicted.withLock { $0 }
    if notice != nil || !ended.isEmpty { outbox.wake() }
    countRevoked(ended)
    return begun.id == session.id ? session : try await unused(begun.id)
  }

  /// The session of an earlier answer, as long as nobody has used that.
  ///
  /// Its refresh token may be given out again only until it is used: two who hold one would look like
  /// an owner and a thief.
  private func unused(_ id: String) async throws -> SessionRecord {
    let now = clock.now
    let session = try await store.read { tx in try SessionTable.find(id, in: tx) }
    guard let session, session.isAlive(at: now) else { throw AuthError.sessionEnded }
    guard session.refresh.generation == 1 else { throw SignInError.sessionInUse }
    return session
  }

  /// The token that the device keeps for the next sign-in; its name stays when it has one.
  func deviceToken(
    _ device: KnownDevice?,
    _ email: EmailAddress,
    _ session: SessionRecord
  ) -> String {
    devices.token(
      device ?? devices.device(of: session.id),
      of: attemptSubject(email),
      now: session.created
    )
  }
}
