internal import ServiceKit

/// Accounts imported from other systems, and the progress of each run.
enum ImportTable {
  /// An account that was imported.
  struct Imported: Hashable, Sendable {
    /// Keyed digest of the row that it was made from.
    var content: [UInt8]
    /// The account.
    var userID: String
  }

  /// How far a run has come, and what has become of its rows.
  struct Progress: Hashable, Sendable {
    var next: Int64 = 0
    var created: Int64 = 0
    var unchanged: Int64 = 0
    var refused: Int64 = 0
  }

  static let columns = RecordColumns<Imported>(
    "imported_user",
    beside: ["source", "source_id"],
    .blob("content", \.content),
    .text("user_id", \.userID)
  ) { row in Imported(content: row.blob(), userID: row.text()) }

  static let runs = RecordColumns<Progress>(
    "import_run",
    beside: ["source", "run", "changed_at"],
    .integer("next", \.next),
    .integer("created", \.created),
    .integer("unchanged", \.unchanged),
    .integer("refused", \.refused)
  ) { row in
    Progress(
      next: row.integer(),
      created: row.integer(),
      unchanged: row.integer(),
      refused: row.integer()
    )
  }

  private static let savingRun = runs.upsert(on: "source", "run")

  /// How long a run is remembered that nobody continues, in milliseconds.
  private static let runLifetime: Int64 = 90 * 86_400_000

  static func find(
    _ source: String,
    _ sourceID: String,
    in tx: borrowing some Queryable
  ) throws -> Imported? {
    try tx.first(columns, "WHERE source = ? AND source_id = ?", .text(source), .text(sourceID))
  }

  /// The names of an account in the systems from which it was imported.
  static func names(
    of userID: String,
    in tx: borrowing some Queryable
  ) throws -> [(source: String, id: String)] {
    try tx.query(
      "SELECT source, source_id FROM imported_user WHERE user_id = ? ORDER BY source, source_id",
      .text(userID)
    ) { (source: $0.text(0), id: $0.text(1)) }
  }

  static func insert(
    _ imported: Imported,
    _ source: String,
    _ sourceID: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.insert(imported, columns, beside: .text(source), .text(sourceID))
  }

  /// How far a run has come; nowhere if it is not known.
  static func progress(
    of run: String,
    _ source: String,
    in tx: borrowing some Queryable
  ) throws -> Progress {
    try tx.first(runs, "WHERE source = ? AND run = ?", .text(source), .text(run)) ?? Progress()
  }

  static func update(
    _ progress: Progress,
    of run: String,
    _ source: String,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.save(progress, savingRun, beside: .text(source), .text(run), .integer(now))
  }

  /// Forgets runs that nobody continues; what they imported stays known.
  static func prune(now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "DELETE FROM import_run WHERE changed_at < ?",
      .integer(now.subtractingSaturated(runLifetime))
    )
  }
}
