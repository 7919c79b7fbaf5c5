internal import ServiceKit

/// Recovery codes in the store, by their digests.
enum RecoveryCodeTable {
  /// Writes a user's codes in the place of those before.
  static func replace(
    of userID: String,
    by digests: [[UInt8]],
    in tx: borrowing WriteTransaction
  ) throws {
    try delete(of: userID, in: tx)
    for digest in digests {
      try tx.execute(
        "INSERT INTO recovery_code (user_id, digest) VALUES (?, ?)",
        .text(userID),
        .blob(digest)
      )
    }
  }

  static func count(of userID: String, in tx: borrowing some Queryable) throws -> Int {
    let count = try tx.first(
      "SELECT count(*) FROM recovery_code WHERE user_id = ?",
      .text(userID)
    ) { $0.integer(0) }
    return Int(clamping: count ?? 0)
  }

  static func contains(
    _ digest: [UInt8],
    of userID: String,
    in tx: borrowing some Queryable
  ) throws -> Bool {
    try tx.exists(
      "SELECT 1 FROM recovery_code WHERE user_id = ? AND digest = ?",
      .text(userID),
      .blob(digest)
    )
  }

  /// Uses a code up; says whether it was there.
  static func use(
    _ digest: [UInt8],
    of userID: String,
    in tx: borrowing WriteTransaction
  ) throws -> Bool {
    try tx.rowsChanged(
      by: "DELETE FROM recovery_code WHERE user_id = ? AND digest = ?",
      .text(userID),
      .blob(digest)
    ) > 0
  }

  static func delete(of userID: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM recovery_code WHERE user_id = ?", .text(userID))
  }
}
