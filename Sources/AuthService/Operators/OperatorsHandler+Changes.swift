internal import PeerContracts
internal import AuthContracts
internal import RPCKit
internal import ServiceKit

/// Changes of an account that its user cannot reach: by two operators, or by one and 72 hours in which the
/// account's address can stop them.
extension OperatorsHandler {
  func requestAccountChange(
    _ request: Auth_V1.RequestAccountChangeRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.AccountChange {
    let caller = try call.requireUser()
    guard let kind = AccountChange.Kind(rawValue: Int64(request.kind.rawValue)) else {
      throw OperatorError.changeKindUnknown
    }
    let new = EmailAddress(request.newEmail)
    if kind == .email {
      guard new.isMailable else { throw AuthError.emailInvalid(field: "new_email") }
    }
    try await changes.requireNoOperator(request.userId)
    let response: Auth_V1.AccountChange = try await change(
      request.userId,
      request.idempotencyKey,
      request,
      call
    ) { [core, changes] user, now, tx in
      guard try !AccountChangeTable.waits(kind, for: user.id, in: tx) else {
        throw OperatorError.changeWaits
      }
      let change = AccountChange(
        id: core.identifiers.make(.accountChange),
        userID: user.id,
        kind: kind,
        newEmail: kind == .email ? new.text : "",
        reason: request.reason,
        requestedBy: caller.userID,
        requested: now,
        due: user.email.isEmpty ? nil : now.addingSaturated(AccountChange.delay)
      )
      try changes.check(change, of: user, now: now, in: tx)
      try AccountChangeTable.insert(change, in: tx)
      try changes.announce(change, to: user, in: tx)
      try tx.audit(
        "account.request_change",
        object: user.id,
        detail: "\(kind) \(change.id); \(request.reason)"
      )
      return (.init(change), [])
    }
    core.outbox.wake()
    return try await core.named(response)
  }

  func approveAccountChange(
    _ request: Auth_V1.ApproveAccountChangeRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.AccountChange {
    let caller = try call.requireUser()
    let shown = try await find(request.changeId)
    guard shown.requestedBy != caller.userID else { throw OperatorError.secondOperatorNeeded }
    try await changes.requireNoOperator(shown.userID)
    let response: Auth_V1.AccountChange = try await change(shown.userID, "", request, call) {
      [changes] user, now, tx in
      var change = try Self.waiting(shown.id, in: tx)
      change.approvedBy = caller.userID
      let ended = try changes.apply(&change, to: user, by: nil, now: now, in: tx)
      return (.init(change), ended)
    }
    await deletions.reports.tellSoon(of: shown.userID)
    core.outbox.wake()
    deletions.wake()
    return try await core.named(response)
  }

  func cancelAccountChange(
    _ request: Auth_V1.CancelAccountChangeRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.AccountChange {
    let shown = try await find(request.changeId)
    let response: Auth_V1.AccountChange = try await change(shown.userID, "", request, call) {
      user,
      now,
      tx in
      var change = try Self.waiting(shown.id, in: tx)
      try AccountChangeTable.end(&change, .cancelled, now: now, in: tx)
      try tx.audit("account.cancel_change", object: user.id, detail: change.id)
      return (.init(change), [])
    }
    return try await core.named(response)
  }

  func listAccountChanges(
    _ request: Auth_V1.ListAccountChangesRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ListAccountChangesResponse {
    let caller = try call.requireUser()
    try core.auditBudget.take(call.caller.description)
    let binding = "Operators.ListAccountChanges \(caller.userID) \(request.userId)"
    let direction = ListDirection(request.sortBy, standard: .descending)
    let asked = try core.page(
      .init(size: request.pageSize, token: request.pageToken, number: request.page),
      request.sortBy.isEmpty ? binding : "\(binding) \(request.sortBy)"
    )
    let (cursor, limit) = (asked.cursor?.first, asked.size)
    let found = try await core.store.read { tx in
      try AccountChangeTable.page(
        of: request.userId,
        after: cursor,
        direction,
        skipping: asked.skippedCount,
        limit: limit + 1,
        in: tx
      )
    }
    let (page, next) = asked.cut(found) { [$0.id] }
    let count = page.count
    try await core.store.write(call) { tx in
      try tx.audit("account.list_changes", object: request.userId, detail: "\(count)")
    }
    return .init(
      changes: try await core.named(page.map { Auth_V1.AccountChange($0) }),
      nextPageToken: next
    )
  }

  private func find(_ id: String) async throws -> AccountChange {
    let found = try await core.store.read { tx in try AccountChangeTable.find(id, in: tx) }
    guard let found else { throw OperatorError.changeNotFound }
    return found
  }

  private static func waiting(
    _ id: String,
    in tx: borrowing WriteTransaction
  ) throws -> AccountChange {
    guard let change = try AccountChangeTable.find(id, in: tx) else {
      throw OperatorError.changeNotFound
    }
    guard change.state == .waiting else { throw AccountError.changeClosed }
    return change
  }
}

extension Auth_V1.AccountChange {
  fileprivate init(_ change: AccountChange) {
    self.init(
      id: change.id,
      userId: change.userID,
      kind: Auth_V1.AccountChangeKind(rawValue: Int32(change.kind.rawValue)),
      newEmail: change.newEmail,
      reason: change.reason,
      state: Auth_V1.AccountChangeState(rawValue: Int32(change.state.rawValue)),
      requestedBy: change.requestedBy,
      requestedAt: .init(milliseconds: change.requested),
      dueAt: change.due.map { .init(milliseconds: $0) },
      approvedBy: change.approvedBy ?? "",
      finishedAt: change.finished.map { .init(milliseconds: $0) }
    )
  }
}
