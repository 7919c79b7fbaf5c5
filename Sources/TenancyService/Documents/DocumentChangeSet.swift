internal import RPCKit
internal import ServiceKit

/// The outcome of one change of a document.
struct DocumentWritten {
  let collection: String
  let id: String
  /// Whether the document was there before.
  let existed: Bool
  let revision: Int64
  /// Milliseconds since 1970.
  let updatedAt: Int64
  /// The values that the transforms of a put have set, in their order.
  var transformResults: [JSONValue] = []
}

/// The changes of one call to its caller's documents; used inside a write transaction.
struct DocumentChangeSet {
  let meter: DocumentMeter
  let documents: UserDocuments

  /// Bytes of existing documents that were read to be merged into.
  private var mergedByteCount: Int64 = 0
  /// The size of each collection by now, once anything has become more.
  private var sizes: [String: CollectionSize]?

  init(_ meter: DocumentMeter, _ documents: UserDocuments) {
    (self.meter, self.documents) = (meter, documents)
  }

  /// Makes changes in their order; what became of each.
  ///
  /// Quotas bound what a user has in the end, so a batch may delete what makes room for the rest of it, in
  /// any order. Who has more than that, from a migration, may still change and delete.
  mutating func apply(
    _ drafts: [DocumentDraft],
    _ tx: borrowing WriteTransaction
  ) throws -> [DocumentWritten] {
    var results: [DocumentWritten] = []
    for draft in drafts {
      switch draft {
      case .put(let put): results.append(try apply(put, tx))
      case .delete(let deletion): results.append(try apply(deletion, tx))
      }
    }
    if let sizes { try requireQuota(of: sizes.values, tx) }
    return results
  }

  private mutating func apply(
    _ draft: DocumentPutDraft,
    _ tx: borrowing WriteTransaction
  ) throws -> DocumentWritten {
    let name = "\(draft.collection)/\(draft.id)"
    try Self.requireWritable(draft.collection, draft.id)
    let before = try documents.head(of: draft.id, in: draft.collection, tx)
    guard before == nil || !draft.createsOnly else { throw DocumentError.exists(name) }
    try Self.require(draft.expectedRevision, of: before, name)
    let (content, results) = try content(of: draft, before, tx)
    let json = content.text
    guard json.utf8.count <= DocumentLimits.contentByteCountMax else {
      count(.content, tx)
      throw DocumentError.tooLarge(name)
    }
    let growth =
      DocumentRecord.byteCount(json, as: draft.id, in: draft.collection)
      - (before?.byteCount ?? 0)
    // Read before anything is written, and counted on from then on.
    if growth > 0, sizes == nil { sizes = try documents.sizesByCollection(tx) }
    count(draft.collection, documents: before == nil ? 1 : 0, bytes: growth)
    let record = try documents.put(
      json,
      as: draft.id,
      in: draft.collection,
      insteadOf: before,
      tx
    )
    return DocumentWritten(
      collection: draft.collection,
      id: draft.id,
      existed: before != nil,
      revision: record.revision,
      updatedAt: record.updatedAt,
      transformResults: results
    )
  }

  /// The new content of a document, and what its transforms have set.
  private mutating func content(
    of draft: DocumentPutDraft,
    _ before: DocumentHead?,
    _ tx: borrowing WriteTransaction
  ) throws -> (content: DocumentContent, results: [JSONValue]) {
    var content = draft.content
    if draft.merges, let before {
      mergedByteCount += before.byteCount
      guard mergedByteCount <= DocumentLimits.mergedByteCountMax else {
        count(.merge, tx)
        throw DocumentError.mergeTooLarge
      }
      let old = try documents.document(draft.id, in: draft.collection, tx)
      content = try old.map { try DocumentContent(stored: $0.json) } ?? DocumentContent()
      content.merge(draft.content)
    } else if draft.merges {
      // Into nothing, which leaves out what is null.
      content = DocumentContent()
      content.merge(draft.content)
    }
    var results: [JSONValue] = []
    for (index, transform) in draft.transforms.enumerated() {
      let field = "\(draft.field)transforms[\(index)]"
      results.append(try content.apply(transform, now: tx.now, field: field))
    }
    return (content, results)
  }

  private mutating func apply(
    _ draft: DocumentDeletionDraft,
    _ tx: borrowing WriteTransaction
  ) throws -> DocumentWritten {
    try Self.requireWritable(draft.collection, draft.id)
    let before = try documents.head(of: draft.id, in: draft.collection, tx)
    try Self.require(draft.expectedRevision, of: before, "\(draft.collection)/\(draft.id)")
    var revision = tx.revision
    if let before {
      count(draft.collection, documents: -1, bytes: -before.byteCount)
      revision = try documents.delete(draft.id, in: draft.collection, before, tx)
    }
    return DocumentWritten(
      collection: draft.collection,
      id: draft.id,
      existed: before != nil,
      revision: revision,
      updatedAt: tx.now
    )
  }

  private static func require(
    _ expected: Int64?,
    of before: DocumentHead?,
    _ name: String
  ) throws(RPCError) {
    guard let expected, expected != before?.revision else { return }
    throw DocumentError.changed(name)
  }

  /// Throws for what the service keeps itself.
  private static func requireWritable(_ collection: String, _ id: String) throws(RPCError) {
    let name = "\(collection)/\(id)"
    guard name != LegacyMigration.documentName else { throw DocumentError.readOnly(name) }
  }

  /// Counts a change of a collection, if anybody wants to know.
  private mutating func count(_ collection: String, documents: Int64, bytes: Int64) {
    guard sizes != nil else { return }
    let none = CollectionSize(collection: collection, documentCount: 0, byteCount: 0)
    sizes?[collection, default: none].documentCount += documents
    sizes?[collection, default: none].byteCount += bytes
  }

  /// Counts a refusal.
  private func count(_ limit: DocumentLimit, _ tx: borrowing WriteTransaction) {
    if !tx.isRehearsal { meter.refusals.increment(limit) }
  }

  private func requireQuota(
    of sizes: some Collection<CollectionSize>,
    _ tx: borrowing WriteTransaction
  ) throws {
    let filled = sizes.filter { $0.documentCount > 0 }
    let amounts: [(DocumentLimit, Int64, Int64)] = [
      (.collections, Int64(filled.count), Int64(DocumentLimits.collectionCountMax)),
      (.documents, sizes.reduce(0) { $0 + $1.documentCount }, DocumentLimits.documentCountMax),
      (.bytes, sizes.reduce(0) { $0 + $1.byteCount }, DocumentLimits.byteCountMax),
    ]
    for (limit, amount, max) in amounts where amount > max {
      count(limit, tx)
      throw DocumentError.quotaExceeded(limit, max: max)
    }
  }
}
