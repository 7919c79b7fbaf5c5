internal import RPCKit
internal import ServiceKit

/// The points of one holder as they are in the middle of a transaction.
///
/// Read by one question before anything is written, and then moved in memory. Writes of all programs are in one order
/// (docs/decisions/0226), so nobody changes them in between; and the store has no account below zero but the one that
/// points come from. To ask each statement for what it has changed would cost SQLite a table in memory each
/// (`RETURNING`), and a server a round trip.
struct PointsHoldings {
  /// The number of the last entry.
  let entryCount: Int64
  private var points: [Place: Int64] = [:]

  private struct Place: Hashable {
    let app: String
    let account: String
  }

  /// Reads the accounts that postings move, and others of the holder if those are of several apps.
  init(
    of holder: String,
    for postings: [PointsPosting],
    in tx: borrowing WriteTransaction
  ) throws {
    var sql = """
      SELECT '', '', entry_count FROM points_holder WHERE holder = ?
      UNION ALL SELECT app, name, points FROM points_account WHERE holder = ?
      """
    var values = [SQLValue.text(holder), .text(holder)]
    if let app = postings.first?.app, postings.allSatisfy({ $0.app == app }) {
      sql += " AND app = ?"
      values.append(.text(app))
    }
    let rows = try tx.query(sql, values: values) { row in
      (place: Place(app: row.text(0), account: row.text(1)), points: row.integer(2))
    }
    var entryCount: Int64 = 0
    for (place, points) in rows {
      if place.account.isEmpty { entryCount = points } else { self.points[place] = points }
    }
    self.entryCount = entryCount
  }

  /// Moves points between the two accounts of a posting; the balance of its app after that.
  ///
  /// Throws `PointsError.insufficient` when an account has fewer points.
  mutating func move(_ posting: PointsPosting) throws(RPCError) -> Int64 {
    let (debit, credit) = posting.kind.accounts
    let before = self[debit, posting.app]
    guard debit == .issued || before >= posting.points else {
      throw PointsError.insufficient(
        app: posting.app,
        balance: self[.balance, posting.app]
      )
    }
    self[debit, posting.app] = before - posting.points
    self[credit, posting.app] += posting.points
    return self[.balance, posting.app]
  }

  private subscript(_ account: PointsAccount, _ app: String) -> Int64 {
    get { points[Place(app: app, account: account.rawValue)] ?? 0 }
    set { points[Place(app: app, account: account.rawValue)] = newValue }
  }
}
