internal import AuthContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

extension DeletionsHandler {
  func listDeletions(
    _ request: Auth_V1.ListDeletionsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ListDeletionsResponse {
    let caller = try call.requireUser()
    let core = deletions.core
    try core.auditBudget.take(call.caller.description)
    let direction = ListDirection(request.sortBy, standard: .descending)
    let asked = try core.page(
      .init(size: request.pageSize, token: request.pageToken, number: request.page),
      "Deletions.ListDeletions \(caller.userID) \(request.finished) \(request.sortBy)"
    )
    let found = try await core.store.read { tx in
      try DeletionTable.page(
        finished: request.finished,
        after: asked.cursor?.first,
        direction,
        skipping: asked.skippedCount,
        limit: asked.size + 1,
        in: tx
      )
    }
    let (page, next) = asked.cut(found) { [$0.id] }
    let count = page.count
    try await core.store.write(call) { tx in
      try tx.audit("account.list_deletions", object: "", detail: "\(count)")
    }
    return .init(
      deletions: try await core.named(page.map { Auth_V1.AccountDeletion($0) }),
      nextPageToken: next
    )
  }
}

extension Auth_V1.AccountDeletion {
  init(_ deletion: DeletionRecord) {
    // What stands for the user after that says nothing to a reader.
    let isErased = deletion.step == .log || deletion.step == .done
    self.init(deletion: .init(deletion), userId: isErased ? "" : deletion.userID)
  }
}

extension Auth_V1.AccountDeletion: ShowsPeople {
  mutating func forEachPerson(_ body: (String, inout String) -> Bool) {
    if !userId.isEmpty { _ = body(userId, &displayName) }
  }
}
