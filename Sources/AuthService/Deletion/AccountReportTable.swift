internal import ServiceKit

/// The report about an account for TenancyService.
struct AccountReport: Hashable, Sendable {
  let userID: String
  /// Counts the reports of the account: TenancyService disregards an older one that comes late.
  let version: Int64
  /// Whether an operator disabled the account.
  var isDisabled: Bool
  /// Whether its deletion has begun and was not taken back.
  var isDeletionBegun: Bool
}

/// Which accounts TenancyService has to hear of.
///
/// Triggers add a row, or make it due again, wherever an account is disabled or enabled, and wherever a deletion
/// begins or is cancelled: so nothing that does one of these can forget it. `due_at` is null once TenancyService
/// knows.
enum AccountReportTable {
  /// Begins a report of a user, which takes the place of one that is under way; nil when nothing is due.
  ///
  /// Until `lease` nobody else repeats it.
  static func begin(
    of userID: String,
    lease: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> AccountReport? {
    let isDue = try tx.exists(
      "SELECT 1 FROM account_report WHERE user_id = ? AND due_at IS NOT NULL",
      .text(userID)
    )
    return isDue ? try reserve(userID, lease: lease, in: tx) : nil
  }

  /// Begins a report of a user, whether one is due or not.
  static func reserve(
    _ userID: String,
    lease: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> AccountReport {
    try tx.execute(
      """
      INSERT INTO account_report (user_id, version, due_at) VALUES (?1, 1, ?2)
      ON CONFLICT (user_id) DO UPDATE SET version = account_report.version + 1, due_at = ?2
      """,
      .text(userID),
      .integer(lease)
    )
    return AccountReport(
      userID: userID,
      version: try version(of: userID, in: tx),
      isDisabled: try DisablementTable.find(userID, in: tx) != nil,
      isDeletionBegun: try DeletionTable.find(of: userID, in: tx) != nil
    )
  }

  /// The version of the newest report of a user; 0 when there is none.
  static func version(of userID: String, in tx: borrowing some Queryable) throws -> Int64 {
    try tx.first("SELECT version FROM account_report WHERE user_id = ?", .text(userID)) {
      $0.integer(0)
    } ?? 0
  }

  /// Notes that TenancyService knows a report, unless there is a newer one.
  static func finish(_ report: AccountReport, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "UPDATE account_report SET due_at = NULL WHERE user_id = ? AND version = ?",
      .text(report.userID),
      .integer(report.version)
    )
  }

  /// Notes that TenancyService knows the state that the same write has just made.
  static func finishAll(of userID: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute("UPDATE account_report SET due_at = NULL WHERE user_id = ?", .text(userID))
  }

  /// Has a report repeated at once, unless it is finished or there is a newer one.
  static func release(_ report: AccountReport, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      UPDATE account_report SET due_at = 0 WHERE user_id = ? AND version = ? AND due_at IS NOT NULL
      """,
      .text(report.userID),
      .integer(report.version)
    )
  }

  /// Goes on counting after a version that TenancyService has seen: this store may be older than that.
  static func skip(to version: Int64, of userID: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      UPDATE account_report SET version = CASE WHEN version < ?1 THEN ?1 ELSE version END, due_at = 0
      WHERE user_id = ?2
      """,
      .integer(version),
      .text(userID)
    )
  }

  /// Users of whom a report is due, the one that has waited longest first.
  static func due(now: Int64, limit: Int, in tx: borrowing some Queryable) throws -> [String] {
    try tx.query(
      "SELECT user_id FROM account_report WHERE due_at <= ? ORDER BY due_at, user_id LIMIT ?",
      .integer(now),
      .integer(limit)
    ) { $0.text(0) }
  }
}
