internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Where a user is signed in.
struct SessionsHandler: Auth_V1.SessionsService {
  let core: AuthCore

  func list(
    _ request: Auth_V1.ListSessionsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ListSessionsResponse {
    let user = try call.requireUser()
    let now = core.clock.now
    let sessions = try await core.store.read { tx in
      try SessionTable.alive(of: user.userID, now: now, in: tx)
    }
    return .init(
      sessions: sessions.map { .init($0, isCurrent: $0.id == user.sessionID) }
    )
  }

  func revoke(
    _ request: Auth_V1.RevokeSessionRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.RevokeSessionsResponse {
    try await revoke(call, "session.revoke") { user, _, tx in
      let session = try SessionTable.find(request.sessionId, in: tx)
      // One of somebody else looks like one that never was.
      guard let session, session.userID == user.userID else { throw SessionError.notFound }
      return [session.id]
    }
  }

  func revokeOthers(
    _ request: Auth_V1.RevokeOtherSessionsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.RevokeSessionsResponse {
    try await revoke(call, "session.revoke_others") { user, now, tx in
      try UserTable.countSessionEnding(of: user.userID, in: tx)
      return try SessionTable.alive(of: user.userID, now: now, in: tx).map(\.id)
        .filter { $0 != user.sessionID }
    }
  }

  func revokeAll(
    _ request: Auth_V1.RevokeAllSessionsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.RevokeSessionsResponse {
    try await revoke(call, "session.revoke_all") { user, now, tx in
      try UserTable.countSessionEnding(of: user.userID, in: tx)
      return try SessionTable.alive(of: user.userID, now: now, in: tx).map(\.id)
    }
  }

  /// Revokes what `choose` finds in the same transaction; a session that begins in the meantime is either
  /// among it or begins afterwards.
  private func revoke(
    _ call: CallContext,
    _ action: String,
    _ choose:
      @escaping @Sendable (UserIdentity, Int64, borrowing WriteTransaction) throws -> [String]
  ) async throws -> Auth_V1.RevokeSessionsResponse {
    let (user, now) = (try call.requireUser(), core.clock.now)
    let count = try await core.revoke(of: user, call, action: action) { [core] tx in
      try core.requireActiveSession(of: user, now: now, in: tx)
      return try choose(user, now, tx)
    }
    return .init(revoked: UInt32(count))
  }

  func introspect(
    _ request: Auth_V1.IntrospectSessionRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.IntrospectSessionResponse {
    let now = core.clock.now
    let session = try await core.store.read { tx in
      try SessionTable.find(request.sessionId, in: tx)
    }
    return .init(active: session?.isAlive(at: now) ?? false)
  }
}

enum SessionError {
  static let notFound = ErrorCatalog.auth.notFound("SESSION_NOT_FOUND", "session not found")

  /// An attempt of a refresh that is the same text for everybody, as far as can be seen.
  static let attemptTooSimple = ErrorCatalog.auth.invalid(
    "attempt",
    "ATTEMPT_TOO_SIMPLE",
    "must be at least 128 random bits; make another one for each refresh"
  )
}
