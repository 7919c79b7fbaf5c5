internal import ServiceKit

/// Challenges in the store that nobody has answered yet.
enum CeremonyTable {
  /// How many a holder has.
  struct Holding: Hashable, Sendable {
    let isOfSession: Bool
    let holder: [UInt8]
    let count: Int
  }

  static func insert(
    _ ceremony: PasskeyCeremony,
    _ room: CeremonyPlaces.Room,
    in tx: borrowing WriteTransaction
  ) throws {
    switch room {
    case .free: break
    case .oldest(let holder):
      try tx.execute(
        """
        DELETE FROM passkey_ceremony WHERE number =
          (SELECT min(number) FROM passkey_ceremony WHERE holder = ?)
        """,
        .blob(holder)
      )
    case .oldestOfAll:
      try tx.execute(
        """
        DELETE FROM passkey_ceremony WHERE number =
          (SELECT number FROM passkey_ceremony WHERE (session_id <> '') = ? ORDER BY number LIMIT 1)
        """,
        .integer(ceremony.isOfSession ? 1 : 0)
      )
    }
    try tx.execute(
      """
      INSERT INTO passkey_ceremony
        (id, kind, challenge, user_id, session_id, created_at, expires_at, holder)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .text(ceremony.id),
      .text(ceremony.kind.rawValue),
      .blob(ceremony.challenge),
      .text(ceremony.userID),
      .text(ceremony.sessionID),
      .integer(ceremony.created),
      .integer(ceremony.expires),
      .blob(ceremony.holder)
    )
  }

  /// The number of places of each holder.
  static func holdings(in tx: borrowing some StoreTransaction & ~Copyable) throws -> [Holding] {
    try tx.query(
      "SELECT session_id <> '', holder, count(*) FROM passkey_ceremony GROUP BY holder, session_id <> ''"
    ) { Holding(isOfSession: $0.integer(0) != 0, holder: $0.blob(1), count: Int($0.integer(2))) }
  }

  static func exists(
    _ id: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> Bool {
    try tx.exists("SELECT 1 FROM passkey_ceremony WHERE id = ?", .text(id))
  }

  /// Takes a ceremony out of the store: anyone who comes second finds none.
  static func burn(_ id: String, in tx: borrowing WriteTransaction) throws -> PasskeyCeremony? {
    try tx.first(
      """
      DELETE FROM passkey_ceremony WHERE id = ?
      RETURNING kind, challenge, user_id, session_id, created_at, holder
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
        created: row.integer(4),
        holder: row.blob(5)
      )
    } ?? nil
  }

  /// Deletes those that nobody answered in time.
  static func prune(now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM passkey_ceremony WHERE expires_at < ?", .integer(now))
  }
}
