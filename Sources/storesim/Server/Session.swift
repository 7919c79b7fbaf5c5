/// One session of a simulated server.
final class Session: @unchecked Sendable {
  struct Prepared {
    let statement: ServerStatement
    let types: [UInt32]
  }

  let server: Server
  let program: Program?
  /// The store as it sees it; nil once it has ended.
  var file: ServerFile?
  var hasEnded = false
  /// Whether a statement is under way.
  var isBusy = false
  /// Whether a commit has reached the disk and waits for a standby.
  private(set) var isCommitting = false
  /// Whether its program does not hear of that commit.
  private(set) var isOrphan = false
  private var idleSince: Int64
  private var isInTransaction = false
  private var hasFailed = false
  private var isReadOnly = false
  private var hasSnapshot = false
  /// Savepoints that were made before anything was written.
  private var savepoints: [String] = []
  /// Settings, in microseconds.
  private var lockTimeout: Int64?
  private var localLockTimeout: Int64?
  private var silenceMax: Int64?
  private var transactionSilenceMax: Int64?
  private var prepared: [String: Prepared] = [:]

  private var schedule: Schedule { server.schedule }

  init(on server: Server, of program: Program?) {
    (self.server, self.program) = (server, program)
    file = ServerFile(server.path)
    idleSince = server.schedule.now
  }

  var state: TransactionState {
    hasFailed ? .failed : isInTransaction ? .active : .idle
  }

  /// When the server ends it, if it stays silent.
  var deadline: Int64? {
    guard !isBusy, !isOrphan else { return nil }
    guard let span = isInTransaction ? transactionSilenceMax : silenceMax else { return nil }
    return idleSince + span
  }

  /// Whether it is of the thread that asks for news and holds the lead.
  var isTail: Bool { silenceMax != nil }

  func endCall() {
    isBusy = false
    idleSince = schedule.now
  }

  // MARK: Statements

  /// Runs a text of statements; the answer to the last.
  func run(_ text: String, _ link: Link) throws(ServerFailure) -> Answer {
    var answer = Answer.done("")
    for statement in ServerStatement.all(in: text) {
      answer = try run(ServerStatement(statement), link)
      if answer.hasFailed { break }
    }
    return answer
  }

  func prepare(_ name: String, _ text: String, _ types: [UInt32]) throws(ServerFailure) -> Answer {
    try requireUnfailed()
    prepared[name] = Prepared(statement: ServerStatement(text), types: types)
    return .done("PREPARE")
  }

  func run(_ call: ServerCall, _ link: Link) throws(ServerFailure) -> Answer {
    guard let known = prepared[call.name] else {
      throw ServerFailure(state: "26000", message: "prepared statement \(call.name) does not exist")
    }
    return try run(known.statement, link, call, known.types)
  }

  private func run(
    _ statement: ServerStatement,
    _ link: Link,
    _ call: ServerCall? = nil,
    _ types: [UInt32] = []
  ) throws(ServerFailure) -> Answer {
    switch statement {
    case .commit: return .done(try commit(link))
    case .rollBack:
      rollBack()
      return .done("ROLLBACK")
    case .rollBackTo(let name):
      if server.writer === self { file?.run("ROLLBACK TO \(name)") }
      hasFailed = false
      return .done("ROLLBACK")
    default: try requireUnfailed()
    }
    do throws(ServerFailure) {
      return try runUnfailed(statement, link, call, types)
    } catch {
      hasFailed = isInTransaction
      throw error
    }
  }

  private func requireUnfailed() throws(ServerFailure) {
    guard !hasFailed else {
      throw ServerFailure(state: "25P02", message: "current transaction is aborted")
    }
  }

