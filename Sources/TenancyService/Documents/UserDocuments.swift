internal import RPCKit
internal import ServiceKit

/// The documents of one user, who is the caller.
///
/// Every statement about documents is in this type and its extensions, and all of them name the user. The
/// user is known to nothing else and comes from the caller's proof alone, so what would read or write
/// anybody else's documents cannot be said.
struct UserDocuments: Sendable {
  /// The owner, for statements in extensions of this type only; a test looks at that.
  let userID: String

  /// Those of a call's user; UNAUTHENTICATED when there is none.
  init(_ call: CallContext) throws(RPCError) { userID = try call.requireUser().userID }

  /// The kind of changes of documents in the change log; `document_change` is its index.
  static let changeKind: StaticString = "document"

  /// A collection of the user in the change log: no other has this name, because neither part may have a
  /// slash.
  func scope(of collection: String) -> String { "\(userID)/\(collection)" }

  // MARK: One document

  // Of the tables, nothing outside this file makes a statement with these.
  private static let records = RecordColumns<DocumentRecord>(
    "document",
    beside: ["user_id", "digest", "byte_count"],
    .text("collection", \.collection),
    .text("id", \.id),
    .text("json", \.json),
    .integer("revision", \.revision),
    .integer("created_at", \.createdAt),
    .integer("updated_at", \.updatedAt)
  ) { row in
    DocumentRecord(
      collection: row.text(),
      id: row.text(),
      json: row.text(),
      revision: row.integer(),
      createdAt: row.integer(),
      updatedAt: row.integer()
    )
  }

  private static let heads = RecordColumns<DocumentHead>(
    "document",
    .blob("digest", \.digest),
    .integer("byte_count", \.byteCount),
    .integer("revision", \.revision),
    .integer("created_at", \.createdAt)
  ) { row in
    DocumentHead(
      digest: row.blob(),
      byteCount: row.integer(),
      revision: row.integer(),
      createdAt: row.integer()
    )
  }

  func document(
    _ id: String,
    in collection: String,
    _ tx: borrowing some Queryable
  ) throws -> DocumentRecord? {
    try one(Self.records, id, in: collection, tx)
  }

  /// The head of a document without its content, or nil.
  func head(
    of id: String,
    in collection: String,
    _ tx: borrowing some Queryable
  ) throws -> DocumentHead? {
    try one(Self.heads, id, in: collection, tx)
  }

  private func one<Record>(
    _ columns: RecordColumns<Record>,
    _ id: String,
    in collection: String,
    _ tx: borrowing some Queryable
  ) throws -> Record? {
    let condition = "WHERE user_id = ? AND collection = ? AND id = ?"
    return try tx.first(columns, condition, .text(userID), .text(collection), .text(id))
  }

  // MARK: Changes

  /// Stores a document in the place of the one that is there; the record as it is now.
  func put(
    _ json: String,
    as id: String,
    in collection: String,
    insteadOf before: DocumentHead?,
    _ tx: borrowing WriteTransaction
  ) throws -> DocumentRecord {
    let record = DocumentRecord(
      collection: collection,
      id: id,
      json: json,
      revision: try log(id, in: collection, isDeletion: false, tx),
      createdAt: before?.createdAt ?? tx.now,
      updatedAt: tx.now
    )
    let digest = Digests.sha256(json)
    try tx.insert(
      record,
      Self.records,
      beside: .text(userID),
      .blob(digest),
      .integer(record.byteCount),
      clause: """
        ON CONFLICT (user_id, collection, id) DO UPDATE SET revision = excluded.revision,
          updated_at = excluded.updated_at, digest = excluded.digest,
          byte_count = excluded.byte_count, json = excluded.json
        """
    )
    try count(
      collection,
      documents: before == nil ? 1 : 0,
      bytes: record.byteCount - (before?.byteCount ?? 0),
      tx
    )
    try tx.audit(
      "document.put",
      object: "\(collection)/\(id)",
      scope: userID,
      before: before?.digest,
      after: digest
    )
    return record
  }

  /// Deletes a document that is there; the revision after it.
  @discardableResult
  func delete(
    _ id: String,
    in collection: String,
    _ before: DocumentHead,
    _ tx: borrowing WriteTransaction
  ) throws -> Int64 {
    let revision = try log(id, in: collection, isDeletion: true, tx)
    try tx.execute(
      "DELETE FROM document WHERE user_id = ? AND collection = ? AND id = ?",
      values: [.text(userID), .text(collection), .text(id)]
    )
    try count(collection, documents: -1, bytes: -before.byteCount, tx)
    try tx.audit(
      "document.delete",
      object: "\(collection)/\(id)",
      scope: userID,
      before: before.digest
    )
    return revision
  }

  private func log(
    _ id: String,
    in collection: String,
    isDeletion: Bool,
    _ tx: borrowing WriteTransaction
  ) throws -> Int64 {
    // Not the content: the newest thousands of changes are kept in memory.
    try tx.appendChange(
      kind: "\(Self.changeKind)",
      subject: id,
      scope: scope(of: collection),
      payload: [isDeletion ? 1 : 0]
    )
  }

  // MARK: Sizes

  private static let sizes = RecordColumns<CollectionSize>(
    "document_usage",
    beside: ["user_id"],
    .text("collection", \.collection),
    .integer("document_count", \.documentCount),
    .integer("byte_count", \.byteCount)
  ) { row in
    CollectionSize(collection: row.text(), documentCount: row.integer(), byteCount: row.integer())
  }

  /// The sizes of all collections that have documents, by name.
  func sizes(_ tx: borrowing some Queryable) throws -> [CollectionSize] {
    try tx.query(
      Self.sizes,
      "WHERE user_id = ? AND document_count > 0 ORDER BY collection",
      .text(userID)
    )
  }

  /// The same by the name of the collection.
  func sizesByCollection(_ tx: borrowing some Queryable) throws -> [String: CollectionSize] {
    Dictionary(uniqueKeysWithValues: try sizes(tx).map { ($0.collection, $0) })
  }

  func size(of collection: String, _ tx: borrowing some Queryable) throws -> CollectionSize {
    try tx.first(
      Self.sizes,
      "WHERE user_id = ? AND collection = ?",
      .text(userID),
      .text(collection)
    ) ?? CollectionSize(collection: collection, documentCount: 0, byteCount: 0)
  }

  private func count(
    _ collection: String,
    documents: Int64,
    bytes: Int64,
    _ tx: borrowing WriteTransaction
  ) throws {
    guard documents <= 0 else {
      let size = CollectionSize(collection: collection, documentCount: documents, byteCount: bytes)
      return try tx.insert(
        size,
        Self.sizes,
        beside: .text(userID),
        clause: """
          ON CONFLICT (user_id, collection) DO UPDATE SET
            document_count = document_usage.document_count + excluded.document_count,
            byte_count = document_usage.byte_count + excluded.byte_count
          """
      )
    }
    // The document is there, so the row is. No upsert: SQLite checks the constraints of the row to be inserted even if
    // one is there, and a change that shrinks a collection is below zero by itself.
    try tx.execute(
      """
      UPDATE document_usage SET document_count = document_count + ?, byte_count = byte_count + ?
      WHERE user_id = ? AND collection = ?
      """,
      values: [.integer(documents), .integer(bytes), .text(userID), .text(collection)]
    )
    guard documents < 0 else { return }
    try tx.execute(
      "DELETE FROM document_usage WHERE user_id = ? AND collection = ? AND document_count = 0",
      .text(userID),
      .text(collection)
    )
  }
}
