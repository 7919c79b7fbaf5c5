internal import AuthContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Operators' actions on accounts.
struct OperatorsHandler: Auth_V1.OperatorsService {
  let deletions: DeletionSaga

  var core: AuthCore { deletions.core }
  var changes: AccountChanges { AccountChanges(deletions: deletions) }

  func listUsers(
    _ request: Auth_V1.ListUsersRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ListUsersResponse {
    let user = try call.requireUser()
    try core.auditBudget.take(call.caller.description)
    let state = AccountState(request.state)
    let binding = "Operators.ListUsers \(user.userID) \(request.state.rawValue) \(request.text)"
    let direction = ListDirection(request.sortBy, standard: .descending)
    let asked = try core.page(
      .init(size: request.pageSize, token: request.pageToken, number: request.page),
      request.sortBy.isEmpty ? binding : "\(binding) \(request.sortBy)"
    )
    let (cursor, limit) = (asked.cursor?[0], asked.size)
    let found = try await core.store.read { tx in
      try UserTable.page(
        request.text,
        state,
        after: cursor,
        direction,
        skipping: asked.skippedCount,
        limit: limit + 1,
        in: tx
      )
      .map { user in (user, try DisablementTable.find(user.id, in: tx)) }
    }
    let (page, next) = asked.cut(found) { user, _ in
      [UserTable.cursor(after: user, of: request.text)]
    }
    // Before the answer: anyone who reads about others is known to have read.
    let count = page.count
    let condition = state.map { ", \($0)" } ?? ""
    try await core.store.write(call) { tx in
      try tx.audit(
        "user.list",
        object: "",
        detail: "\(count) beginning with \"\(request.text)\"\(condition)"
      )
    }
    let users = try await core.named(page.map { Auth_V1.Account($0, $1) })
    return .init(users: users, nextPageToken: next)
  }

  func getUser(
    _ request: Auth_V1.GetUserRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.Account {
    try core.auditBudget.take(call.caller.description)
    let account = try await core.store.write(call) { tx in
      let user = try UserTable.require(request.userId, in: tx)
      try tx.audit("user.get", object: user.id)
      return Auth_V1.Account(user, try DisablementTable.find(user.id, in: tx))
    }
    return try await core.named(account)
  }

  func endSessions(
    _ request: Auth_V1.EndSessionsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.RevokeSessionsResponse {
    try await change(
      request.userId,
      by: .inspection,
      request.idempotencyKey,
      request,
      call
    ) { [core] user, now, tx in
      let ended = try core.endAllSessions(of: user.id, now: now, in: tx)
      try tx.audit(
        "session.end_all",
        object: user.id,
        detail: "\(ended.count) sessions; \(request.note)"
      )
      return (Auth_V1.RevokeSessionsResponse(revoked: UInt32(ended.count)), ended)
    }
  }

  /// Changes a user in one transaction in which the caller has a right and a living session, then announces
  /// the sessions that this ended.
  ///
  /// With the right of support people, no operator is changed but by another one.
  func change<Response: Message>(
    _ userID: String,
    by right: Permission = .administration,
    _ key: String,
    _ request: some Message,
    _ call: CallContext,
    _ body:
      @escaping @Sendable (UserRecord, _ now: Int64, borrowing WriteTransaction) throws
      -> (Response, [Revocation])
  ) async throws -> Response {
    let caller = try call.requireUser()
    let (core, now) = (core, core.clock.now)
    let ended = Lock<[Revocation]>([])
    if right == .inspection {
      try await changes.requireNoOperator(userID, besidesBy: caller.userID)
    }
    let response = try await core.permissions.confirming(
      right,
      of: caller.userID,
      domain: ErrorCatalog.auth.domain
    ) { right in
      try await core.writeOnce(key, request, call) { tx in
        try right.requireCurrent()
        try core.requireActiveSession(of: caller, now: now, in: tx)
        let (response, revoked) = try body(try UserTable.require(userID, in: tx), now, tx)
        ended.withLock { $0 = revoked }
        return response
      }
    }
    core.countRevoked(ended.withLock { $0 })
    return response
  }
}

extension AccountState {
  /// The state that is asked for; nil for all.
  fileprivate init?(_ state: Auth_V1.AccountState) {
    switch state {
    case .active: self = .active
    case .disabled: self = .disabled
    default: return nil
    }
  }
}

extension Auth_V1.Account {
  init(_ user: UserRecord, _ disablement: Disablement?) {
    self.init(
      id: user.id,
      email: user.email,
      emailVerified: user.isEmailVerified,
      displayName: user.displayName,
      firstName: user.firstName,
      lastName: user.lastName,
      createdAt: .init(milliseconds: user.created),
      updatedAt: .init(milliseconds: user.updated),
      state: disablement == nil ? .active : .disabled,
      disabledAt: disablement.map { .init(milliseconds: $0.since) },
      disabledBy: disablement?.actor ?? "",
      disabledReason: disablement?.reason ?? ""
    )
  }
}
