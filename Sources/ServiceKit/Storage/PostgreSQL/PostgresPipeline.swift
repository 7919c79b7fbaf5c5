internal import CPostgreSQL

/// Several statements in one round trip (libpq, "Pipeline Mode").
@safe
struct PostgresPipeline {
  private let handle: OpaquePointer

  /// A pipeline on a connection on which nothing is under way.
  init(_ handle: OpaquePointer) { unsafe self.handle = handle }

  /// Runs prepared statements by their names; the answers up to the first that is an error, and with it.
  ///
  /// Fewer answers without an error mean that the connection is of no use any longer.
  func run(_ statements: [(PostgresConnection.PostedStatement, String)]) -> [PostgresRows] {
    guard unsafe CPostgreSQL_begin_pipeline(handle) else { return [] }
    for (statement, name) in statements {
      guard unsafe statement.values.send(name, on: handle) else { return [] }
    }
    guard unsafe CPostgreSQL_sync_pipeline(handle) else { return [] }
    var answers: [PostgresRows] = []
    for (statement, _) in statements {
      let answer = unsafe CPostgreSQL_next_in_pipeline(handle)
      guard let rows = unsafe PostgresRows(owning: answer, sql: statement.statement.sql) else {
        return []
      }
      // The server skips those behind one that has failed.
      if answers.last?.failure == nil { answers.append(rows) }
    }
    return unsafe CPostgreSQL_end_pipeline(handle) ? answers : []
  }
}
