/// A store on a server, as one of the connections that write it sees it: what was committed since, and whether it is still
/// the store that memory has followed.
///
/// Confined to the thread of its connection.
final class FollowedStore {
  let server: PostgresConnection
  let version: SchemaVersion
  /// The last change of the store that this connection knows; nil before the first.
  private var lastChange: Change?
  /// Why the memory of this program can no longer follow the store.
  private var breach: String?

  /// By a connection that may not be connected yet.
  init(_ server: PostgresConnection, _ migrations: [Migration]) {
    self.server = server
    version = SchemaVersion(migrations)
  }

  /// Begins a transaction by what `start` posts, and asks for the changes after a revision in one round trip with
  /// questions of writes.
  ///
  /// A connection that was lost is made again, and a transaction that others were in the way of is begun again.
  func begin(
    after revision: Int64,
    asking questions: [StoreQuestion],
    _ start: () throws(StoreError) -> Void
  ) throws(StoreError) -> [Change] {
    try ConflictAttempts.run { () throws(StoreError) in
      try beginOnce(after: revision, questions, start)
    }
  }

  private func beginOnce(
    after revision: Int64,
    _ questions: [StoreQuestion],
    _ start: () throws(StoreError) -> Void
  ) throws(StoreError) -> [Change] {
    if server.isConnected {
      do throws(StoreError) {
        return try begin(after: revision, questions, isNew: false, start)
      } catch  where !server.isConnected {
        // It was closed since it was used last.
      }
    }
    try server.connectForUse()
    return try begin(after: revision, questions, isNew: true, start)
  }

  private func begin(
    after revision: Int64,
    _ questions: [StoreQuestion],
    isNew: Bool,
    _ start: () throws(StoreError) -> Void
  ) throws(StoreError) -> [Change] {
    do throws(StoreError) {
      try start()
      if isNew { try requireContinuity(with: revision) }
      server.known = KnownAnswers()
      try server.learn([Self.changes(after: revision)] + questions)
      return try changes(after: revision)
    } catch {
      server.forget()
      if server.isInTransaction { try server.run("ROLLBACK") }
      if server.isConnected { try requireKnownSchema() }
      throw error
    }
  }

  /// The changes after a revision, outside of a transaction.
  func news(after revision: Int64) throws(StoreError) -> [Change] {
    if server.isConnected {
      do throws(StoreError) {
        try requireKnownSchema()
        return try changes(after: revision)
      } catch  where !server.isConnected {
        // As above.
      }
    }
    try server.connectForUse()
    try requireKnownSchema()
    try requireContinuity(with: revision)
    return try changes(after: revision)
  }

  /// Takes note of the last change of a commit.
  func note(_ last: Change?) {
    if let last { lastChange = last }
  }

  /// The state after a failure.
  func condition(after failure: StoreError) -> StoreCondition {
    breach.map { .broken($0) } ?? .failing("\(failure)")
  }

  /// Throws when the store on the server that was connected to is not the one that memory has followed up to a revision:
  /// restored, or a standby that took over without all that was committed.
  private func requireContinuity(with revision: Int64) throws(StoreError) {
    let purged = try server.first("SELECT purged_revision FROM store_version") { $0.integer(0) }
    let newest = try StoreSchema.newestRevision(server)
    guard let purged, purged <= revision, newest >= revision else {
      throw breach("does not go on from change \(revision), up to which this program has followed")
    }
    guard let known = lastChange, known.revision > purged else { return }
    let found = try selected(Self.selection("WHERE revision = ?", known.revision)).first
    guard found == known else {
      throw breach("has another change \(known.revision) than the one that this program knows")
    }
  }

  /// Throws when a newer program has changed the tables by a step that this one had to know: rows that it wrote would
  /// lack what the newer one keeps.
  private func requireKnownSchema() throws(StoreError) {
    let found = try StoreVersion.of(server)
    guard version.isOlder(than: found.oldestProgram) else { return }
    throw breach(
      "was brought to schema version \(found.tables.own) by a newer program, and this one knows "
        + "\(version.own)"
    )
  }

  private func breach(_ detail: String) -> StoreError {
    let reason = "\(server.path) \(detail): restart this program"
    breach = reason
    return .unavailable(reason)
  }

  /// The question for the changes after a revision.
  static func changes(after revision: Int64) -> StoreQuestion {
    selection("WHERE revision > ? ORDER BY revision", revision)
  }

  private static func selection(_ condition: String, _ revision: Int64) -> StoreQuestion {
    let sql = "\(Change.columns.selection) \(condition)"
    return StoreQuestion(sql, [.integer(revision)], limit: .max)
  }

  private func changes(after revision: Int64) throws(StoreError) -> [Change] {
    let found = try selected(Self.changes(after: revision))
    note(found.last)
    return found
  }

  private func selected(_ question: StoreQuestion) throws(StoreError) -> [Change] {
    try reading { () throws in
      try server.query(question.statement.sql, question.values) { row in
        try Change.columns.record(row)
      }
    }
  }

  /// The changes in the answer to such a question.
  func changes(in answer: PostgresRows) throws(StoreError) -> [Change] {
    try reading { () throws in
      var changes: [Change] = []
      while answer.step() { changes.append(try Change.columns.record(Row(answer))) }
      return changes
    }
  }

  private func reading(_ body: () throws -> [Change]) throws(StoreError) -> [Change] {
    do {
      return try body()
    } catch let error as StoreError {
      throw error
    } catch {
      throw .corrupt(path: server.path, detail: "\(error)")
    }
  }
}
