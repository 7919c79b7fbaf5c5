internal import CPostgreSQL

/// One connection to a server of PostgreSQL, with the statements it has prepared.
///
/// Confined to one thread. A connection that was lost is made again when a transaction begins, and so is one to an old
/// primary, as soon as another connection of the program has found a newer one (docs/decisions/0242).
@safe
final class PostgresConnection {
  let path: String
  let catalog = StoreCatalog.server
  private(set) var lastFailure: StoreError?
  /// The number of the newest statement.
  private(set) var mark: Int64 = 0
  /// The number of the newest one that has changed rows.
  private var lastChange: Int64 = 0
  /// Times that the server was waited for.
  private(set) var roundTripCount = 0
  var known: KnownAnswers?
  /// Whether known answers are compared with what the server says when they are used.
  var checksKnown = PostgresConnection.checksKnownByDefault
  private let location: PostgresLocation
  private let hosts: PostgresHosts
  /// Known of the servers by all connections of the store.
  private let memory: StoreTimeline
  /// The timeline of the server; nil when it has none to say.
  private var timeline: UInt32?
  private var handle: OpaquePointer?
  private var statements: [PreparedKey: String] = [:]
  private var translations: [StoreStatement: String] = [:]
  private var preparedCount = 0
  /// Statements that were posted, and are sent with the next one.
  private var posted: [PostedStatement] = []
  /// Whether what was posted begins a transaction that reads.
  var isBeginning = false
  /// Whether the end of a transaction that reads was sent, and the answer not looked at.
  var isEnding = false
  private var postedByteCount = 0
  /// Warnings without a code of their own that the server has sent.
  private let warningCount: UnsafeMutablePointer<UInt32>

  /// The text of a prepared statement and the types of its values, which tell it from others.
  private struct PreparedKey: Hashable {
    let statement: StoreStatement
    let types: [UInt32]

    // There are few with the same text.
    func hash(into hasher: inout Hasher) { statement.hash(into: &hasher) }
  }

  /// A statement that waits to be sent.
  struct PostedStatement {
    let statement: StoreStatement
    let values: PostgresValues
    /// Its place among all.
    let number: Int64
  }

  /// Statements and bytes that are sent together, at most.
  private static let postedCountMax = 2048
  private static let postedByteCountMax = 1 << 20

  /// Statements kept prepared; a service has fewer, unless it builds SQL from parts.
  private static let statementCountMax = 1024

  /// The oldest server whose SQL is enough (`CREATE OR REPLACE TRIGGER`).
  private static let serverVersionMin: Int32 = 140_000

  // What is acknowledged is durable, whatever the server's default is. All that a service asks goes by an index and has
  // few rows: without the three settings of plans, a server that guesses more scans a table for one tree, and starts
  // processes for that.
  private static let setUpStatements = """
    SET lock_timeout = '2s';
    SET idle_in_transaction_session_timeout = '5s';
    SET standard_conforming_strings = on;
    SET bytea_output = hex;
    SELECT set_config(wanted.name, wanted.value, false)
    FROM (VALUES ('max_parallel_workers_per_gather', '0'), ('jit', 'off'), ('random_page_cost', '1.1'))
      AS wanted (name, value)
    WHERE EXISTS (SELECT 1 FROM pg_settings WHERE pg_settings.name = wanted.name);
    SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') = 'off';
    SELECT set_config('application_name', 'gatehouse ' || current_schema(), false)
    WHERE current_setting('application_name') = 'gatehouse' AND current_schema() IS NOT NULL
    """

  // A file of the log has the timeline as the first eight digits of its name; a standby writes none. A standby that took
  // over has it in pg_control_checkpoint() from its first checkpoint on, which is too late.
  private static let timelineQuestion = """
    SELECT CASE WHEN NOT pg_is_in_recovery()
      THEN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END
    """

  /// Connects; `memory` is shared by all connections of a store that is open.
  ///
  /// Throws `cannotOpen` with the server's reason.
  convenience init(
    _ location: PostgresLocation,
    _ memory: StoreTimeline = StoreTimeline()
  ) throws(StoreError) {
    try self.init(unconnected: location, memory)
    try connect()
  }

