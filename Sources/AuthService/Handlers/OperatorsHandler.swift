internal import Contracts
internal import RPCKit
internal import ServiceKit

/// What operators do with accounts.
struct OperatorsHandler: Auth_V1.OperatorsService {
  let core: AuthCore

  static let pageSizeStandard = 50

  func listUsers(
    _ request: Auth_V1.ListUsersRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ListUsersResponse {
    let user = try call.requireUser()
    try core.auditBudget.take(call.caller.description)
    let binding = "Operators.ListUsers \(user.userID) \(request.text)"
    let cursor = try core.cursor(of: request.pageToken, binding)
    let limit = request.pageSize == 0 ? Self.pageSizeStandard : Int(request.pageSize)
    var found = try await core.store.read { tx in
      try UserTable.page(request.text, before: cursor, limit: limit + 1, in: tx)
    }
    let isLast = found.count <= limit
    found = Array(found.prefix(limit))
    // Before the answer: whoever reads about others is known to have read.
    let count = found.count
    try await core.store.write(call) { tx in
      try tx.audit(
        "user.list",
        object: "",
        detail: "\(count) beginning with \"\(request.text)\""
      )
    }
    let next = isLast ? nil : found.last.map { core.pageToken(after: $0.id, binding) }
    return .init(users: found.map { .init($0) }, nextPageToken: next ?? "")
  }

  func endSessions(
    _ request: Auth_V1.EndSessionsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.RevokeSessionsResponse {
    let user = try call.requireUser()
    let (core, now) = (core, core.clock.now)
    let ended = Lock<[Revocation]>([])
    let response = try await core.permissions.confirming(
      .administration,
      of: user.userID,
      domain: AuthError.domain
    ) { right in
      try await core.writeOnce(request.idempotencyKey, request, call) { tx in
        try right.requireCurrent()
        try core.requireActiveSession(of: user, now: now, in: tx)
        guard try UserTable.find(request.userId, in: tx) != nil else {
          throw AuthError.userNotFound
        }
        try UserTable.countSessionEnding(of: request.userId, in: tx)
        let alive = try SessionTable.alive(of: request.userId, now: now, in: tx).map(\.id)
        let revoked = try SessionTable.revoke(alive, of: request.userId, now: now, in: tx)
        try tx.audit(
          "session.end_all",
          object: request.userId,
          detail: "\(revoked.count) sessions; \(request.note)"
        )
        ended.withLock { $0 = revoked }
        return Auth_V1.RevokeSessionsResponse(revoked: UInt32(revoked.count))
      }
    }
    core.announce(ended.withLock { $0 })
    return response
  }
}

extension Auth_V1.Account {
  fileprivate init(_ user: UserRecord) {
    self.init(
      id: user.id,
      email: user.email,
      emailVerified: user.isEmailVerified,
      displayName: user.displayName,
      firstName: user.firstName,
      lastName: user.lastName,
      createdAt: .init(milliseconds: user.created),
      updatedAt: .init(milliseconds: user.updated)
    )
  }
}
