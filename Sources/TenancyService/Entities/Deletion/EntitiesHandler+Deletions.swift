internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// How far deletions are.
extension EntitiesHandler {
  func getDeletion(
    _ request: Tenancy_V1.GetEntityDeletionRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.EntityDeletion {
    let (user, core) = (try call.requireUser(), core)
    try core.requireNotSuspended(user)
    let found = try await core.read { tx in
      // The entity is gone, and with it every role on it: who deleted it is all that is left of rights.
      guard let deletion = try EntityDeletionTable.find(request.deletionId, in: tx),
        deletion.record.deletedBy == user.userID
      else {
        throw TenancyError.notFound.denying("entity_deletion.view", on: request.deletionId)
      }
      return deletion.message
    }
    return try await core.named(found)
  }

  func listDeletions(
    _ request: Tenancy_V1.ListEntityDeletionsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListEntityDeletionsResponse {
    let user = try call.requireUser()
    try core.requireNotSuspended(user)
    return try await list(request, ["ListDeletions"], .by(userID: user.userID), call)
  }

  func listAllDeletions(
    _ request: Tenancy_V1.ListAllEntityDeletionsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListEntityDeletionsResponse {
    let user = try await core.requireSupport(call)
    try core.auditBudget.take(user.userID)
    let id = request.deletionId
    let page = try await list(
      request,
      ["ListAllDeletions", "\(request.finished)", id],
      id.isEmpty ? .areFinished(request.finished) : .id(id),
      call
    )
    // Before the answer: anyone who reads about others is known to have read.
    try await core.change(call) { tx in
      try tx.audit("entity.list_deletions", object: id, detail: "\(page.deletions.count)")
    }
    return page
  }

  private func list(
    _ request: some PagedRequest,
    _ binding: [String],
    _ filter: EntityDeletionFilter,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListEntityDeletionsResponse {
    let asked = try core.asked(request, for: binding, call.caller)
    let direction = ListDirection(request.sortBy, standard: .descending)
    let rows = try await core.read { tx in
      try EntityDeletionTable.page(
        filter,
        after: asked.cursor?[0],
        direction,
        skipping: asked.skippedCount,
        limit: asked.size + 1,
        in: tx
      )
    }
    let page = try core.page(of: rows, asked, after: { [$0.record.id] }, message: \.message)
    return .init(deletions: try await core.named(page.items), nextPageToken: page.nextToken)
  }
}

extension EntityDeletionProgress {
  var message: Tenancy_V1.EntityDeletion {
    Tenancy_V1.EntityDeletion(
      id: record.id,
      entityId: record.entityID,
      entityType: record.entityType,
      deletedAt: .init(milliseconds: record.deletedAt),
      holderCount: UInt64(record.holderCount),
      endedHolderCount: UInt64(max(0, record.holderCount - waitingCount)),
      finishedAt: record.finishedAt.map { .init(milliseconds: $0) },
      entityName: name ?? "",
      deletedBy: record.deletedBy
    )
  }
}
