internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.LegacyDocuments`: operators bring what an older app has left, users take what is theirs.
struct LegacyDocumentsHandler: Tenancy_V1.LegacyDocumentsService {
  let core: TenancyCore

  func `import`(
    _ request: Tenancy_V1.ImportLegacyDocumentsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ImportLegacyDocumentsResponse {
    let (user, core) = (try await core.requireAdministrator(call), core)
    guard let collection = LegacyCollectionName(request.collection) else {
      throw ErrorCatalog.tenancy.invalid("collection", "REQUIRED", "must name a legacy collection")
    }
    var drafts: [LegacyDraft] = []
    var byteCount = 0
    for (index, document) in request.documents.enumerated() {
      let draft = try LegacyDraft(document, field: "documents[\(index)]")
      drafts.append(draft)
      byteCount += draft.json.utf8.count
      guard byteCount > DocumentLimits.contentByteCountMax else { continue }
      // As in a batch of writes.
      byteCount = 0
      await Task.yield()
    }
    return try await core.write(call, request, key: \.idempotencyKey) {
      [drafts] _, tx in
      try core.requireAdministrator(user, tx)
      let count = try LegacyTable.add(drafts, to: collection, in: tx)
      return .init(importedCount: UInt32(count), unchangedCount: UInt32(drafts.count - count))
    }
  }

  func seal(
    _ request: Tenancy_V1.SealLegacyCollectionsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.LegacyCollections {
    let (user, core) = (try await core.requireAdministrator(call), core)
    return try await core.write(call, request) { _, tx in
      try core.requireAdministrator(user, tx)
      try LegacyTable.seal(in: tx)
      return try LegacyTable.message(in: tx)
    }
  }

  func getCollections(
    _ request: Tenancy_V1.GetLegacyCollectionsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.LegacyCollections {
    _ = try await core.requireAdministrator(call)
    return try await core.store.read { tx in try LegacyTable.message(in: tx) }
  }

  func migrate(
    _ request: Tenancy_V1.MigrateLegacyRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.LegacyMigration {
    let (user, documents, core) = (try call.requireUser(), try UserDocuments(call), core)
    var batchCount: UInt32 = 0
    while true {
      let (migration, remaining) = try await core.change(call) { tx in
        try call.caller.requireStillValid()
        try core.requireNotSuspended(user, tx)
        guard try LegacyTable.sealedAt(in: tx) != nil else { throw DocumentError.legacyNotSealed }
        let migration = try documents.migrateBatch(tx)
        return (migration, try documents.remainingCount(after: migration, tx))
      }
      batchCount += 1
      let isEnough = request.batchCountMax > 0 && batchCount >= request.batchCountMax
      if migration.state == .done || isEnough { return migration.message(remaining: remaining) }
      // Anyone who has gone continues another time.
      try Task.checkCancellation()
    }
  }

  func getMigration(
    _ request: Tenancy_V1.GetLegacyMigrationRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.LegacyMigration {
    try core.requireNotSuspended(try call.requireUser())
    let documents = try UserDocuments(call)
    return try await core.store.read { tx in
      let migration = try documents.migration(tx)
      return migration.message(remaining: try documents.remainingCount(after: migration, tx))
    }
  }
}
