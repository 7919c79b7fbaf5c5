internal import Contracts
internal import RPCKit
internal import ServiceKit

/// Somebody who proved to be a user, and begins a session; with what does not matter any more.
struct ReadySignIn: Sendable {
  /// The user, as read when the proof was.
  let user: UserRecord
  /// What must still be so when the session begins.
  let basis: SignInBasis
  /// How the user proved it.
  let proof: SignInProof
  /// When, if that was earlier than now and to somebody else, in milliseconds since 1970.
  var authenticated: Int64?
  /// What the user signs in from, as the application tells it.
  let device: DeviceDescription
  /// The network it comes from, without the host part.
  let network: String
  /// The device, if it signed in to the account before.
  let knownDevice: KnownDevice?
  /// Whether the account's owner is told if the device is new.
  let tellsOwner: Bool
}

/// What the answer to a sign-in needs besides its session.
struct SignInAnswer: Sendable {
  let user: UserRecord
  let context: UserContext
  let signer: SigningKey
}

/// What every way to sign in ends with.
extension AuthCore {
  /// Gets all that the answer needs, before a session begins that could not be answered for.
  ///
  /// Throws UNAVAILABLE when there is no key, or when a part of the context cannot be had and may not be
  /// missing. `isAsked`: the call itself says whether it may.
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
    let begun = try await begin(
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
      user: .init(answer.user, answer.context),
      deviceToken: deviceToken(signIn.knownDevice, signIn.user.address, begun),
      token: tokens.accessToken
    )
  }

  private func begin(
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
    let notice = isTold ? newDeviceNotice(of: session, to: user) : nil
    let check = { @Sendable (tx: borrowing WriteTransaction) throws in
      let basis = try UserTable.basis(of: user.id, in: tx)
      guard let basis else { throw AuthError.invalidCredentials }
      // A password that was changed in between was the wrong one; other proofs were right.
      guard !signIn.proof.isPassword || basis.passwordVersion == signIn.basis.passwordVersion else {
        throw AuthError.invalidCredentials
      }
      guard basis == signIn.basis else { throw AuthError.sessionEnded }
      try settle(tx)
    }
    let evicted = Lock<[Revocation]>([])
    let begun = try await writeOnce(
      key,
      request,
      call,
      caller: "sign-in \(user.id)",
      onReplay: check
    ) { tx in
      try first(tx)
      try check(tx)
      let ended = try core.begin(session, in: tx)
      evicted.withLock { $0 = ended }
      if let notice { try core.outbox.queue(notice, in: tx) }
      return Auth_V1.Session(id: session.id)
    }
    if notice != nil { outbox.wake() }
    announce(evicted.withLock { $0 })
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
    guard session.refresh.generation == 1 else { throw AuthError.sessionInUse }
    return session
  }

  /// What the device keeps for the next sign-in; its name stays when it has one.
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