  /// Connects when it is used.
  init(unconnected location: PostgresLocation, _ memory: StoreTimeline) throws(StoreError) {
    path = location.description
    try PostgresLibrary.require(for: location.description)
    (self.location, self.memory) = (location, memory)
    hosts = PostgresHosts(location)
    unsafe warningCount = .allocate(capacity: 1)
    unsafe warningCount.initialize(to: 0)
  }

  deinit {
    disconnect()
    unsafe warningCount.deallocate()
  }

  // MARK: Connecting

  /// Whether the connection was there when it was used last, and may be used.
  ///
  /// One to an old primary may not: who leads, and what is new, is what the newer one says.
  var isConnected: Bool { isAlive && !isSuperseded }

  private var isAlive: Bool {
    guard let handle = unsafe handle else { return false }
    return unsafe CPostgreSQL_is_connected(handle)
  }

  /// Whether another connection of the program has found a server that took over from this one.
  var isSuperseded: Bool { timeline.map { $0 < memory.highest } ?? false }

  /// Whether the server says which timeline it is on.
  var hasTimeline: Bool { timeline != nil }

  /// A connection to the same store, beside this one.
  func another() throws(StoreError) -> PostgresConnection {
    try PostgresConnection(location, memory)
  }

  /// Connects again, to the first host that serves the store.
  ///
  /// Throws `cannotOpen`, with the reasons of all hosts.
  func connect() throws(StoreError) {
    if hosts.areSeveral, memory.beginLooking() { look() }
    var failures: [StoreError] = []
    for host in hosts.inOrder {
      do throws(StoreError) {
        return try connect(to: host)
      } catch {
        failures.append(error)
      }
    }
    if let only = failures.first, failures.count == 1 { throw only }
    throw .cannotOpen(path: path, detail: failures.map(\.reason).joined(separator: "; "))
  }

  /// Has a memory hear of the timelines of all hosts of an address, by connections of its own.
  static func look(at location: PostgresLocation, for memory: StoreTimeline) {
    // Without libpq or memory there is nothing to be seen.
    guard let eye = try? PostgresConnection(unconnected: location, memory) else { return }
    eye.look()
  }

  /// Has the memory hear of the timelines of all hosts.
  ///
  /// A program that starts would take the first of them otherwise, be it an old primary beside the one that took over.
  private func look() {
    for host in hosts.inOrder {
      // A host that does not answer is not to keep the start; libpq waits for no shorter time. Those that fail are tried
      // again, and that attempt has the reason.
      _ = try? connect(to: host.merging(["connect_timeout": "2"]) { $1 })
    }
  }

  private func connect(to host: PostgresHosts.Host) throws(StoreError) {
    disconnect()
    let opened = unsafe PostgresHandle.open(location, with: host, counting: warningCount)
    guard let made = unsafe opened else { throw .unavailable("out of memory") }
    unsafe handle = made
    guard unsafe CPostgreSQL_is_connected(made) else {
      let reason = unsafe postgresText(CPostgreSQL_connection_error(made))
      disconnect()
      throw .cannotOpen(path: path, detail: reason)
    }
    do throws(StoreError) {
      unsafe try setUp(made)
    } catch {
      disconnect()
      // libpq names the host, these do not.
      guard hosts.areSeveral else { throw error }
      throw .cannotOpen(path: path, detail: "\(PostgresHosts.name(host)): \(error.reason)")
    }
  }

  @unsafe
  private func setUp(_ handle: OpaquePointer) throws(StoreError) {
    let version = unsafe CPostgreSQL_server_version(handle)
    guard version >= Self.serverVersionMin else {
      throw .cannotOpen(
        path: path,
        detail: "the server is version \(version / 10_000), and 14 or newer is needed"
      )
    }
    let encoding = unsafe postgresText(CPostgreSQL_parameter(handle, "server_encoding"))
    guard encoding == "UTF8" else {
      throw .cannotOpen(
        path: path,
        detail: "the database has the encoding \(encoding): make one with ENCODING 'UTF8'"
      )
    }
    timeline = try setUpSession()
    if let timeline { memory.note(timeline) }
    if isSuperseded { throw .cannotOpen(path: path, detail: supersession) }
  }

