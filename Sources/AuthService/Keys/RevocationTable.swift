internal import ServiceKit

/// A revocation as it was stored.
struct StoredRevocation: Hashable, Sendable {
  /// Its place in the order of all of them.
  var revision: Int64
  /// The session; nil for all of a user's tokens.
  var sessionID: String?
  /// The user.
  var userID: String
  /// For all of a user's tokens: those issued before this, in milliseconds since 1970.
  var notBefore: Int64?
  /// From then on it can be forgotten, in milliseconds since 1970.
  var forgetAt: Int64
}

/// Revocations that still matter, in the store.
enum RevocationTable {
  /// Stores the revocation of a session; `forgetAt` is when the last of its tokens has expired.
  static func insert(
    session id: String,
    of userID: String,
    forgetAt: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    let revision = try tx.appendChange(kind: "session.revoked", subject: id, scope: userID)
    try tx.execute(
      "INSERT INTO revocation (revision, session_id, user_id, forget_at) VALUES (?, ?, ?, ?)",
      .integer(revision),
      .text(id),
      .text(userID),
      .integer(forgetAt)
    )
  }

  /// Those after a revision, oldest first.
  ///
  /// All that are stored: a clock that runs ahead must not hide one from a service that starts just
  /// then.
  static func list(
    after revision: Int64,
    limit: Int,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [StoredRevocation] {
    try tx.query(
      """
      SELECT revision, session_id, user_id, not_before, forget_at FROM revocation
      WHERE revision > ? ORDER BY revision LIMIT ?
      """,
      .integer(revision),
      .integer(limit)
    ) { row in
      StoredRevocation(
        revision: row.integer(0),
        sessionID: row.optionalText(1),
        userID: row.text(2),
        notBefore: row.optionalInteger(3),
        forgetAt: row.integer(4)
      )
    }
  }

  /// Forgets those that no token can concern.
  static func prune(now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM revocation WHERE forget_at <= ?", .integer(now))
  }
}
