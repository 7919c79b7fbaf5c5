internal import Contracts
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
    let sessions = try await alive(of: user)
    return .init(
      sessions: sessions.map { .init($0, isCurrent: $0.id == user.sessionID) }
    )
  }

  func revoke(
    _ request: Auth_V1.RevokeSessionRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.RevokeSessionsResponse {
    let user = try call.requireUser()
    let session = try await core.read { tx in
      try SessionTable.find(request.sessionId, in: tx)
    }
    // One of somebody else looks like one that never was.
    guard let session, session.userID == user.userID else { throw AuthError.sessionNotFound }
    let count = try await core.revoke([session.id], of: user, call, action: "session.revoke")
    return .init(revoked: UInt32(count))
  }

  func revokeOthers(
    _ request: Auth_V1.RevokeOtherSessionsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.RevokeSessionsResponse {
    let user = try call.requireUser()
    let others = try await alive(of: user).map(\.id).filter { $0 != user.sessionID }
    let count = try await core.revoke(others, of: user, call, action: "session.revoke_others")
    return .init(revoked: UInt32(count))
  }

  func revokeAll(
    _ request: Auth_V1.RevokeAllSessionsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.RevokeSessionsResponse {
    let user = try call.requireUser()
    let all = try await alive(of: user).map(\.id)
    let count = try await core.revoke(all, of: user, call, action: "session.revoke_all")
    return .init(revoked: UInt32(count))
  }

  func introspect(
    _ request: Auth_V1.IntrospectSessionRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.IntrospectSessionResponse {
    let now = core.clock.now
    let session = try await core.read { tx in
      try SessionTable.find(request.sessionId, in: tx)
    }
    return .init(active: session?.isAlive(at: now) ?? false)
  }

  private func alive(of user: UserIdentity) async throws -> [SessionRecord] {
    let now = core.clock.now
    return try await core.read { tx in
      try SessionTable.alive(of: user.userID, now: now, in: tx)
    }
  }
}
