internal import CPostgreSQL

/// Transactions that read: one round trip for each question, and none for their beginning and their end.
extension PostgresConnection {
  private static let beginning = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
  private static let ending = "COMMIT"

  /// Begins when the first question is sent, with it; the snapshot is of that moment.
  ///
  /// So it is the first question that meets a server that is away.
  func beginReading() throws(StoreError) {
    finishEnding()
    if !isConnected { try connectForUse() }
    try post(Self.beginning, [])
    isBeginning = true
  }

  /// Sends the end and does not wait for its answer, which says nothing that anyone could use.
  func endReading() throws(StoreError) {
    // Nothing was asked.
    guard !isBeginning else { return forget() }
    // What was read may be old.
    guard !isSuperseded else { return try run(Self.ending) }
    let name = try prepared(StoreStatement(Self.ending))
    let isSent = try unsafe withHandle { handle throws(StoreError) in
      unsafe CPostgreSQL_begin_pipeline(handle) && PostgresValues([]).send(name, on: handle)
        && CPostgreSQL_sync_pipeline(handle)
    }
    guard isSent else {
      disconnect()
      return
    }
    isEnding = true
  }

  /// Takes the answer to an end that was sent, before anything else is asked.
  func finishEnding() {
    guard isEnding else { return }
    isEnding = false
    let isOver = try? unsafe withHandle { handle throws(StoreError) in
      unsafe watched(handle) {
        let answer = unsafe CPostgreSQL_next_in_pipeline(handle)
        let rows = unsafe PostgresRows(owning: answer, sql: Self.ending)
        let isOver = unsafe CPostgreSQL_end_pipeline(handle)
        return isOver && rows.map { $0.failure == nil } ?? false
      }
    }
    // It is made again when it is used.
    if isOver != true { disconnect() }
  }
}
