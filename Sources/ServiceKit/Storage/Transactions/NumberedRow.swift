/// A row whose number is its place in the order of commits, as those read it who go on from the last number they have
/// seen.
struct NumberedRow {
  let sql: String
  let values: [SQLValue]
  /// Whether memory and watches follow it.
  let isChange: Bool

  /// A row of a table that numbers its rows itself.
  init<Record>(_ record: Record, _ columns: RecordColumns<Record>) {
    (sql, values, isChange) = (columns.insertion, columns.values(record), false)
  }

  /// A change that gets the next revision, and a time that is not before that of the change before it, as in
  /// `NewestTime`.
  init(_ change: Change) {
    sql = Self.insertion
    let time = SQLValue.integer(change.recordedAt)
    values = [
      time, time, .integer(NewestTime.differenceMax), time, .text(change.kind),
      .text(change.subject), .text(change.scope), .blob(change.payload),
    ]
    isChange = true
  }

  private static let insertion = """
    INSERT INTO change_log (revision, recorded_at, kind, subject, scope, payload)
    SELECT newest.revision + 1,
      CASE WHEN last.recorded_at > ? AND last.recorded_at - ? <= ? THEN last.recorded_at ELSE ? END,
      ?, ?, ?, ?
    FROM (\(StoreSchema.newestRevisionQuery) AS revision) AS newest
    LEFT JOIN change_log AS last ON last.revision = newest.revision
    """
}
