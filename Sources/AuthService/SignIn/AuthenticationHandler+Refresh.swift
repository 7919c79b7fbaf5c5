internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Exchanging refresh tokens.
extension AuthenticationHandler {
  func refresh(
    _ request: Auth_V1.RefreshRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.Tokens {
    guard let shown = core.secrets.refreshKeys.read(request.refreshToken) else {
      core.metrics.refreshes.series("malformed").increment()
      throw SignInError.refreshTokenInvalid
    }
    let attempt = try RefreshAttempt.digest(of: request.attempt, session: shown.session)
    let signer = try await core.signer()
    let heads = WriteHeads.unordered([ConflictKey("session", shown.session)])
    let taken = try await core.store.write(call, heads: heads) { tx -> Refreshed in
      // Not that of before its turn came: the token may have been taken since, by another program's clock.
      let now = tx.now
      guard var session = try SessionTable.find(shown.session, in: tx) else {
        return Refreshed(outcome: .refused, now: now)
      }
      let outcome = session.refresh.take(
        shown.generation,
        attempt: attempt,
        now: now,
        lifetimes: core.settings.sessions
      )
      let revoked = try note(outcome, of: session, attempt, now: now, in: tx)
      return Refreshed(outcome: outcome, now: now, session: session, revoked: revoked)
    }
    core.metrics.refreshes.series("\(taken.outcome)").increment()
    switch (taken.outcome, taken.session) {
    case (.rotated, let session?): return core.tokens(of: session, by: signer)
    case (.repeated, let session?): return repeatedTokens(of: session, by: signer, now: taken.now)
    case (.repeatedTooOften, _): throw SignInError.repeatedTooOften
    case (.reused, let session?):
      core.logger.warning(
        "a used refresh token was presented again; the session was revoked",
        ["session": .string(session.id), "user": .string(session.userID)]
      )
      core.countRevoked(taken.revoked)
    default: break
    }
    throw SignInError.refreshTokenInvalid
  }

  /// Stores the outcome of a refresh token; gives the session if that was revoked.
  private func note(
    _ outcome: RefreshState.Outcome,
    of session: SessionRecord,
    _ attempt: [UInt8]?,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> [Revocation] {
    switch outcome {
    case .rotated: try SessionTable.update(session, in: tx)
    case .repeated:
      try SessionTable.update(session, in: tx)
      if session.refresh.isLate(at: now) {
        try SessionTable.noteIssue(of: session.id, at: now, in: tx)
      }
      let seconds = session.refresh.age(at: now) / 1000
      try tx.audit(
        "session.refresh_repeated",
        object: session.id,
        detail: "after \(seconds) s, \(attempt == nil ? "without" : "with") attempt",
        by: .user(session.userID)
      )
    case .reused:
      // Committed although the call fails: anyone who has the copy must lose the session too.
      try tx.audit(
        "session.refresh_reused",
        object: session.id,
        outcome: .refused,
        by: .user(session.userID)
      )
      return try SessionTable.revoke([session.id], of: session.userID, now: now, in: tx)
    case .repeatedTooOften, .refused, .overtaken: break
    }
    return []
  }

  /// The tokens of an answer that was lost: the same, but with a new access token when that of the
  /// first answer may have ended since.
  private func repeatedTokens(
    of session: SessionRecord,
    by signer: SigningKey,
    now: Int64
  ) -> Auth_V1.Tokens {
    // By the key of the first answer, which its successor may have relieved just now.
    let first = core.ring.signer(at: session.refresh.rotated)
    var tokens = core.tokens(of: session, by: first ?? signer)
    guard session.refresh.isLate(at: now) else { return tokens }
    let access = core.accessToken(of: session, by: signer, now: now)
    tokens.accessToken = access.token
    tokens.accessTokenExpiresAt = access.expiresAt
    return tokens
  }

  /// The outcome of a refresh token in the store.
  private struct Refreshed {
    var outcome: RefreshState.Outcome
    var now: Int64
    var session: SessionRecord?
    var revoked: [Revocation] = []
  }
}
