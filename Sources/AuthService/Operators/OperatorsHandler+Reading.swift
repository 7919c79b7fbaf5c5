internal import AuthContracts
internal import PeerContracts
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
      let user = try UserTable.require(request.userId, in: tx)
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
    let direction = ListDirection(request.sortBy, standard: .descending)
    let asked = try core.page(
      .init(size: request.pageSize, token: request.pageToken, number: request.page),
      request.sortBy.isEmpty ? binding : "\(binding) \(request.sortBy)"
    )
    let (cursor, limit) = (asked.cursor?[0], asked.size)
    // Before the record of this call, so that reading the log page by page does not lengthen the page.
    let found = try await core.store.read { tx in
      let user = try UserTable.require(request.userId, in: tx)
      return try AuditTable.page(
        about: user.id,
        after: cursor.flatMap { Int64($0) },
        direction,
        skipping: asked.skippedCount,
        limit: limit + 1,
        in: tx
      )
    }
    let (page, next) = asked.cut(found) { ["\($0.sequence)"] }
    let count = page.count
    try await core.store.write(call) { tx in
      try tx.audit("audit.list", object: request.userId, detail: "\(count)")
    }
    return .init(
      entries: try await core.named(page.map { Audit_V1.AuditEntry($0) }),
      nextPageToken: next
    )
  }

  func searchAudit(
    _ request: Audit_V1.SearchAuditRequest,
    _ call: CallContext
  ) async throws -> Audit_V1.SearchAuditResponse {
    let caller = try call.requireUser()
    try core.auditBudget.take(call.caller.description)
    let search = AuditSearch(request)
    let binding = "Operators.SearchAudit \(caller.userID) \(search.filter)"
    let asked = try core.page(search.asked, binding)
    // Before the record of this call, as above.
    let page = try await core.store.read { tx in try search.page(asked, in: tx) }
    try await core.store.write(call) { tx in
      try tx.audit("audit.search", object: "", detail: "\(page.entries.count); \(search.summary)")
      for subject in search.subjects {
        try tx.audit("audit.list", object: subject, detail: "\(page.entries.count)")
      }
    }
    return .init(
      entries: try await core.named(page.entries),
      nextPageToken: page.next.map { asked.token(after: ["\($0)"]) } ?? ""
    )
  }

  func getUserFactors(
    _ request: Auth_V1.GetUserFactorsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.UserFactors {
    try core.auditBudget.take(call.caller.description)
    let core = core
    return try await core.store.write(call) { tx in
      let user = try UserTable.require(request.userId, in: tx)
      let app = try TotpTable.find(user.id, in: tx)
      let passwords = try AttemptTable.counter(core.attemptSubject(user.address), .password, in: tx)
      let codes = try AttemptTable.counter(
        core.factorKey.attempts(of: user.id, from: nil),
        .secondFactor,
        in: tx
      )
      try tx.audit("user.get_factors", object: user.id)
      let now = core.clock.now
      return .init(
        hasPassword: try UserTable.hasPassword(user.id, in: tx),
        totpAddedAt: app?.confirmed.map { .init(milliseconds: $0) },
        recoveryCodesLeft: UInt32(try RecoveryCodeTable.count(of: user.id, in: tx)),
        hasPin: try PinTable.find(user.id, in: tx) != nil,
        passkeys: try PasskeyTable.list(of: user.id, in: tx).map { .init($0) },
        identities: try IdentityTable.list(of: user.id, in: tx).map { .init($0) },
        failedSignIns: UInt32(clamping: passwords.failures),
        lastFailedSignInAt: passwords.failures > 0 ? .init(milliseconds: passwords.last) : nil,
        signInsWaitUntil: passwords.until > now ? .init(milliseconds: passwords.until) : nil,
        failedCodes: UInt32(clamping: codes.failures)
      )
    }
  }
}
