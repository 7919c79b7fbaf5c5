internal import ServiceKit

/// The tables `points_holder`, `points_account` and `points_entry`: the points of one holder.
///
/// Entries are only ever added. The sums that they make are kept beside them, changed in the same
/// transaction, and compared with them by `PointsLedgerCheck`.
struct PointsLedger {
  let holder: String

  private static let columns = RecordColumns<PointsEntry>(
    "points_entry",
    beside: ["holder", "debit", "credit"],
    .integer("number", \.number),
    .text("transaction_id", \.transactionID),
    .text("kind", \.posting.kind.rawValue),
    .text("app", \.posting.app),
    .integer("points", \.posting.points),
    .integer("minutes", \.posting.minutes),
    .integer("points_per_minute", \.posting.pointsPerMinute),
    .text("reward", \.posting.reward),
    .optionalText("reversed_id", \.posting.reversedID),
    .integer("balance", \.balance),
    .text("actor_id", \.actorID),
    .integer("occurred_at", \.occurredAt)
  ) { row in
    PointsEntry(
      number: row.integer(),
      transactionID: row.text(),
      posting: PointsPosting(
        kind: try row.text(as: PointsEntryKind.self),
        app: row.text(),
        points: row.integer(),
        minutes: row.integer(),
        pointsPerMinute: row.integer(),
        reward: row.text(),
        reversedID: row.optionalText()
      ),
      balance: row.integer(),
      actorID: row.text(),
      occurredAt: row.integer()
    )
  }

  /// The largest balance of an app.
  ///
  /// Its accounts are moved by less than this at a time, so that no sum comes near the largest number.
  static let balanceMax: Int64 = 2_000_000_000

  // MARK: - Reading

  /// Points of an app that can be redeemed.
  func balance(of app: String, in tx: borrowing some Queryable) throws -> Int64 {
    try tx.first(
      "SELECT points FROM points_account WHERE holder = ? AND app = ? AND name = ?",
      .text(holder),
      .text(app),
      .text(PointsAccount.balance.rawValue)
    ) { $0.integer(0) } ?? 0
  }

  /// Points that can be redeemed, and those that requests hold, by app.
  func balances(
    in tx: borrowing some Queryable
  ) throws -> (redeemable: [String: Int64], held: [String: Int64]) {
    let rows = try tx.query(
      "SELECT app, name, points FROM points_account WHERE holder = ? AND name IN (?, ?)",
      .text(holder),
      .text(PointsAccount.balance.rawValue),
      .text(PointsAccount.held.rawValue)
    ) { (app: $0.text(0), name: $0.text(1), points: $0.integer(2)) }
    func points(_ account: PointsAccount) -> [String: Int64] {
      Dictionary(
        rows.filter { $0.name == account.rawValue }.map { ($0.app, $0.points) }
      ) { first, _ in first }
    }
    return (points(.balance), points(.held))
  }

  /// The entries of a transaction, in the order of their numbers.
  func entries(of transactionID: String, in tx: borrowing some Queryable) throws -> [PointsEntry] {
    try tx.query(
      Self.columns,
      """
      INDEXED BY points_entry_by_transaction
      WHERE holder = ? AND transaction_id = ? ORDER BY number
      """,
      .text(holder),
      .text(transactionID)
    )
  }

  /// The entries that reversed a transaction; empty while none has.
  func reversal(of transactionID: String, in tx: borrowing some Queryable) throws -> [PointsEntry] {
    try tx.query(
      Self.columns,
      "WHERE holder = ? AND reversed_id = ? ORDER BY number",
      .text(holder),
      .text(transactionID)
    )
  }

  /// Entries below a number, newest first.
  func page(
    after number: Int64?,
    _ direction: ListDirection,
    skipping skippedCount: Int,
    app: String,
    kind: PointsEntryKind?,
    count: Int,
    in tx: borrowing some Queryable
  ) throws -> [PointsEntry] {
    var sql = "\(Self.columns.selection) WHERE holder = ? AND number \(direction.comparison) ?"
    var values: [SQLValue] = [.text(holder), .integer(number ?? direction.firstNumber)]
    if !app.isEmpty {
      sql += " AND app = ?"
      values.append(.text(app))
    }
    if let kind {
      sql += " AND kind = ?"
      values.append(.text(kind.rawValue))
    }
    values += [.integer(count), .integer(skippedCount)]
    sql += " ORDER BY number \(direction.keyword) LIMIT ? OFFSET ?"
    return try tx.query(sql, values: values) {
      try Self.columns.record($0)
    }
  }

  // MARK: - Posting

  /// Adds a transaction of these postings.
  ///
  /// Throws `PointsError` when a balance would be negative or too large; then the whole write must be
  /// undone.
  func post(
    _ postings: [PointsPosting],
    as transactionID: String,
    by actorID: String,
    in tx: borrowing WriteTransaction
  ) throws -> [PointsEntry] {
    var holdings = try PointsHoldings(of: holder, for: postings, in: tx)
    var number = holdings.entryCount
    try count(postings.count, in: tx)
    var entries: [PointsEntry] = []
    for posting in postings {
      let balance = try holdings.move(posting)
      try move(posting, in: tx)
      number += 1
      let entry = PointsEntry(
        number: number,
        transactionID: transactionID,
        posting: posting,
        balance: balance,
        actorID: actorID,
        occurredAt: tx.now
      )
      // What was held was in the balance once, and must come back whatever was earned since.
      guard entry.balance <= Self.balanceMax || posting.kind == .release else {
        throw PointsError.balanceLimit(app: posting.app)
      }
      let (debit, credit) = posting.kind.accounts
      try tx.insert(
        entry,
        Self.columns,
        beside: .text(holder),
        .text(debit.rawValue),
        .text(credit.rawValue)
      )
      entries.append(entry)
    }
    return entries
  }

  /// Counts entries that are going to be made.
  private func count(_ entryCount: Int, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      INSERT INTO points_holder (holder, entry_count) VALUES (?, ?)
      ON CONFLICT (holder) DO UPDATE SET
        entry_count = points_holder.entry_count + excluded.entry_count
      """,
      .text(holder),
      .integer(entryCount)
    )
  }

  /// Moves points between the two accounts of a posting, which `PointsHoldings` has decided on.
  private func move(_ posting: PointsPosting, in tx: borrowing WriteTransaction) throws {
    let (debit, credit) = posting.kind.accounts
    try add(-posting.points, posting.app, debit, in: tx)
    try add(posting.points, posting.app, credit, in: tx)
  }

  /// Adds points to an account; takes some if there are fewer than none.
  private func add(
    _ points: Int64,
    _ app: String,
    _ account: PointsAccount,
    in tx: borrowing WriteTransaction
  ) throws {
    guard points >= 0 || account == .issued else {
      // There is a row, as it has points; one that was new would be below zero, which no row may be.
      return try tx.execute(
        "UPDATE points_account SET points = points + ? WHERE holder = ? AND app = ? AND name = ?",
        .integer(points),
        .text(holder),
        .text(app),
        .text(account.rawValue)
      )
    }
    try tx.execute(
      """
      INSERT INTO points_account (holder, app, name, points) VALUES (?, ?, ?, ?)
      ON CONFLICT (holder, app, name) DO UPDATE SET
        points = points_account.points + excluded.points
      """,
      .text(holder),
      .text(app),
      .text(account.rawValue),
      .integer(points)
    )
  }
}
