internal import RPCKit
internal import ServiceKit

/// How sessions begin, change and end.
extension AuthCore {
  /// A session that begins at `now`.
  func newSession(
    of userID: String,
    from device: DeviceDescription,
    network: String,
    proof: SignInProof,
    now: Int64
  ) -> SessionRecord {
    SessionRecord(
      id: identifiers.make(.session),
      userID: userID,
      refresh: RefreshState(
        generation: 1,
        rotated: now,
        idleEnd: now + min(settings.sessions.idle, settings.sessions.absolute),
        absoluteEnd: now + settings.sessions.absolute,
        isRevoked: false
      ),
      created: now,
      authenticated: now,
      device: device,
      network: network,
      proof: proof
    )
  }

  /// Begins a session: at most so many live at a time, and those idle longest make room.
  ///
  /// Each of them is recorded, and the user is mailed which one it was. Gives those that were ended, to be
  /// announced after the commit; the outbox is to be woken then too.
  func begin(
    _ session: SessionRecord,
    of user: UserRecord,
    in tx: borrowing WriteTransaction
  ) throws -> [Revocation] {
    let (userID, now) = (session.userID, session.created)
    let alive = try SessionTable.lastSeen(of: userID, now: now, in: tx)
    let excess = settings.sessions.evicted(alive)
    for id in excess { try noteEviction(of: id, by: session, of: user, in: tx) }
    let evicted = try SessionTable.revoke(excess, of: userID, now: now, in: tx)
    try SessionTable.insert(session, in: tx)
    try tx.audit(
      "session.begin",
      object: session.id,
      detail: evicted.isEmpty ? "" : "evicted \(evicted.count)",
      by: .user(userID)
    )
    return evicted
  }

  /// Throws unless the caller's session lives in the state that a write is about to change.
  ///
  /// That it lived when the call came in is not enough: whatever ends a session is to come before
  /// every write that is not yet done.
  @discardableResult
  func requireActiveSession(
    of user: UserIdentity,
    now: Int64,
    in tx: borrowing some Queryable
  ) throws -> SessionRecord {
    guard let session = try SessionTable.find(user.sessionID, in: tx),
      session.userID == user.userID, session.isAlive(at: now)
    else { throw AuthError.sessionEnded }
    return session
  }

  /// Writes for a user who is signed in, unless the session has ended by then; `body` gets who calls, and when.
  func writeInSession<R: Sendable>(
    _ call: CallContext,
    _ body: @escaping @Sendable (UserIdentity, Int64, borrowing WriteTransaction) throws -> R
  ) async throws -> R {
    let (caller, now) = (try call.requireUser(), clock.now)
    return try await store.write(call) { [self] tx in
      try requireActiveSession(of: caller, now: now, in: tx)
      return try body(caller, now, tx)
    }
  }

  /// Gives the caller's session a new proof, made `now`; the tokens that it gets from then on say so.
  ///
  /// Throws UNAUTHENTICATED when the session has ended in the meantime.
  func raise(
    _ identity: UserIdentity,
    to proof: SignInProof,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> SessionRecord {
    var session = try requireActiveSession(of: identity, now: now, in: tx)
    session.proof = proof
    session.authenticated = now
    try SessionTable.updateProof(of: session, in: tx)
    try tx.audit("session.step_up", object: session.id, detail: proof.acr)
    return session
  }

  /// Revokes the sessions of the calling user that `choose` finds; the number of those that lived.
  func revoke(
    of user: UserIdentity,
    _ call: CallContext,
    action: String,
    _ choose: @escaping @Sendable (borrowing WriteTransaction) throws -> [String]
  ) async throws -> Int {
    let now = clock.now
    let revoked = try await store.write(call) { tx in
      let sessions = try choose(tx)
      let revoked = try SessionTable.revoke(sessions, of: user.userID, now: now, in: tx)
      if !revoked.isEmpty {
        try tx.audit(
          action,
          object: sessions.count == 1 ? sessions[0] : user.userID,
          detail: "\(revoked.count) sessions"
        )
      }
      return revoked
    }
    countRevoked(revoked)
    return revoked.count
  }

  /// Ends all sessions of a user and the sign-ins that are in progress; gives those that lived.
  func endAllSessions(
    of userID: String,
    except kept: String = "",
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> [Revocation] {
    try UserTable.countSessionEnding(of: userID, in: tx)
    let alive = try SessionTable.alive(of: userID, now: now, in: tx).map(\.id)
    return try SessionTable.revoke(alive.filter { $0 != kept }, of: userID, now: now, in: tx)
  }
}

extension WriteTransaction {
  /// Records what a user has changed in their account, with the sessions that it ended.
  func audit(_ action: String, of userID: String, ending sessions: [Revocation]) throws {
    try audit(action, object: userID, detail: "revoked \(sessions.count)", by: .user(userID))
  }
}
