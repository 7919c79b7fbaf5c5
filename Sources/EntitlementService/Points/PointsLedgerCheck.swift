internal import ServiceKit

/// Compares the sums of the points ledger with its entries, all of them.
enum PointsLedgerCheck {
  /// The check as the start and `verify` run it; a few seconds for each million entries.
  static let check = StoreCheck("points ledger") { tx in try findings(tx) }

  /// Findings of each kind that are listed.
  private static let findingCountMax = 20

  private static func findings(_ tx: borrowing ReadTransaction) throws -> [String] {
    try sums(tx) + negatives(tx) + gaps(tx) + holds(tx)
  }

  /// Every account is what its entries make, and nothing moves without an account.
  private static func sums(_ tx: borrowing ReadTransaction) throws -> [String] {
    try tx.query(
      """
      SELECT holder, app, name, sum(points) FROM (
        SELECT holder, app, debit AS name, points FROM points_entry
        UNION ALL SELECT holder, app, credit, -points FROM points_entry
        UNION ALL SELECT holder, app, name, points FROM points_account
      ) AS moved GROUP BY holder, app, name HAVING sum(points) <> 0
      """,
      values: [],
      limit: findingCountMax
    ) { row in
      let (holder, app, name) = (row.text(0), row.text(1), row.text(2))
      return "points account \(name) of \(app) of \(holder) differs from its entries by "
        + "\(row.integer(3))"
    }
  }

  private static func negatives(_ tx: borrowing ReadTransaction) throws -> [String] {
    try tx.query(
      "SELECT holder, app, name, points FROM points_account WHERE points < 0 AND name <> ?",
      values: [.text(PointsAccount.issued.rawValue)],
      limit: findingCountMax
    ) { "points account \($0.text(2)) of \($0.text(1)) of \($0.text(0)) is \($0.integer(3))" }
  }

  /// Held are the points of requests that wait, and no others.
  private static func holds(_ tx: borrowing ReadTransaction) throws -> [String] {
    try tx.query(
      """
      SELECT holder, app, sum(points) FROM (
        SELECT holder, app, points FROM points_account WHERE name = ?
        UNION ALL SELECT points_entry.holder, points_entry.app, -points_entry.points
          FROM points_request JOIN points_entry ON points_entry.transaction_id = points_request.hold_id
            AND points_entry.holder = points_request.holder
          WHERE points_request.state = ?
      ) AS held GROUP BY holder, app HAVING sum(points) <> 0
      """,
      values: [
        .text(PointsAccount.held.rawValue), .text(PointsRequest.State.pending.rawValue),
      ],
      limit: findingCountMax
    ) { row in
      "points held of \(row.text(1)) of \(row.text(0)) differ from its requests by "
        + "\(row.integer(2))"
    }
  }

  /// The entries of a holder are numbered from 1 to as many as there are.
  private static func gaps(_ tx: borrowing ReadTransaction) throws -> [String] {
    try tx.query(
      """
      SELECT holder, sum(expected), sum(found), max(number) FROM (
        SELECT holder, entry_count AS expected, 0 AS found, 0 AS number FROM points_holder
        UNION ALL SELECT holder, 0, 1, number FROM points_entry
      ) AS counted GROUP BY holder
      HAVING sum(expected) <> sum(found) OR max(number) <> sum(found)
      """,
      values: [],
      limit: findingCountMax
    ) { "points of \($0.text(0)): \($0.integer(2)) of \($0.integer(1)) entries are there" }
  }
}
