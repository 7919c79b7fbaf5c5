internal import PeerContracts
internal import AuthContracts
internal import RPCKit
internal import ServiceKit

/// The states of mails, for operators.
extension OperatorsHandler {
  func listMails(
    _ request: Auth_V1.ListMailsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ListMailsResponse {
    let user = try call.requireUser()
    try core.auditBudget.take(call.caller.description)
    let state = MailRecord.State(rawValue: Int64(request.state.rawValue))
    let wanted = "\(request.state.rawValue) \(request.userId)"
    let binding = "Operators.ListMails \(user.userID) \(wanted)"
    let direction = ListDirection(request.sortBy, standard: .descending)
    let asked = try core.page(
      .init(size: request.pageSize, token: request.pageToken, number: request.page),
      request.sortBy.isEmpty ? binding : "\(binding) \(request.sortBy)"
    )
    let (cursor, limit) = (asked.cursor?[0], asked.size)
    let found = try await core.store.read { tx in
      try MailTable.page(
        state,
        to: request.userId,
        after: cursor,
        direction,
        skipping: asked.skippedCount,
        limit: limit + 1,
        in: tx
      )
    }
    let (page, next) = asked.cut(found) { [$0.id] }
    let count = page.count
    // Before the answer: anyone who reads about others is known to have read.
    try await core.store.write(call) { tx in
      try tx.audit("mail.list", object: request.userId, detail: "\(count)")
    }
    return .init(
      mails: try await core.named(page.map { Auth_V1.Mail($0) }),
      nextPageToken: next
    )
  }
}

extension Auth_V1.Mail {
  fileprivate init(_ mail: MailRecord) {
    let isOver = mail.state == .sent || mail.state == .dead
    self.init(
      id: mail.id,
      kind: mail.kind,
      userId: mail.userID ?? "",
      state: Auth_V1.MailState(rawValue: Int32(mail.state.rawValue)),
      attempts: UInt32(clamping: mail.attemptCount),
      error: mail.error,
      createdAt: .init(milliseconds: mail.created),
      nextAttemptAt: isOver ? nil : .init(milliseconds: mail.due),
      finishedAt: mail.finished.map { .init(milliseconds: $0) }
    )
  }
}
