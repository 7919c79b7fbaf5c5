internal import ServiceKit

/// A mail of the outbox as it is stored, without what it says.
struct MailRecord: Hashable, Sendable {
  /// The state.
  enum State: Int64, Sendable {
    /// Waits until it is due.
    case queued = 1
    /// An attempt is under way until it is due: then the one who made it is gone.
    case sending = 2
    /// Was handed over.
    case sent = 3
    /// Will not be sent.
    case dead = 4
  }

  /// Its identifier, `eml_…`.
  var id: String
  /// The name of a `MailKind`.
  var kind: String
  /// The account that it is about, once that is known.
  var userID: String?
  /// The state.
  var state: State
  /// Attempts that were begun.
  var attemptCount: Int64
  /// When it was queued, in milliseconds since 1970.
  var created: Int64
  /// When it is tried next, or its lease ends.
  var due: Int64
  /// From then on it is of no use.
  var expires: Int64
  /// When it was sent or given up.
  var finished: Int64?
  /// Why the last attempt failed.
  var error: String
}

/// The outbox in the store.
enum MailTable {
  static let columns = RecordColumns<MailRecord>(
    "mail",
    beside: ["sealed", "holder"],
    .text("id", \.id),
    .text("kind", \.kind),
    .optionalText("user_id", \.userID),
    .integer("state", \.state.rawValue),
    .integer("attempts", \.attemptCount),
    .integer("created_at", \.created),
    .integer("due_at", \.due),
    .integer("expires_at", \.expires),
    .optionalInteger("finished_at", \.finished),
    .text("error", \.error)
  ) { row in
    MailRecord(
      id: row.text(),
      kind: row.text(),
      userID: row.optionalText(),
      state: MailRecord.State(rawValue: row.integer()) ?? .dead,
      attemptCount: row.integer(),
      created: row.integer(),
      due: row.integer(),
      expires: row.integer(),
      finished: row.optionalInteger(),
      error: row.text()
    )
  }

  /// How many wait, by whose place they take.
  static func holdings(in tx: borrowing some Queryable) throws -> [(holder: [UInt8], count: Int)] {
    try tx.query("SELECT holder, count(*) FROM mail WHERE state <= 2 GROUP BY holder") {
      ($0.blob(0), Int($0.integer(1)))
    }
  }

  /// Forgets the newest mail of a holder, unless attempts are under way for all.
  static func deleteNewest(of holder: [UInt8], in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      DELETE FROM mail WHERE id =
        (SELECT max(id) FROM mail WHERE state <= 2 AND holder = ? AND state = 1)
      """,
      .blob(holder)
    )
  }

  /// How many were given up and are still listed.
  static func deadCount(in tx: borrowing some Queryable) throws -> Int {
    let count = try tx.first("SELECT count(*) FROM mail WHERE state = 4") { $0.integer(0) }
    return Int(count ?? 0)
  }

  static func insert(
    _ mail: MailRecord,
    sealed: [UInt8],
    holder: [UInt8],
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.insert(mail, columns, beside: .blob(sealed), .blob(holder))
  }

  /// Those whose time has come, longest due first, with what was sealed.
  ///
  /// One that is due later than `horizon` was queued by a clock that ran ahead, and counts as due.
  static func due(
    now: Int64,
    horizon: Int64,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [(mail: MailRecord, sealed: [UInt8])] {
    try tx.query(
      """
      SELECT sealed, \(columns.list) FROM mail WHERE state <= 2 AND (due_at <= ? OR due_at > ?)
      ORDER BY due_at, id LIMIT ?
      """,
      .integer(now),
      .integer(horizon),
      .integer(limit)
    ) { (try columns.record($0, at: 1), $0.blob(0)) }
  }

  /// Begins an attempt, which has the mail to itself until `leaseEnd`.
  static func begin(
    _ id: String,
    userID: String?,
    leaseEnd: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "UPDATE mail SET state = 2, attempts = attempts + 1, due_at = ?, user_id = ? WHERE id = ?",
      .integer(leaseEnd),
      .optionalText(userID),
      .text(id)
    )
  }

  /// Ends the leases of all attempts: nobody is left who makes them.
  static func release(now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute("UPDATE mail SET due_at = ? WHERE state = 2", .integer(now))
  }

  /// Ends an attempt that is to be followed by another; one whose lease ended in the meantime no longer
  /// counts.
  static func retry(
    _ id: String,
    attempt: Int64,
    due: Int64,
    error: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      UPDATE mail SET state = 1, due_at = ?, error = ? WHERE id = ? AND state = 2 AND attempts = ?
      """,
      .integer(due),
      .text(error),
      .text(id),
      .integer(attempt)
    )
  }

  /// Ends a mail, and wipes what it says.
  static func finish(
    _ id: String,
    _ state: MailRecord.State,
    error: String,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      UPDATE mail SET state = ?, error = ?, finished_at = ?, sealed = ? WHERE id = ? AND state <= 2
      """,
      .integer(state.rawValue),
      .text(error),
      .integer(now),
      .blob([]),
      .text(id)
    )
  }

  /// Forgets a mail that turned out to be for nobody.
  static func delete(_ id: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM mail WHERE id = ?", .text(id))
  }

  /// Mails of a state, or all, newest first unless it is said, from the one after `cursor` on.
  static func page(
    _ state: MailRecord.State?,
    to userID: String,
    after cursor: String?,
    _ direction: ListDirection = .descending,
    skipping skippedCount: Int = 0,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [MailRecord] {
    var (condition, values) = ("id \(direction.comparison) ?", [SQLValue]())
    values.append(.text(cursor ?? direction.firstText))
    if let state {
      condition += " AND state = ?"
      values.append(.integer(state.rawValue))
    }
    if !userID.isEmpty {
      condition += " AND user_id = ?"
      values.append(.text(userID))
    }
    return try tx.query(
      columns,
      """
      WHERE \(condition)
      ORDER BY id \(direction.keyword) LIMIT ? OFFSET ?
      """,
      values: values + [.integer(limit), .integer(skippedCount)]
    )
  }

  /// Forgets those that ended before a time.
  static func prune(finishedBefore time: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM mail WHERE state >= 3 AND finished_at < ?", .integer(time))
  }
}
