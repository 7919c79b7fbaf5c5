internal import ServiceKit

extension Database {
  /// Forgets rows of a table that have an instant in a column which lies before another one (milliseconds
  /// since 1970), few at a time, so that writers behind it hardly wait; `key` are the columns of its key.
  func purge(
    _ table: String,
    _ column: String,
    before instant: Int64,
    by key: String = "id"
  ) async throws {
    while try await purgeSome(table, column, before: instant, by: key) > 0 {}
  }

  private func purgeSome(
    _ table: String,
    _ column: String,
    before instant: Int64,
    by key: String
  ) async throws -> Int {
    try await write { tx in
      try tx.execute(
        """
        DELETE FROM \(table) WHERE (\(key)) IN (
          SELECT \(key) FROM \(table) WHERE \(column) < ? ORDER BY \(column) LIMIT ?)
        """,
        .integer(instant),
        .integer(Self.purgeCountMax)
      )
    }
  }
}
