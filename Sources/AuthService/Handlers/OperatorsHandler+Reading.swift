internal import Contracts
internal import RPCKit
internal import ServiceKit

/// Where a user is signed in, and what the audit log has about it.
extension OperatorsHandler {
  func listUserSessions(
    _ request: Auth_V1.ListUserSessionsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ListSessionsResponse {
    let caller = try call.requireUser()
    try core.auditBudget.take(call.caller.description)
    let now = core.clock.now
    return try await core.store.write(call) { tx in
      let user = try Self.find(request.userId, in: tx)
      let sessions = try SessionTable.alive(of: user.id, now: now, in: tx)
      try tx.audit("session.list", object: user.id, detail: "\(sessions.count)")
      return .init(
        sessions: sessions.map { .init($0, isCurrent: $0.id == caller.sessionID) }
      )
    }
  }

  func listUserAudit(
    _ request: Auth_V1.ListUserAuditRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ListUserAuditResponse {
    let caller = try call.requireUser()
    try core.auditBudget.take(call.caller.description)
    let binding = "Operators.ListUserAudit \(caller.userID) \(request.userId)"
    let asked = try core.page(.init(size: request.pageSize, token: request.pageToken), binding)
    let (cursor, limit) = (asked.cursor?[0], asked.size)
    // Before the record of this call, so that reading the log page by page does not lengthen the page.
    let found = try await core.store.read { tx in
      let user = try Self.find(request.userId, in: tx)
      return try AuditTable.page(
        about: user.id,
        before: cursor.flatMap { Int64($0) } ?? .max,
        limit: limit + 1,
        in: tx
      )
    }
    let page = Array(found.prefix(limit))
    try await core.store.write(call) { tx in
      try tx.audit("audit.list", object: request.userId, detail: "\(page.count)")
    }
    let last = found.count > limit ? page.last : nil
    return .init(
      entries: page.map { .init($0) },
      nextPageToken: last.map { asked.token(after: ["\($0.sequence)"]) } ?? ""
    )
  }
}

extension Auth_V1.AuditEntry {
  fileprivate init(_ stored: StoredAuditRecord) {
    let record = stored.record
    self.init(
      recordedAt: .init(milliseconds: stored.recordedAt),
      actor: record.actor,
      onBehalfOf: record.onBehalfOf ?? "",
      action: record.action,
      object: record.object,
      done: record.outcome == .done,
      requestId: record.requestID,
      detail: record.detail
    )
  }
}
