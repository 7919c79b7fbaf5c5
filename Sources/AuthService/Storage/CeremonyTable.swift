internal import ServiceKit

/// Challenges in the store that nobody has answered yet.
enum CeremonyTable {
  /// How many wait at most: anybody may begin to sign in, and the oldest make room.
  static let countMax: Int64 = 100_000

  static func insert(_ ceremony: PasskeyCeremony, in tx: borrowing WriteTransaction) throws {
    let number = try tx.first(
      """
      INSERT INTO passkey_ceremony (id, kind, challenge, user_id, session_id, created_at, expires_at)
      VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING number
      """,
      .text(ceremony.id),
      .text(ceremony.kind.rawValue),
      .blob(ceremony.challenge),
      .text(ceremony.userID),
      .text(ceremony.sessionID),
      .integer(ceremony.created),
      .integer(ceremony.expires)
    ) { $0.integer(0) }
    guard let number else { return }
    // Numbers rise by one, so that nobody has to count the rows.
    try tx.execute("DELETE FROM passkey_ceremony WHERE number <= ?", .integer(number - countMax))
  }

  static func exists(
    _ id: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> Bool {
    try tx.exists("SELECT 1 FROM passkey_ceremony WHERE id = ?", .text(id))
  }

  /// Takes a ceremony out of the store: whoever comes second finds none.
  static func burn(_ id: String, in tx: borrowing WriteTransaction) throws -> PasskeyCeremony? {
    try tx.first(
      """
      DELETE FROM passkey_ceremony WHERE id = ?
      RETURNING kind, challenge, user_id, session_id, created_at
      """,
      .text(id)
    ) { row -> PasskeyCeremony? in
      guard let kind = PasskeyCeremony.Kind(rawValue: row.text(0)) else { return nil }
      return PasskeyCeremony(
        id: id,
        kind: kind,
        challenge: row.blob(1),
        userID: row.text(2),
        sessionID: row.text(3),
        created: row.integer(4)
      )
    } ?? nil
  }

  /// Deletes those that nobody answered in time.
  static func prune(now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM passkey_ceremony WHERE expires_at < ?", .integer(now))
  }
}
