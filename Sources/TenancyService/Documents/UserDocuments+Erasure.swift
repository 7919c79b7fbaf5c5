internal import ServiceKit

/// Documents of a user whose account is deleted.
extension UserDocuments {
  /// The name of a user's documents in records after the user was erased.
  static let erasedName = "document"

  /// Deletes some of a user's documents, those of the older app included, and what is kept beside them, and
  /// then their names; how many rows that changed: call again until it is 0.
  ///
  /// The one statement about documents whose user does not come from a call: only `ErasureHandler` makes it,
  /// which only AuthService may call. Nobody is notified of these changes, because nobody else could watch.
  static func erase(
    _ userID: String,
    limit: Int,
    _ tx: borrowing WriteTransaction
  ) throws -> Int {
    var count = 0
    let tables = [("document", "user_id, collection, id"), ("legacy_document", "collection, id")]
    for (table, key) in tables {
      count += try tx.rowsChanged(
        by: """
          DELETE FROM \(table) WHERE (\(key)) IN (
            SELECT \(key) FROM \(table) WHERE user_id = ? LIMIT ?)
          """,
        .text(userID),
        .integer(limit)
      )
    }
    guard count == 0 else { return count }
    count = try eraseNames(of: userID, limit: limit, tx)
    guard count == 0 else { return count }
    try tx.execute("DELETE FROM document_usage WHERE user_id = ?", .text(userID))
    try tx.execute("DELETE FROM legacy_migration WHERE user_id = ?", .text(userID))
    return 0
  }

  /// Takes the names of documents and collections out of some records about them; how many.
  ///
  /// A user chooses them as freely as what is in a document. What is left says that there was a document, and
  /// by the digests which records are of one.
  private static func eraseNames(
    of userID: String,
    limit: Int,
    _ tx: borrowing WriteTransaction
  ) throws -> Int {
    let recordCount = try tx.rowsChanged(
      by: """
        UPDATE audit_log SET object = ?1 WHERE sequence IN (
          SELECT sequence FROM audit_log
          WHERE scope = ?2 AND action IN ('document.put', 'document.delete') AND object <> ?1
          LIMIT ?3)
        """,
      values: [.text(erasedName), .text(userID), .integer(limit)]
    )
    // The scopes that begin with the user and a slash: the next letter after that is a zero.
    let changeCount = try tx.rowsChanged(
      by: """
        UPDATE change_log SET subject = ?1, scope = ?2 WHERE revision IN (
          SELECT revision FROM change_log
          WHERE kind = 'document' AND scope >= ?2 || '/' AND scope < ?2 || '0' LIMIT ?3)
        """,
      values: [.text(erasedName), .text(userID), .integer(limit)]
    )
    return recordCount + changeCount
  }
}
