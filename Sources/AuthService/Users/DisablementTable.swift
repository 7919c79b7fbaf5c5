internal import ServiceKit

/// Disabled accounts in the store.
///
/// A table of its own, so that the lookups of every sign-in stay as small as they are, and the few disabled
/// accounts can be listed without a look at all the others.
enum DisablementTable {
  static func find(
    _ userID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> Disablement? {
    try tx.first(
      "SELECT reason, actor, since FROM disabled_user WHERE user_id = ?",
      .text(userID)
    ) { row in
      Disablement(
        userID: userID,
        reason: row.text(0),
        actor: row.text(1),
        since: row.integer(2)
      )
    }
  }

  static func insert(_ disablement: Disablement, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "INSERT INTO disabled_user (user_id, reason, actor, since) VALUES (?, ?, ?, ?)",
      .text(disablement.userID),
      .text(disablement.reason),
      .text(disablement.actor),
      .integer(disablement.since)
    )
  }

  static func delete(_ userID: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM disabled_user WHERE user_id = ?", .text(userID))
  }
}
