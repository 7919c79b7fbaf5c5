internal import RPCKit

/// PostgreSQL's side of a store on a server, which several programs may serve.
///
/// All commits are in one order: a transaction that writes takes the turn of the store's schema first and hears of all
/// commits before its own, so that writes decide by memory that has them (docs/decisions/0226). What the server keeps
/// of deleted rows until it is vacuumed, and in its log and archives, is its operator's (docs/operations).
final class PostgresEngine: StoreEngine {
  var connection: any StoreConnection { server }
  let isShared = true
  /// The newest change that was ever logged, or 0.
  let lastRevision: Int64
  let lastTime: Int64
  private let server: PostgresConnection
  private let turn: PostgresTurn
  private let version: SchemaVersion
  /// The last change of the store that this program knows; nil before the first.
  private var lastChange: Change?
  /// Why the memory of this program can no longer follow the store.
  private var breach: String?

  /// Connects, makes the store or brings it to the newest schema.
  init(
    _ location: PostgresLocation,
    _ memory: StoreTimeline,
    applicationID: Int32,
    migrations: [Migration],
    logger: Logger?
  ) throws(StoreError) {
    server = try PostgresConnection(location, memory)
    version = SchemaVersion(migrations)
    let profile = try PostgresProbe.profile(of: server, at: location, memory)
    var schema = PostgresSchema(connection: server, applicationID: applicationID)
    schema.turnsAreByRows = profile.isByRows
    let making = try PostgresTurn(server, makingRows: profile.isByRows)
    try making.hold(on: server) { () throws(StoreError) in try schema.bringUp(migrations) }
    // Another program may have made the store in the meantime.
    turn = try PostgresTurn(server)
    guard turn.isByRows || !profile.isByRows else { throw PostgresProbe.lostLocks(server.path) }
    try SequenceOrder.require(server)
    profile.log(logger)
    lastRevision = try StoreSchema.newestRevision(server)
    let last = try server.first(
      "SELECT recorded_at FROM change_log WHERE revision = ?",
      [.integer(lastRevision)]
    ) { $0.integer(0) }
    lastTime = last ?? .min
  }

  func begin(
    after revision: Int64,
    asking questions: [StoreQuestion]
  ) throws(StoreError) -> [Change] {
    try ConflictAttempts.run { () throws(StoreError) in
      try beginOnce(after: revision, questions)
    }
  }

  private func beginOnce(
    after revision: Int64,
    _ questions: [StoreQuestion]
  ) throws(StoreError) -> [Change] {
    if server.isConnected {
      do throws(StoreError) {
        return try beginInTurn(after: revision, questions, isNew: false)
      } catch  where !server.isConnected {
        // It was closed since it was used last.
      }
    }
    try server.connectForUse()
    return try beginInTurn(after: revision, questions, isNew: true)
  }

  /// Begins, and asks for the changes of other programs in one round trip with questions of writes.
  private func beginInTurn(
    after revision: Int64,
    _ questions: [StoreQuestion],
    isNew: Bool
  ) throws(StoreError) -> [Change] {
    do throws(StoreError) {
      try turn.begin(on: server, with: version.guarding)
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

  private static func changes(after revision: Int64) -> StoreQuestion {
    selection("WHERE revision > ? ORDER BY revision", revision)
  }

  private static func selection(_ condition: String, _ revision: Int64) -> StoreQuestion {
    let sql = "\(Change.columns.selection) \(condition)"
    return StoreQuestion(sql, [.integer(revision)], limit: .max)
  }

  private func changes(after revision: Int64) throws(StoreError) -> [Change] {
    let found = try selected(Self.changes(after: revision))
    if let last = found.last { lastChange = last }
    return found
  }

  private func selected(_ question: StoreQuestion) throws(StoreError) -> [Change] {
    do {
      return try server.query(question.statement.sql, question.values) { row in
        try Change.columns.record(row)
      }
    } catch let error as StoreError {
      throw error
    } catch {
      throw .corrupt(path: server.path, detail: "\(error)")
    }
  }

  func committed(_ last: Change?) {
    if let last { lastChange = last }
  }

  func tidy() {}

  func truncateLog() -> Bool { true }

  func condition(after failure: StoreError) -> StoreCondition {
    breach.map { .broken($0) } ?? .failing("\(failure)")
  }

  func finish() {}
}
