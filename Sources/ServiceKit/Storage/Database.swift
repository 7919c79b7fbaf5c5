public import RPCKit
internal import Synchronization

/// A store in one file: what was written is on the disk before the writer gets its result.
///
/// All work happens on threads of the store, one that writes and some that read, so it may be called
/// from anywhere. A transaction is a closure that does not wait for anything; writes that arrive
/// together share one fsync. Full disks make writes fail as `StoreError.unavailable` and reads continue.
///
/// ```swift
/// let database = try await Database.open(configuration, migrations: [
///   Migration(version: 1, sql: "CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT NOT NULL)")
/// ])
/// try await database.write { tx in
///   try tx.execute("INSERT INTO note (id, text) VALUES (?, ?)", .text(id), .text("milk"))
/// }
/// let text = try await database.read { tx in
///   try tx.first("SELECT text FROM note WHERE id = ?", .text(id)) { $0.text(0) }
/// }
/// await database.close()
/// ```
public final class Database: Sendable {
  /// The configuration it was opened with, the path without symbolic links.
  public let configuration: DatabaseConfiguration

  let feed: ChangeFeed
  private let writer: StoreWriter
  private let readers: StoreReaders
  /// Hears of the commits of other programs; nil for a file, which has one.
  private let tail: (watch: StoreTail, thread: StoreThread)?
  let leadership: Leadership
  private let lastJobID = Atomic<UInt64>(0)

  private init(
    configuration: DatabaseConfiguration,
    feed: ChangeFeed,
    writer: StoreWriter,
    readers: StoreReaders,
    tail: (watch: StoreTail, thread: StoreThread)?
  ) {
    self.configuration = configuration
    self.feed = feed
    self.writer = writer
    self.readers = readers
    self.tail = tail
    leadership = tail?.watch.leadership ?? Leadership(isLeading: true)
  }

  /// Opens a store, or makes it, checks it, and brings it to the newest schema.
  ///
  /// What was there before is looked for: a store that is gone, or differs from how it was left, is an
  /// error and stays as it is. Throws `StoreError`: `inUse` when it is open elsewhere, by whatever name,
  /// `missing`, `corrupt`, `newerSchema`, `foreignFile`, `migrationFailed`, `cannotOpen`. Close it when
  /// it is no longer needed.
  public static func open(
    _ configuration: DatabaseConfiguration,
    migrations: [Migration],
    clock: any WallClock = SystemWallClock()
  ) async throws(StoreError) -> Database {
    try await open(configuration, migrations: migrations, clock: clock, monotonic: { .now })
  }

  /// As above, with the clock that measures how long the server has been silent, and with what is known of its
  /// timelines.
  static func open(
    _ configuration: DatabaseConfiguration,
    migrations: [Migration],
    clock: any WallClock,
    monotonic: @escaping @Sendable () -> ContinuousClock.Instant,
    memory: StoreTimeline = StoreTimeline()
  ) async throws(StoreError) -> Database {
    precondition((1...64).contains(configuration.readerCount), "1 to 64 readers")
    var configuration = configuration
    if configuration.server == nil {
      configuration.path = try StoreFile.canonical(configuration.path)
      configuration.server = try TestServer.location(of: configuration.path)
      if let server = configuration.server { configuration.path = server.description }
    }
    let feed = ChangeFeed(tailCountMax: configuration.recentChangeCountMax)
    let writer = try await StoreWriter.start(
      configuration,
      memory,
      migrations: migrations,
      clock: clock,
      feed: feed
    )
    do throws(StoreError) {
      let readers = try await StoreReaders.start(configuration, memory)
      do throws(StoreError) {
        return Database(
          configuration: configuration,
          feed: feed,
          writer: writer,
          readers: readers,
          tail: try await startTail(
            configuration,
            memory,
            SchemaVersion(migrations),
            feed,
            writer,
            monotonic
          )
        )
      } catch {
        await readers.close()
        throw error
      }
    } catch {
      await writer.close()
      throw error
    }
  }

  private static func startTail(
    _ configuration: DatabaseConfiguration,
    _ memory: StoreTimeline,
    _ version: SchemaVersion,
    _ feed: ChangeFeed,
    _ writer: StoreWriter,
    _ monotonic: @escaping @Sendable () -> ContinuousClock.Instant
  ) async throws(StoreError) -> (watch: StoreTail, thread: StoreThread)? {
    guard let server = configuration.server else { return nil }
    return try await StoreTail.start(
      server,
      memory,
      feed: feed,
      version: version,
      logger: configuration.logger,
      now: monotonic
    ) {
      // One at a time, so that one number does; what fails is tried again by the next question.
      try? await writer.queue.perform(id: .max, isCatchUp: true) { _ in }
    }
  }

