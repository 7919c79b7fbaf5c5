internal import Contracts
internal import RPCKit
internal import ServiceKit

/// Signing up, in and out.
struct AuthenticationHandler: Auth_V1.AuthenticationService {
  let core: AuthCore

  func signUp(
    _ request: Auth_V1.SignUpRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.SignInResponse {
    if let objection = core.policy.objection(to: request.password, email: request.email) {
      throw AuthError.passwordRefused(objection, field: "password")
    }
    let source = CallSource(call, core.settings.sourceLimits)
    let permit = try core.admitSignUp(source)
    let (core, password) = (core, request.password)
    let record = try await core.pool.run(permit) { try core.hasher.record(of: password) }
    let user = newUser(request)
    let device = DeviceDescription(request.device)
    let (network, requestID) = (source.network, call.requestID)
    // Before the account: one that cannot be answered for must not be made either.
    let context = try await core.contexts.context(
      of: user.id,
      allowsPartial: request.allowPartialContext
    )
    let made = try await core.writeOnce(request.idempotencyKey, request, call) { tx in
      try insert(user, record, device, (network, requestID), in: tx)
    }
    let (session, account) = try await find(made.id)
    // Another user than this one: the key was used before, and the first answer counts.
    let current =
      account.id == user.id
      ? context
      : try await core.contexts.context(
        of: account.id,
        allowsPartial: request.allowPartialContext
      )
    return .init(
      tokens: try core.tokens(of: session),
      user: .init(account, current),
      deviceToken: deviceToken(nil, EmailAddress(account.email), session)
    )
  }

  /// What the device keeps for the next sign-in; its name stays when it has one.
  private func deviceToken(
    _ device: KnownDevice?,
    _ email: EmailAddress,
    _ session: SessionRecord
  ) -> String {
    core.devices.token(
      device ?? core.devices.device(of: session.id),
      of: core.attemptSubject(email),
      now: session.created
    )
  }

  /// Makes the account and its first session; the session's identifier is what is remembered under
  /// the idempotency key, because an answer with tokens must not lie in the store.
  private func insert(
    _ user: UserRecord,
    _ record: PasswordRecord,
    _ device: DeviceDescription,
    _ origin: (network: String, requestID: String),
    in tx: borrowing WriteTransaction
  ) throws -> Auth_V1.Session {
    guard try !UserTable.isTaken(EmailAddress(user.email), in: tx) else {
      throw AuthError.emailTaken
    }
    try UserTable.insert(user, password: record.text, in: tx)
    try tx.audit(
      AuditRecord(
        actor: user.id,
        requestID: origin.requestID,
        action: "user.sign_up",
        object: user.id
      )
    )
    let (session, _) = try core.beginSession(
      of: user.id,
      from: device,
      network: origin.network,
      now: user.created,
      requestID: origin.requestID,
      in: tx
    )
    return .init(id: session.id)
  }

  private func find(_ sessionID: String) async throws -> (SessionRecord, UserRecord) {
    let now = core.clock.now
    let found = try await core.read { tx -> (SessionRecord, UserRecord)? in
      guard let session = try SessionTable.find(sessionID, in: tx), session.isAlive(at: now),
        let user = try UserTable.find(session.userID, in: tx)
      else { return nil }
      return (session, user)
    }
    // A key that was used before for a session that has ended since.
    guard let found else { throw AuthError.sessionEnded }
    return found
  }

  private func newUser(_ request: Auth_V1.SignUpRequest) -> UserRecord {
    let now = core.clock.now
    return UserRecord(
      id: core.identifiers.make(.user),
      email: request.email,
      isEmailVerified: false,
      displayName: request.displayName,
      firstName: request.firstName,
      lastName: request.lastName,
      defaults: UserDefaults(),
      created: now,
      updated: now
    )
  }

  /// For who is not known here every way to fail costs one write, one look-up and one hash, and gets
  /// one answer.
  func signIn(
    _ request: Auth_V1.SignInRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.SignInResponse {
    let attempt = try core.admitSignIn(
      email: request.email,
      deviceToken: request.deviceToken,
      CallSource(call, core.settings.sourceLimits)
    )
    guard let verified = try await verify(request.password, attempt) else {
      core.failed(attempt)
      throw AuthError.invalidCredentials
    }
    core.succeeded(attempt)
    let signedIn: (user: UserRecord, context: UserContext)
    do {
      let context = try await core.contexts.context(
        of: verified.user.id,
        allowsPartial: request.allowPartialContext
      )
      signedIn = try await core.settled(verified.user, context)
    } catch {
      core.metrics.signIns.series("context_unavailable").increment()
      // The password was right: the next attempt must not wait for that.
      try await core.write { tx in try AttemptTable.clear(verified.subject, .password, in: tx) }
      throw error
    }
    let session = try await begin(verified, request, attempt.source.network, call)
    core.metrics.signIns.series("done").increment()
    return .init(
      tokens: try core.tokens(of: session),
      user: .init(signedIn.user, signedIn.context),
      deviceToken: deviceToken(attempt.device, attempt.email, session)
    )
  }

  private func begin(
    _ verified: VerifiedPassword,
    _ request: Auth_V1.SignInRequest,
    _ network: String,
    _ call: CallContext
  ) async throws -> SessionRecord {
    let replacement = await core.replacement(for: verified, password: request.password)
    let (core, now) = (core, core.clock.now)
    let device = DeviceDescription(request.device)
    let requestID = call.requestID
    let (session, evicted) = try await core.write { tx in
      // A password that was changed meanwhile opens nothing any more.
      guard try UserTable.password(of: verified.user.id, in: tx) == verified.stored else {
        throw AuthError.invalidCredentials
      }
      try AttemptTable.clear(verified.subject, .password, in: tx)
      if let replacement {
        _ = try UserTable.replacePassword(
          of: verified.user.id,
          verified.stored,
          by: replacement,
          now: now,
          in: tx
        )
      }
      return try core.beginSession(
        of: verified.user.id,
        from: device,
        network: network,
        now: now,
        requestID: requestID,
        in: tx
      )
    }
    core.announce(revoked: evicted)
    return session
  }

  private func verify(
    _ password: String,
    _ attempt: SignInAttempt
  ) async throws -> VerifiedPassword? {
    do {
      return try await core.verify(password, of: attempt.email, attempt.subject, attempt.permit)
    } catch {
      // Nothing was found out about the password.
      core.giveBack(attempt)
      throw error
    }
  }

  func refresh(
    _ request: Auth_V1.RefreshRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.Tokens {
    guard let shown = core.secrets.refreshKeys.read(request.refreshToken) else {
      core.metrics.refreshes.series("malformed").increment()
      throw AuthError.invalidRefreshToken
    }
    let (core, now, requestID) = (core, core.clock.now, call.requestID)
    let taken = try await core.write { tx -> (RefreshState.Outcome, SessionRecord?) in
      guard var session = try SessionTable.find(shown.session, in: tx) else {
        return (.refused, nil)
      }
      let outcome = session.refresh.take(
        shown.generation,
        now: now,
        lifetimes: core.settings.sessions
      )
      switch outcome {
      case .rotated: try SessionTable.update(session, in: tx)
      case .reused:
        // Committed although the call fails: whoever has the copy must lose the session too.
        _ = try SessionTable.revoke([session.id], of: session.userID, now: now, in: tx)
        try tx.audit(
          AuditRecord(
            actor: session.userID,
            requestID: requestID,
            action: "session.refresh_reused",
            object: session.id,
            outcome: .refused
          )
        )
      case .repeated, .refused: break
      }
      return (outcome, session)
    }
    core.metrics.refreshes.series("\(taken.0)").increment()
    guard let session = taken.1, taken.0 == .rotated || taken.0 == .repeated else {
      if taken.0 == .reused, let session = taken.1 {
        core.logger.warning(
          "a used refresh token was shown again",
          ["session": .string(session.id), "user": .string(session.userID)]
        )
        core.announce(revoked: [session.id])
      }
      throw AuthError.invalidRefreshToken
    }
    return try core.tokens(of: session)
  }

  func signOut(
    _ request: Auth_V1.SignOutRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.SignOutResponse {
    let user = try call.requireUser()
    _ = try await core.revoke([user.sessionID], of: user, call, action: "session.sign_out")
    return .init()
  }
}
