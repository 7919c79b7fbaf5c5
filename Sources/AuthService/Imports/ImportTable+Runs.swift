internal import ServiceKit

extension ImportTable {
  /// The place of a run in a list by time.
  struct Place: Hashable, Sendable {
    /// When its last batch was imported, in milliseconds since 1970.
    let changed: Int64
    let source: String
    let run: String
  }

  /// A run, and how far it has come.
  struct Run: Hashable, Sendable {
    let place: Place
    let progress: Progress
  }

  /// Runs by when their last batches were imported.
  static func runs(
    after place: Place?,
    _ direction: ListDirection,
    skipping skippedCount: Int,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [Run] {
    let (after, order) = (direction.comparison, direction.keyword)
    let first = direction.firstText
    return try tx.query(
      """
      SELECT changed_at, source, run, next, created, unchanged, refused FROM import_run
      WHERE changed_at \(after) ?1
        OR changed_at = ?1 AND (source \(after) ?2 OR source = ?2 AND run \(after) ?3)
      ORDER BY changed_at \(order), source \(order), run \(order) LIMIT ?4 OFFSET ?5
      """,
      .integer(place?.changed ?? direction.firstNumber),
      .text(place?.source ?? first),
      .text(place?.run ?? first),
      .integer(limit),
      .integer(skippedCount)
    ) { row in
      Run(
        place: Place(changed: row.integer(0), source: row.text(1), run: row.text(2)),
        progress: Progress(
          next: row.integer(3),
          created: row.integer(4),
          unchanged: row.integer(5),
          refused: row.integer(6)
        )
      )
    }
  }
}

extension ImportTable.Place {
  /// The place that a page token names.
  init(_ texts: [String]) {
    self.init(changed: Int64(texts[0]) ?? 0, source: texts[1], run: texts[2])
  }

  /// As a page token names it.
  var texts: [String] { ["\(changed)", source, run] }
}
