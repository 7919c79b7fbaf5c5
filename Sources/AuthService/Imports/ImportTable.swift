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

  /// How long a run is remembered that nobody continues, in milliseconds.
  private static let runLifetime: Int64 = 90 * 86_400_000

  static func find(
    _ source: String,
    _ sourceID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> Imported? {
    try tx.first(
      "SELECT content, user_id FROM imported_user WHERE source = ? AND source_id = ?",
      .text(source),
      .text(sourceID)
    ) { Imported(content: $0.blob(0), userID: $0.text(1)) }
  }

  /// The names of an account in the systems from which it was imported.
  static func names(
    of userID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
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
    try tx.execute(
      "INSERT INTO imported_user (source, source_id, content, user_id) VALUES (?, ?, ?, ?)",
      .text(source),
      .text(sourceID),
      .blob(imported.content),
      .text(imported.userID)
    )
  }

  /// How far a run has come; nowhere if it is not known.
  static func progress(
    of run: String,
    _ source: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> Progress {
    try tx.first(
      "SELECT next, created, unchanged, refused FROM import_run WHERE source = ? AND run = ?",
      .text(source),
      .text(run)
    ) { row in
      Progress(
        next: row.integer(0),
        created: row.integer(1),
        unchanged: row.integer(2),
        refused: row.integer(3)
      )
    } ?? Progress()
  }

  static func update(
    _ progress: Progress,
    of run: String,
    _ source: String,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      INSERT INTO import_run (source, run, next, created, unchanged, refused, changed_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (source, run) DO UPDATE SET next = excluded.next, created = excluded.created,
        unchanged = excluded.unchanged, refused = excluded.refused, changed_at = excluded.changed_at
      """,
      .text(source),
      .text(run),
      .integer(progress.next),
      .integer(progress.created),
      .integer(progress.unchanged),
      .integer(progress.refused),
      .integer(now)
    )
  }

  /// Forgets runs that nobody continues; what they imported stays known.
  static func prune(now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "DELETE FROM import_run WHERE changed_at < ?",
      .integer(now.subtractingSaturated(runLifetime))
    )
  }
}