  /// Sets the session up, and finds out the timeline in the same round trip.
  private func setUpSession() throws(StoreError) -> UInt32? {
    do throws(StoreError) {
      let rows = try ran("\(Self.setUpStatements); \(Self.timelineQuestion)")
      guard rows.step(), !rows.isNull(0) else { return nil }
      return UInt32(rows.text(0), radix: 16)
    } catch  where isAlive {
      // A server that speaks the protocol may lack these functions, or the role the right to call them. It has undone
      // all of it, and has no timeline.
      try run(Self.setUpStatements)
      return nil
    }
  }

  /// Why the server is refused.
  private var supersession: String {
    """
    the server is on timeline \(timeline ?? 0) and the store on \(memory.highest): it is an old primary that is up \
    again, shut it down (after a restore or a move, restart this program)
    """
  }

  func disconnect() {
    statements = [:]
    timeline = nil
    isEnding = false
    forget()
    known = nil
    guard let handle = unsafe handle else { return }
    unsafe CPostgreSQL_finish(handle)
    unsafe self.handle = nil
  }

  // MARK: Transactions

  private var transaction: CPostgreSQL_transaction {
    guard let handle = unsafe handle else { return CPostgreSQL_NO_CONNECTION }
    return unsafe CPostgreSQL_transaction_status(handle)
  }

  var isInTransaction: Bool {
    transaction == CPostgreSQL_IN_TRANSACTION || isPoisoned
  }

  var isPoisoned: Bool { transaction == CPostgreSQL_IN_ERROR }

  /// Connects while the store is open: a server that is away is not a wrong address.
  func connectForUse() throws(StoreError) {
    do throws(StoreError) {
      try connect()
    } catch .cannotOpen(let path, let detail) {
      throw .unavailable("\(path) cannot be reached: \(detail)")
    }
  }

  // MARK: Statements

  var pipelined: (any PipelinedConnection)? { self }

  func hasChanged(since mark: Int64) -> Bool { lastChange > mark }