  /// Runs `body` on one snapshot of the store.
  ///
  /// Throws what `body` throws, or `StoreError`; `CancellationError` when the task was cancelled
  /// before its turn came. When more than a few reads wait, owners take turns; those without one go first.
  ///
  /// `asksTogether` is for a body of several questions that do not follow from each other: a server answers them in one
  /// round trip. For that `body` runs several times, first on answers without rows, so it must take those, ask the same
  /// each time, and do nothing else. In a file it runs once.
  @inlinable
  public func read<R: Sendable>(
    of owner: CountedCaller? = nil,
    asksTogether: Bool = false,
    _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> R
  ) async throws -> R {
    let result = TransactionResult<R>()
    try await performRead(of: owner, asksTogether) { tx in result.value = try body(tx) }
    return result.taken
  }

  /// Runs `body` as one change, and returns when the disk has confirmed it.
  ///
  /// When `body` throws, nothing of it remains and the error is thrown on. `StoreError.unavailable`
  /// means that the commit failed: repeat the call with its idempotency key.
  /// `CancellationError` when the task was cancelled before its turn came; later it is done
  /// regardless. `body` runs together with other writes that it must not wait for, and runs again when
  /// it relied on what one of them has changed (see `StoreTransaction.rely`): only the last time
  /// counts, so it must do nothing outside of the transaction that cannot be done twice.
  ///
  /// Services write by `ServiceStore`, which knows who the `author` is; without one nothing can be
  /// audited. The call of an author holds no place in admission control in the meantime
  /// (`CallContext.waiting`). `StoreError.overloaded` and `callerOverloaded` mean that too many writes
  /// wait, of all or of that caller, and nothing was done.
  ///
  /// `heads` says what the write is about, which saves round trips to a server.
  @inlinable
  @discardableResult
  public func write<R: Sendable>(
    as author: Author? = nil,
    heads: WriteHeads = .unknown,
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> R
  ) async throws -> R {
    let result = TransactionResult<R>()
    try await performWrite(as: author, heads) { tx in result.value = try body(tx) }
    return result.taken
  }

  // Inlined and without a result: what is generic in `R` here would look types up for each call.
  @usableFromInline
  func performRead(
    of owner: CountedCaller?,
    _ asksTogether: Bool,
    _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> Void
  ) async throws {
    try await readers.queue.perform(id: nextJobID(), of: owner) { connection in
      try connection.inReadTransaction(asksTogether: asksTogether, body)
    }
  }

  @usableFromInline
  func performWrite(
    as author: Author?,
    _ heads: WriteHeads,
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Void
  ) async throws {
    let work = { @Sendable (session: WriteSession) in
      session.author = author
      try body(WriteTransaction(session))
    }
    let queue = writer.queue(for: heads)
    guard let call = author?.call else {
      return try await queue.perform(id: nextJobID(), heads: heads, work)
    }
    // How many may wait is bounded here, for all and for each caller: see docs/decisions/0091.
    try await call.waiting {
      let owner = CountedCaller(writing: call)
      try await queue.perform(id: nextJobID(), of: owner, heads: heads, work)
    }
  }

  /// The revision of the newest committed change; 0 without any.
  public var revision: Int64 { feed.newest }

  /// Returns once memory has followed all that was committed before, by whatever program.
  ///
  /// Throws `StoreError.unavailable` when that cannot be found out.
  package func catchUp() async throws {
    guard isShared else { return }
    try await writer.queue.perform(id: nextJobID(), isCatchUp: true) { _ in }
  }

  /// Whether other programs may serve the same store.
  public var isShared: Bool { configuration.server != nil }

  /// Time since other programs' commits were last asked about; zero for a file, of which there are none.
  var silence: Duration { tail?.watch.silence ?? .zero }

  /// The changes after a revision, in order; nil starts with the next one.
  ///
  /// A subscriber that is more than `lagCountMax` changes behind has to read everything again.
  public func changes(
    after revision: Int64? = nil,
    lagCountMax: Int64 = ChangeSubscription.defaultLagCountMax
  ) -> ChangeSubscription {
    ChangeSubscription(database: self, start: revision ?? feed.newest, lagCountMax: lagCountMax)
  }

  /// How the store is; for readiness checks.
  public var condition: StoreCondition { writer.condition }

  /// Writes that wait for their turn; for metrics.
  public var waitingWriteCount: Int { writer.waitingCount }

  /// Reads that wait for a thread; for metrics.
  public var waitingReadCount: Int { readers.queue.waitingCount }

  /// Finishes what waits, moves the log into the file and lets go of it.
  ///
  /// Calls made after it throw `StoreError.unavailable`. May be called again.
  public func close() async {
    tail?.watch.close()
    await tail?.thread.ended()
    // Readers first: they would keep the log from being emptied.
    await readers.close()
    await writer.close()
  }

  private func nextJobID() -> UInt64 {
    lastJobID.add(1, ordering: .relaxed).newValue
  }
}

/// The result of a transaction for its caller.
///
/// `@unchecked Sendable`: the store's thread sets it before it tells the caller, who only then looks.
@usableFromInline
final class TransactionResult<R: Sendable>: @unchecked Sendable {
  @usableFromInline var value: R?

  @inlinable
  init() {}

  /// The result of a transaction that was done.
  @inlinable var taken: R {
    guard let value else { preconditionFailure("a transaction that was not done has no result") }
    return value
  }
}
