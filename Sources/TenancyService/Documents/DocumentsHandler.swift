internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.Documents`: what a user keeps for itself.
struct DocumentsHandler: Tenancy_V1.DocumentsService {
  let core: TenancyCore
  private let meter: DocumentMeter

  init(core: TenancyCore) {
    self.core = core
    meter = DocumentMeter(core.metrics)
  }

  /// Silence of a watch, at most.
  static let heartbeatInterval = Duration.seconds(3)

  func put(
    _ request: Tenancy_V1.PutDocumentRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.DocumentWriteResult {
    let put = try DocumentPutDraft(request.put ?? .init(), field: "put.", core.tokens)
    return try await write([.put(put)], call, request, key: \.idempotencyKey) { $0[0] }
  }

  func delete(
    _ request: Tenancy_V1.DeleteDocumentRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.DocumentWriteResult {
    let deletion = try DocumentDeletionDraft(request.delete ?? .init(), core.tokens)
    return try await write([.delete(deletion)], call, request, key: \.idempotencyKey) { $0[0] }
  }

  func batchWrite(
    _ request: Tenancy_V1.BatchWriteDocumentsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.BatchWriteDocumentsResponse {
    var drafts: [DocumentDraft] = []
    var byteCount = 0
    for (index, write) in request.writes.enumerated() {
      let draft = try DocumentDraft(write, field: "writes[\(index)]", core.tokens)
      drafts.append(draft)
      byteCount += draft.byteCount
      guard byteCount > DocumentLimits.contentByteCountMax else { continue }
      // Reading 4 MiB takes long enough for other calls of the loop to notice.
      byteCount = 0
      await Task.yield()
    }
    return try await write(drafts, call, request, key: \.idempotencyKey) {
      .init(results: $0, revision: $0.last?.revision ?? "")
    }
  }

  func write<Request: Message, Response: Message>(
    _ drafts: [DocumentDraft],
    _ call: CallContext,
    _ request: Request,
    key: (Request) -> String,
    _ response: @escaping @Sendable ([Tenancy_V1.DocumentWriteResult]) -> Response
  ) async throws -> Response {
    let (user, documents, core) = (try call.requireUser(), try UserDocuments(call), core)
    let meter = meter
    let heads = WriteHeads.named([ConflictKey("documents", user.userID)])
    return try await core.write(call, request, key: key, heads: heads) { _, tx in
      try core.requireNotSuspended(user, tx)
      var changes = DocumentChangeSet(meter, documents)
      return response(try changes.apply(drafts, tx).map { core.message(written: $0) })
    }
  }

  func get(
    _ request: Tenancy_V1.GetDocumentRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Document {
    let documents = try reader(call)
    try await core.reach(atLeast: request.atLeastRevision)
    let record = try await core.store.read { tx in
      try documents.document(request.documentId, in: request.collection, tx)
    }
    guard let record else { throw TenancyError.notFound }
    return core.message(document: record)
  }

  func list(
    _ request: Tenancy_V1.ListDocumentsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListDocumentsResponse {
    try await page(of: try DocumentList(request), request, call)
  }

  /// The page that a request asks for.
  func page(
    of list: DocumentList,
    _ request: Tenancy_V1.ListDocumentsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListDocumentsResponse {
    let documents = try reader(call)
    let (core, meter) = (core, meter)
    let binding = Self.binding(request, call)
    let asked = try core.tokens.page(
      .init(size: request.pageSize, token: request.pageToken, number: request.page),
      cursorCount: 2,
      binding
    )
    try list.requireCountable(asked)
    try await core.reach(atLeast: request.atLeastRevision)
    let reserved = try list.reserveSort(of: documents, meter, now: core.clock.now)
    var cost: Int64 = 0
    defer { documents.spendOnSorts(cost - reserved, meter.sorts, now: core.clock.now) }
    let page = try await core.store.read { tx in
      try list.page(of: documents, asked, core, meter, tx)
    }
    cost = page.sortCost
    guard request.page == 0 || page.isFull(asked.size) else { throw CountedPage.tooLarge }
    return Tenancy_V1.ListDocumentsResponse(
      documents: page.documents,
      nextPageToken: page.last.map {
        asked.token(after: DocumentList.cursor($0))
      } ?? "",
      totalSize: page.total
    )
  }

  /// A page token is good for the same documents in the same order.
  private static func binding(
    _ request: Tenancy_V1.ListDocumentsRequest,
    _ call: CallContext
  ) -> TokenSealer.PageBinding {
    TokenSealer.PageBinding(
      caller: call.caller.description,
      filter: [
        call.method.fullName, request.collection, request.sortBy, request.sortField,
        "\(request.descending)",
      ]
        + request.filters.flatMap { filter in
          [filter.field, "\(filter.values.count)"] + filter.values
            + [filter.prefix, filter.atLeast, filter.atMost]
        }
    )
  }

  func watch(
    _ request: Tenancy_V1.WatchDocumentsRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Tenancy_V1.DocumentEvent>
  ) async throws {
    let documents = try reader(call)
    var start = DocumentWatch.Position(phase: .reset, revision: 0)
    if !request.afterRevision.isEmpty {
      start.phase = .changes(isCurrent: false)
      start.revision = try core.tokens.revision(token: request.afterRevision)
    }
    let watchers = core.watchers(of: "\(UserDocuments.changeKind)")
    let watcher = watchers.begin(call, scope: documents.scope(of: request.collection))
    defer { watchers.end(watcher) }
    let watch = DocumentWatch(
      core: core,
      user: try call.requireUser(),
      documents: documents,
      collection: request.collection,
      watcher: watcher
    )
    try await watch.tell(
      after: start,
      heartbeatInterval: Self.heartbeatInterval,
      on: call,
      to: writer
    )
  }

  func getUsage(
    _ request: Tenancy_V1.GetDocumentUsageRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.DocumentUsage {
    let documents = try reader(call)
    let sizes = try await core.store.read { tx in try documents.sizes(tx) }
    return Tenancy_V1.DocumentUsage(
      collections: sizes.map {
        .init(
          collection: $0.collection,
          documentCount: UInt64(clamping: $0.documentCount),
          byteCount: UInt64(clamping: $0.byteCount)
        )
      },
      documentCount: sizes.reduce(0) { $0 + UInt64(clamping: $1.documentCount) },
      byteCount: sizes.reduce(0) { $0 + UInt64(clamping: $1.byteCount) },
      documentCountMax: UInt64(DocumentLimits.documentCountMax),
      byteCountMax: UInt64(DocumentLimits.byteCountMax)
    )
  }

  func deleteAll(
    _ request: Tenancy_V1.DeleteAllDocumentsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.DeleteAllDocumentsResponse {
    let (user, documents, core) = (try call.requireUser(), try UserDocuments(call), core)
    return try await core.write(call, request) { _, tx in
      try core.requireNotSuspended(user, tx)
      let limit = DocumentLimits.batchCountMax
      var count = 0
      for (collection, id) in try documents.names(limit: limit, tx) {
        guard let head = try documents.head(of: id, in: collection, tx) else { continue }
        try documents.delete(id, in: collection, head, tx)
        count += 1
      }
      // Documents first: a migration that runs in the meantime makes more of them out of legacy ones.
      if count < limit { count += try documents.deleteLegacy(limit: limit - count, tx) }
      return .init(deletedCount: UInt64(count), hasMore: count == limit)
    }
  }

  /// The subject of `watch`.
  static func watched(_ metrics: MetricRegistry) -> ScopeWatchers.Subject {
    let refusals = DocumentMeter(metrics).refusals
    return .init(
      kind: "\(UserDocuments.changeKind)",
      missedCountMax: DocumentLimits.missedCountMax,
      tooSlow: DocumentError.watchTooSlow,
      count: { refusals.increment(.watch) }
    )
  }

  /// The documents of a caller who may look at them.
  private func reader(_ call: CallContext) throws(RPCError) -> UserDocuments {
    try core.requireNotSuspended(try call.requireUser())
    return try UserDocuments(call)
  }
}
