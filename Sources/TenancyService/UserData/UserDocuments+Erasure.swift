internal import ServiceKit

/// Documents of somebody whose account is deleted.
extension UserDocuments {
  /// Deletes some of a user's documents, those of the older app included, and what is kept beside them; how
  /// many went: call again until it is 0.
  ///
  /// The one statement about documents whose user does not come from a call: only `ErasureHandler` makes it,
  /// which only AuthService may call. Nobody is told of these changes, because nobody else could watch.
  static func erase(
    _ userID: String,
    limit: Int,
    _ tx: borrowing WriteTransaction
  ) throws -> Int {
    var count = 0
    for table in ["document", "legacy_document"] {
      count += try tx.execute(
        """
        DELETE FROM \(table) WHERE rowid IN (
          SELECT rowid FROM \(table) WHERE user_id = ? LIMIT ?)
        """,
        .text(userID),
        .integer(limit)
      )
    }
    guard count == 0 else { return count }
    try tx.execute("DELETE FROM document_usage WHERE user_id = ?", .text(userID))
    try tx.execute("DELETE FROM legacy_migration WHERE user_id = ?", .text(userID))
    return 0
  }
}