  @discardableResult
  func execute(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int {
    if values.isEmpty, Self.isControl(sql) {
      try run(sql)
      return 0
    }
    known = nil
    return try answer(StoreQuestion(sql, values, limit: .max)).changedRowCount
  }

  func insert(
    _ sql: String,
    _ values: [SQLValue],
    generating key: String
  ) throws(StoreError) -> Int64 {
    let keys = try first("\(sql) RETURNING \(key)", values) { $0.integer(0) }
    guard let inserted = keys else { throw .statement("nothing was inserted: \(sql)") }
    return inserted
  }

  func open(
    _ sql: String,
    _ values: [SQLValue],
    limit: Int
  ) throws(StoreError) -> any StoreCursor {
    let question = StoreQuestion(sql, values, limit: limit)
    if !StoreQuestion.isReading(sql) { known = nil }
    guard let rows = known?[question] else { return try answer(question) }
    if checksKnown { try requireCurrent(rows, question) }
    return rows
  }

  // MARK: Statements that are sent together

  func post(_ sql: String, _ values: [SQLValue]) throws(StoreError) {
    known = nil
    let statement = try statement(StoreQuestion(sql, values, limit: .max))
    posted.append(statement)
    postedByteCount += statement.values.byteCount
    if posted.count >= Self.postedCountMax || postedByteCount >= Self.postedByteCountMax {
      try settle()
    }
  }

  func settle() throws(StoreError) {
    guard !posted.isEmpty else { return }
    try sendPosted()
  }

  func forget() {
    posted = []
    postedByteCount = 0
    isBeginning = false
  }

  func forget(since mark: Int64) {
    posted.removeAll { $0.number > mark }
    postedByteCount = posted.reduce(0) { $0 + $1.values.byteCount }
  }

  /// A statement with the next number.
  func statement(_ question: StoreQuestion) throws(StoreError) -> PostedStatement {
    let values = PostgresValues(question.values)
    if values.hasNUL { throw .unstorable("text with the character U+0000") }
    mark += 1
    return PostedStatement(statement: question.statement, values: values, number: mark)
  }

  /// Sends what was posted, and more, in one round trip; the answers to the latter.
  @discardableResult
  func sendPosted(with more: [PostedStatement] = []) throws(StoreError) -> [PostgresRows] {
    let (all, begins) = (posted + more, isBeginning)
    forget()
    do throws(StoreError) {
      return try send(all).suffix(more.count)
    } catch  where begins && !isConnected {
      // It was closed since it was used last, so nothing has begun.
      try connectForUse()
      return try send(all).suffix(more.count)
    }
  }

  /// Sends statements in one round trip; their answers.
  private func send(_ all: [PostedStatement]) throws(StoreError) -> [PostgresRows] {
    let mayBeTooMany = statements.count + all.count > Self.statementCountMax
    if mayBeTooMany, hasTooMany(with: all) { try forgetPrepared() }
    var names: [String] = []
    for one in all { names.append(try prepared(one.statement, one.values.types)) }
    roundTripCount += 1
    let answers = try unsafe withHandle { handle throws(StoreError) in
      unsafe watched(handle) {
        unsafe PostgresPipeline(handle).run(zip(all, names).map { ($0, $1) })
      }
    }
    for (one, answer) in zip(all, answers) {
      if try checked(answer, one.statement.sql).hasChanged { lastChange = one.number }
    }
    guard answers.count == all.count else {
      let failure = lost()
      disconnect()
      throw failure
    }
    return answers
  }

  /// Runs one or several statements without values and rows.
  func run(_ sql: String) throws(StoreError) {
    // What is known is of one transaction.
    if sql == "COMMIT" || sql == "ROLLBACK" { known = nil }
    let warned = unsafe warningCount.pointee
    let command = try ran(sql).command
    if sql == "COMMIT" { try requireConfirmed(command, since: warned) }
  }

  func commit() throws(StoreError) {
    guard !posted.isEmpty else { return try run("COMMIT") }
    _ = try commit(asking: [])
  }

  /// Commits, with everything that was posted; the answer to a question asked at the very end.
  func commit(asking question: StoreQuestion) throws(StoreError) -> PostgresRows {
    try commit(asking: [question])[0]
  }

  private func commit(asking questions: [StoreQuestion]) throws(StoreError) -> [PostgresRows] {
    known = nil
    try requireNotSuperseded()
    let warned = unsafe warningCount.pointee
    var last: [PostedStatement] = []
    for question in questions + [StoreQuestion("COMMIT", [], limit: .max)] {
      last.append(try statement(question))
    }
    let answers = try sendPosted(with: last)
    try requireConfirmed(answers[answers.count - 1].command, since: warned)
    return answers
  }

  /// Throws when a commit was none, or may be lost with the server.
  private func requireConfirmed(_ command: String, since warned: UInt32) throws(StoreError) {
    // The server answers a commit of what has failed with success, and rolls it back.
    if command == "ROLLBACK" {
      throw .statement("a transaction in which a statement has failed cannot be committed")
    }
    // It also answers with success when its wait for a standby was cancelled, after a warning: what was committed is
    // heard of with the next transaction.
    if unsafe warningCount.pointee != warned {
      let failure = StoreError.unavailable("no standby of \(path) has confirmed the commit")
      lastFailure = failure
      throw failure
    }
  }

  /// The answer to the last of one or several statements without values.
  private func ran(_ sql: String) throws(StoreError) -> PostgresRows {
    finishEnding()
    // What is undone need not be done before.
    if sql.hasPrefix("ROLLBACK") { forget() } else { try settle() }
    if sql == "COMMIT" { try requireNotSuperseded() }
    guard let handle = unsafe handle else { throw lost() }
    roundTripCount += 1
    let rows = unsafe watched(handle) {
      unsafe PostgresRows(owning: CPostgreSQL_run(handle, sql), sql: sql)
    }
    return try checked(rows, sql)
  }

  /// Throws when a newer server was found after the transaction had begun: what it read may be old, and what it wrote is
  /// not to be acknowledged.
  private func requireNotSuperseded() throws(StoreError) {
    guard isSuperseded else { return }
    let failure = StoreError.unavailable("\(path): \(supersession)")
    lastFailure = failure
    throw failure
  }

  /// Waits for the server as long as no other one has taken over: a commit may wait for a standby that never comes back,
  /// and a turn for such a commit.
  @unsafe
  func watched<R>(_ handle: OpaquePointer, _ body: () -> R) -> R {
    let watched = unsafe memory.beginWaiting(on: CPostgreSQL_socket(handle), timeline)
    defer { if let watched { memory.endWaiting(watched) } }
    return body()
  }

  private static let controls = ["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "SET"]

  /// Whether a statement is one that cannot be prepared, or is not worth it.
  private static func isControl(_ sql: String) -> Bool { controls.contains { sql.hasPrefix($0) } }

  func answer(_ question: StoreQuestion) throws(StoreError) -> PostgresRows {
    finishEnding()
    let statement = try statement(question)
    guard posted.isEmpty else { return try sendPosted(with: [statement])[0] }
    let sql = statement.statement.sql
    let name = try prepared(statement.statement, statement.values.types)
    guard let handle = unsafe handle else { throw lost() }
    roundTripCount += 1
    let rows = try checked(
      unsafe PostgresRows(owning: statement.values.run(name, on: handle), sql: sql),
      sql
    )
    if rows.hasChanged { lastChange = statement.number }
    return rows
  }

  /// Whether more statements would be prepared with these than are kept.
  private func hasTooMany(with all: [PostedStatement]) -> Bool {
    let keys = Set(all.map { PreparedKey(statement: $0.statement, types: $0.values.types) })
    return keys.union(statements.keys).count > Self.statementCountMax
  }

  private func forgetPrepared() throws(StoreError) {
    statements = [:]
    guard let handle = unsafe handle else { throw lost() }
    // Not by `run`, which would send first what was posted.
    let sql = "DEALLOCATE ALL"
    _ = try checked(unsafe PostgresRows(owning: CPostgreSQL_run(handle, sql), sql: sql), sql)
  }

  /// The name of a statement that the server has prepared.
  func prepared(
    _ statement: StoreStatement,
    _ types: [UInt32] = []
  ) throws(StoreError) -> String {
    let key = PreparedKey(statement: statement, types: types)
    if let name = statements[key] { return name }
    guard let handle = unsafe handle else { throw lost() }
    if statements.count >= Self.statementCountMax { try forgetPrepared() }
    preparedCount += 1
    let name = "s\(preparedCount)"
    let (text, sql) = (translated(statement), statement.sql)
    roundTripCount += 1
    let answer = unsafe CPostgreSQL_prepare(handle, name, text, Int32(types.count), types)
    _ = try checked(unsafe PostgresRows(owning: answer, sql: sql), sql)
    statements[key] = name
    return name
  }

  private func translated(_ statement: StoreStatement) -> String {
    if let text = translations[statement] { return text }
    if translations.count >= Self.statementCountMax { translations = [:] }
    let text = StatementTranslation.translate(statement.bounded)
    translations[statement] = text
    return text
  }

  /// Lends the handle; throws when the connection was lost.
  func withHandle<R>(_ body: (OpaquePointer) throws(StoreError) -> R) throws(StoreError) -> R {
    guard let handle = unsafe handle else { throw lost() }
    return unsafe try body(handle)
  }

  // MARK: Errors

  /// The answer, unless it is an error.
  func checked(_ rows: PostgresRows?, _ sql: String) throws(StoreError) -> PostgresRows {
    guard let rows else { throw lost() }
    guard var error = rows.failure else { return rows }
    if !isAlive { error.state = "" }
    var failure = error.storeError(path: path)
    if case .statement(let detail) = failure { failure = .statement("\(detail): \(sql)") }
    lastFailure = failure
    throw failure
  }

  func lost() -> StoreError {
    var reason = "it is closed"
    if let handle = unsafe handle {
      reason = unsafe postgresText(CPostgreSQL_connection_error(handle))
    }
    let failure = StoreError.unavailable("the connection was lost: \(reason)")
    lastFailure = failure
    return failure
  }
}

extension StoreError {
  /// Why a host does not serve the store, without the name of the store.
  fileprivate var reason: String {
    if case .cannotOpen(_, let detail) = self { detail } else { "\(self)" }
  }
}
