internal import ServiceKit

/// A document of the older app, checked as far as it can be without the store.
struct LegacyDraft: Sendable {
  let id: String
  let userID: String
  /// The content as it is stored.
  let json: String
}

/// The global collections of the older app, which operators fill and nobody changes once they are sealed.
///
/// The store itself refuses changes then: see the triggers in `TenancySchema`.
enum LegacyTable {
  /// When the collections were sealed, in milliseconds since 1970; nil before.
  static func sealedAt(in tx: borrowing some Queryable) throws -> Int64? {
    try tx.first("SELECT sealed_at FROM legacy_seal") { $0.integer(0) }
  }

  /// Makes the collections read-only, if they are not.
  static func seal(in tx: borrowing WriteTransaction) throws {
    guard try sealedAt(in: tx) == nil else { return }
    try tx.execute("INSERT INTO legacy_seal (sealed_at) VALUES (?)", .integer(tx.now))
    try tx.audit("legacy.seal", object: "legacy_document")
  }

  /// Adds documents to a collection; how many are new.
  ///
  /// One that is there with the same owner and content is left alone, so an import can be repeated.
  /// LEGACY_READ_ONLY once the collections are sealed, LEGACY_CONFLICT for another owner or content.
  static func add(
    _ drafts: [LegacyDraft],
    to collection: LegacyCollectionName,
    in tx: borrowing WriteTransaction
  ) throws -> Int {
    guard try sealedAt(in: tx) == nil else { throw DocumentError.legacyReadOnly }
    var count = 0
    for (index, draft) in drafts.enumerated() {
      let digest = Digests.sha256(draft.json)
      let before = try tx.first(
        "SELECT user_id, digest FROM legacy_document WHERE collection = ? AND id = ?",
        .text(collection.rawValue),
        .text(draft.id)
      ) { (userID: $0.text(0), digest: $0.blob(1)) }
      if let before {
        guard before.userID == draft.userID, before.digest == digest else {
          throw DocumentError.legacyConflict(field: "documents[\(index)]", draft.id)
        }
        continue
      }
      try tx.execute(
        """
        INSERT INTO legacy_document (collection, id, user_id, digest, byte_count, json)
        VALUES (?, ?, ?, ?, ?, ?)
        """,
        values: [
          .text(collection.rawValue), .text(draft.id), .text(draft.userID), .blob(digest),
          .integer(draft.json.utf8.count), .text(draft.json),
        ]
      )
      count += 1
    }
    if count > 0 {
      try tx.audit("legacy.import", object: collection.rawValue, detail: "\(count) documents")
    }
    return count
  }
}
