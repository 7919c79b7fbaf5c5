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

extension Revocation {
  /// A stored one, as it counts from `now` on at the latest.
  init(_ stored: StoredRevocation, now: Int64) {
    let subject: Subject =
      if let session = stored.sessionID { .session(session) } else {
        .user(stored.userID, notBefore: stored.notBefore ?? now)
      }
    self.init(subject, expires: stored.forgetAt)
  }
}

/// Revocations that still matter, in the store.
enum RevocationTable {
  static let columns = RecordColumns<StoredRevocation>(
    "revocation",
    .integer("revision", \.revision),
    .optionalText("session_id", \.sessionID),
    .text("user_id", \.userID),
    .optionalInteger("not_before", \.notBefore),
    .integer("forget_at", \.forgetAt)
  ) { row in
    StoredRevocation(
      revision: row.integer(),
      sessionID: row.optionalText(),
      userID: row.text(),
      notBefore: row.optionalInteger(),
      forgetAt: row.integer()
    )
  }

  /// Stores the revocation of a session; `forgetAt` is when the last of its tokens has expired.
  static func insert(
    session id: String,
    of userID: String,
    forgetAt: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    let revision = try tx.appendChange(
      kind: RevocationNews.changeKind,
      subject: id,
      scope: userID,
      payload: Array("\(forgetAt)".utf8)
    )
    let revoked = StoredRevocation(
      revision: revision,
      sessionID: id,
      userID: userID,
      forgetAt: forgetAt
    )
    try tx.insert(revoked, columns)
  }

  /// Those after a revision, oldest first.
  ///
  /// All that are stored: a clock that runs ahead must not hide one from a service that starts just
  /// then.
  static func list(
    after revision: Int64,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [StoredRevocation] {
    try tx.query(
      columns,
      "WHERE revision > ? ORDER BY revision LIMIT ?",
      .integer(revision),
      .integer(limit)
    )
  }

  /// Forgets those that no token can concern.
  static func prune(now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM revocation WHERE forget_at <= ?", .integer(now))
  }
}
