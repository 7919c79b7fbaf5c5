internal import ServiceKit

/// Challenges in the store that nobody has answered yet.
enum CeremonyTable {
  /// How many a holder has.
  struct Holding: Hashable, Sendable {
    let isOfSession: Bool
    let holder: [UInt8]
    let count: Int
  }

  static let columns = RecordColumns<PasskeyCeremony>(
    "passkey_ceremony",
    beside: ["expires_at"],
    .text("id", \.id),
    .text("kind", \.kind.rawValue),
    .blob("challenge", \.challenge),
    .text("user_id", \.userID),
    .text("session_id", \.sessionID),
    .integer("created_at", \.created),
    .blob("holder", \.holder)
  ) { row in
    PasskeyCeremony(
      id: row.text(),
      kind: try row.text(as: PasskeyCeremony.Kind.self),
      challenge: row.blob(),
      userID: row.text(),
      sessionID: row.text(),
      created: row.integer(),
      holder: row.blob()
    )
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
          (SELECT number FROM passkey_ceremony
            WHERE CASE WHEN session_id <> '' THEN 1 ELSE 0 END = ? ORDER BY number LIMIT 1)
        """,
        .integer(ceremony.isOfSession ? 1 : 0)
      )
    }
    try tx.insert(ceremony, columns, beside: .integer(ceremony.expires))
  }

  /// The number of places of each holder.
  static func holdings(in tx: borrowing some Queryable) throws -> [Holding] {
    try tx.query(
      "SELECT session_id <> '', holder, count(*) FROM passkey_ceremony GROUP BY holder, session_id <> ''"
    ) { Holding(isOfSession: $0.integer(0) != 0, holder: $0.blob(1), count: Int($0.integer(2))) }
  }

  static func exists(_ id: String, in tx: borrowing some Queryable) throws -> Bool {
    try tx.exists("SELECT 1 FROM passkey_ceremony WHERE id = ?", .text(id))
  }

  /// Takes a ceremony out of the store: anyone who comes second finds none.
  static func burn(_ id: String, in tx: borrowing WriteTransaction) throws -> PasskeyCeremony? {
    try tx.first(
      "DELETE FROM passkey_ceremony WHERE id = ? RETURNING \(columns.list)",
      .text(id)
    ) { try columns.record($0) }
  }

  /// Deletes those that nobody answered in time.
  static func prune(now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM passkey_ceremony WHERE expires_at < ?", .integer(now))
  }
}
