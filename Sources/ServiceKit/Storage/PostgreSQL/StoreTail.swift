internal import Glibc
internal import RPCKit

/// The thread that asks for commits of other programs of the store, and whose connection holds the lead.
///
/// It asks 50 times a second for the newest change, which works with every pooler and needs nothing of who writes.
final class StoreTail: Sendable {
  private struct State {
    var lastHeard: ContinuousClock.Instant
    var isWaking = false
    var isClosed = false
    /// The version of newer tables that the log has been given.
    var noted: SchemaVersion?
  }

  /// Whether this program is the one that does what only one may do.
  let leadership = Leadership(isLeading: false)
  private let state: Lock<State>
  private let now: @Sendable () -> ContinuousClock.Instant
  private let feed: ChangeFeed
  private let version: SchemaVersion
  private let logger: Logger?
  /// Has the writer take over what was committed.
  private let catchUp: @Sendable () async -> Void

  /// Time between two questions, in milliseconds.
  private static let interval: UInt32 = 20
  /// Questions between two attempts to lead, and between two looks at the version of the tables.
  private static let questionsPerAttempt = 25
  /// Time between two questions after which the second one is a long one.
  private static let pauseMax = Duration.seconds(1)
  /// The server ends a connection that says nothing for so long, so that a program that was stopped leads no longer.
  private static let silenceMax = "5s"

  private init(
    _ feed: ChangeFeed,
    _ version: SchemaVersion,
    _ logger: Logger?,
    _ now: @escaping @Sendable () -> ContinuousClock.Instant,
    _ catchUp: @escaping @Sendable () async -> Void
  ) {
    (self.feed, self.version, self.logger) = (feed, version, logger)
    (self.now, self.catchUp) = (now, catchUp)
    state = Lock(State(lastHeard: now()))
  }

  /// Connects and begins to ask.
  static func start(
    _ location: PostgresLocation,
    _ memory: StoreTimeline,
    feed: ChangeFeed,
    version: SchemaVersion,
    logger: Logger?,
    now: @escaping @Sendable () -> ContinuousClock.Instant,
    catchUp: @escaping @Sendable () async -> Void
  ) async throws(StoreError) -> (watch: StoreTail, thread: StoreThread) {
    let tail = StoreTail(feed, version, logger, now, catchUp)
    let thread = try await StoreThread.start(name: "store-tail") {
      () throws(StoreError) in
      let server = try PostgresConnection(location, memory)
      try prepare(server)
      return (server, try PostgresTurn(server))
    } work: { server, turn in
      tail.run(server, turn)
    }
    return (tail, thread)
  }

  /// Time since the store was last heard of.
  var silence: Duration {
    let now = now()
    return state.withLock { $0.lastHeard.duration(to: now) }
  }

  /// Has the thread end.
  func close() { state.withLock { $0.isClosed = true } }

  private static func prepare(_ server: PostgresConnection) throws(StoreError) {
    try server.run("SET idle_session_timeout = '\(silenceMax)'")
  }

  private func run(_ server: PostgresConnection, _ turn: PostgresTurn) {
    var questionCount = 0
    while !state.withLock({ $0.isClosed }) {
      do throws(StoreError) {
        // A program that was stopped may lead no longer.
        let isLong = questionCount % Self.questionsPerAttempt == 0 || silence > Self.pauseMax
        try ask(server, turn, isLong: isLong)
        questionCount += 1
      } catch {
        questionCount = 0
        leadership.set(false)
      }
      usleep(Self.interval * 1000)
    }
    // A lock ends with the connection, a row does not.
    if turn.isByRows, leadership.isLeading, server.isConnected {
      _ = try? turn.stopLeading(on: server)
    }
    leadership.set(false)
  }

  private func ask(
    _ server: PostgresConnection,
    _ turn: PostgresTurn,
    isLong: Bool
  ) throws(StoreError) {
    // Also when another connection has found a newer primary: its lock makes the leader, and its changes are the news.
    if !server.isConnected {
      leadership.set(false)
      try server.connectForUse()
      try Self.prepare(server)
    }
    let newest = try StoreSchema.newestRevision(server)
    let now = now()
    state.withLock { $0.lastHeard = now }
    if newest > feed.newest { wake() }
    guard isLong else { return }
    let found = try StoreVersion.of(server)
    if version.isOlder(than: found.oldestProgram) { return try leave(server, turn) }
    note(found.tables)
    leadership.set(try turn.lead(on: server, isLeading: leadership.isLeading))
  }

  /// Says once that a newer program has added to the tables, which this one does not use.
  private func note(_ found: SchemaVersion) {
    guard version.isOlder(than: found) else { return }
    let isNews = state.withLock { state in
      defer { state.noted = found }
      return state.noted != found
    }
    guard isNews else { return }
    logger?.notice(
      "a newer program has expanded the store; this one goes on",
      ["store_version": "\(found)", "program_version": "\(version)"]
    )
  }

  /// A newer program has changed the tables: it is to lead, and the writer of this one to notice and to stop.
  private func leave(_ server: PostgresConnection, _ turn: PostgresTurn) throws(StoreError) {
    if leadership.isLeading { try turn.stopLeading(on: server) }
    leadership.set(false)
    wake()
  }

  /// Has the writer take over what is new, once at a time.
  private func wake() {
    let isFirst = state.withLock { state in
      defer { state.isWaking = true }
      return !state.isWaking
    }
    guard isFirst else { return }
    Task {
      await catchUp()
      state.withLock { $0.isWaking = false }
    }
  }
}