  private func runUnfailed(
    _ statement: ServerStatement,
    _ link: Link,
    _ call: ServerCall?,
    _ types: [UInt32]
  ) throws(ServerFailure) -> Answer {
    switch statement {
    case .begin(let isReadOnly):
      (isInTransaction, self.isReadOnly) = (true, isReadOnly)
      return .done("BEGIN")
    case .savepoint(let name):
      if server.writer === self { file?.run("SAVEPOINT \(name)") } else { savepoints.append(name) }
      return .done("SAVEPOINT")
    case .release(let name):
      if server.writer === self { file?.run("RELEASE \(name)") } else { savepoints.removeLast() }
      return .done("RELEASE")
    case .set(let name, let value, let isLocal):
      set(name, value, isLocal: isLocal)
      return .done("SET")
    case .lock(let key, let isOfTransaction):
      try wait(link) { self.server.isFree(key, for: self) }
      server.lock(key, self, isOfTransaction: isOfTransaction)
      return .text("")
    case .share(let key):
      try wait(link) { self.server.isFree(key, for: self, sharing: true) }
      server.lock(key, self, isOfTransaction: true, sharing: true)
      return .text("")
    case .lockAll:
      guard let numbers = file?.query("SELECT ?1", call, types).text else { throw .lost }
      for key in numbers.split(separator: ",").map(String.init) {
        try wait(link) { self.server.isFree(key, for: self) }
        server.lock(key, self, isOfTransaction: true)
      }
      return .text("")
    case .tryLock(let key):
      guard server.isFree(key, for: self) else { return .number(0) }
      server.lock(key, self, isOfTransaction: false)
      link.leads = true
      return .number(1)
    case .lockOfSession(let lockClass):
      let number = Int64(link.handle.number)
      server.lock("\(lockClass), \(number)", self, isOfTransaction: true)
      return .number(number)
    case .claims:
      let isolation = isReadOnly ? "repeatable read" : "read committed"
      return try rows(
        "SELECT 'PostgreSQL as it is simulated', '\(isolation)', '5s'",
        isWrite: false,
        link,
        nil,
        []
      )
    case .unlock(let key):
      server.unlock(key, self)
      link.leads = false
      return .text("")
    case .timeline: return .text(Self.hexadecimal(server.timeline))
    case .forgetPrepared:
      prepared = [:]
      return .done("DEALLOCATE")
    case .nothing(let command): return .done(command)
    case .constant(let number): return .number(number)
    case .guarding(let text):
      let answer = try rows(text, isWrite: false, link, call, types)
      guard !answer.isNull else {
        throw ServerFailure(state: "22012", message: "division by zero")
      }
      return answer
    case .rows(let text, let isWrite): return try rows(text, isWrite: isWrite, link, call, types)
    case .commit, .rollBack, .rollBackTo: preconditionFailure("run before")
    }
  }

  private func set(_ name: String, _ value: Int64?, isLocal: Bool) {
    switch name {
    case "lock_timeout": if isLocal { localLockTimeout = value } else { lockTimeout = value }
    case "idle_session_timeout": silenceMax = value
    case "idle_in_transaction_session_timeout": transactionSilenceMax = value
    default: break
    }
  }

  private static func hexadecimal(_ timeline: UInt32) -> String {
    let digits = String(timeline, radix: 16, uppercase: true)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  private func rows(
    _ text: String,
    isWrite: Bool,
    _ link: Link,
    _ call: ServerCall?,
    _ types: [UInt32]
  ) throws(ServerFailure) -> Answer {
    if isReadOnly, !hasSnapshot {
      file?.run("BEGIN")
      hasSnapshot = true
    }
    if isWrite { try beginWriting(link) }
    guard let answer = file?.query(text, call, types) else { throw .lost }
    // What failed is undone by SQLite, and poisons the transaction.
    if answer.hasFailed { hasFailed = isInTransaction }
    return answer
  }

  /// Has SQLite's transaction begin with the first statement that writes, so that those before it see the newest commits.
  private func beginWriting(_ link: Link) throws(ServerFailure) {
    guard !isReadOnly else {
      throw ServerFailure(state: "25006", message: "cannot execute in a read-only transaction")
    }
    guard server.writer !== self else { return }
    try wait(link) { self.server.writer == nil }
    guard isInTransaction else { return }
    server.writer = self
    file?.run("BEGIN IMMEDIATE")
    for name in savepoints { file?.run("SAVEPOINT \(name)") }
    savepoints = []
  }

  /// Waits for a lock, as long as `lock_timeout` says.
  private func wait(_ link: Link, _ isFree: @escaping () -> Bool) throws(ServerFailure) {
    guard !isFree() else { return }
    let limit = localLockTimeout ?? lockTimeout
    schedule.pause(
      .condition(until: limit.map { schedule.now + $0 } ?? .max) {
        isFree() || self.hasEnded || link.isGone
      }
    )
    guard !hasEnded, !link.isGone else { throw .lost }
    guard isFree() else {
      throw ServerFailure(state: "55P03", message: "canceling statement due to lock timeout")
    }
  }

  // MARK: Ends of transactions

  private func commit(_ link: Link) throws(ServerFailure) -> String {
    guard !hasFailed else {
      rollBack()
      return "ROLLBACK"
    }
    if server.writer === self {
      isCommitting = true
      schedule.pause()
      schedule.pause(
        .condition(until: .max) {
          self.server.hasStandby || self.hasEnded || link.isGone || !self.isCommitting
        }
      )
      guard !hasEnded else { throw .lost }
      guard !link.isGone else {
        isOrphan = isCommitting
        throw .lost
      }
      if isCommitting { complete() } else { link.handle.warn() }
    }
    endTransaction()
    return "COMMIT"
  }

  /// The commit has happened.
  func complete() {
    isCommitting = false
    file?.run("COMMIT")
    server.writer = nil
  }

  private func rollBack() {
    if server.writer === self {
      file?.run("ROLLBACK")
      server.writer = nil
    }
    endTransaction()
  }

  private func endTransaction() {
    if hasSnapshot { file?.run("COMMIT") }
    (isInTransaction, hasFailed, isReadOnly, hasSnapshot) = (false, false, false, false)
    localLockTimeout = nil
    savepoints = []
    server.endTransaction(of: self)
  }
}
