internal import RPCKit
internal import ServiceKit

/// Mails that wait to be sent, in the store: each is queued by the write that causes it, and sent after.
///
/// A mail is sent at least once, and twice only if the service ends between handing it over and saying so
/// (docs/decisions/0121). Both have the same Message-ID. While an attempt is under way the mail is leased to
/// it. The store has one program at a time, so that the next one need not wait for the ends of leases.
final class Outbox: Sendable {
  /// The time a notice is worth sending, in milliseconds.
  static let noticeLifetime: Int64 = 3 * 24 * 3_600_000
  /// How long ended mails are listed, in milliseconds.
  static let keptAfterEnd: Int64 = 30 * 24 * 3_600_000
  /// How often mails are looked for that became due, or that nobody announced.
  private static let pollInterval = Duration.seconds(1)

  let tokens: MailTokenKey
  private let settings: MailSettings
  private let templates: MailTemplates
  private let transport: any MailTransport
  private let sealing: SealingKey
  private let clock: any WallClock
  private let random: any RandomSource
  private let identifiers: IdentifierFactory
  private let logger: Logger
  private let metrics: OutboxMetrics
  private let attempts: MailAttempts
  private let mails: LeasedQueue<MailAttempts>
  private let threads: MailThreads
  private let isStopping = Lock(false)
  /// Mails that wait, by who asked for them: as the store had them the last time they were counted, and those
  /// queued since.
  ///
  /// Not asked of the store each time: with a full outbox that would take longer than the sign-in.
  private let waiting: Lock<SharedPlaces>
  private let holderKey: HMACKey

  init(
    _ settings: MailSettings,
    templates: MailTemplates,
    transport: any MailTransport,
    sealing: SealingKey,
    lookup: HMACKey,
    clock: any WallClock,
    random: any RandomSource,
    identifiers: IdentifierFactory,
    logger: Logger,
    metrics: OutboxMetrics
  ) {
    self.settings = settings
    self.templates = templates
    self.transport = transport
    threads = MailThreads(count: transport.partCount)
    self.sealing = sealing
    tokens = MailTokenKey(secret: lookup)
    holderKey = lookup
    waiting = Lock(SharedPlaces(settings.queueBound))
    self.clock = clock
    self.random = random
    self.identifiers = identifiers
    self.logger = logger
    self.metrics = metrics
    attempts = MailAttempts(
      tokens: tokens,
      sealing: sealing,
      countMax: settings.attemptCountMax,
      clock: clock,
      logger: logger,
      metrics: metrics
    )
    mails = LeasedQueue(
      attempts,
      .init(pollInterval: Self.pollInterval, batchCount: transport.batchCount),
      lease: MailAttempts.lease,
      clock: clock
    )
  }

  // MARK: - Queueing

  /// Queues a mail in the write that causes it; false when too many wait, and it is not.
  ///
  /// It takes a place of `holder`, or else of the account that it is about. When no place is free, the
  /// newest mail of the holder with the most makes room, if that is more than this holder has. Call `wake` after
  /// the commit.
  @discardableResult
  func queue(
    _ order: MailOrder,
    of holder: PlaceHolder? = nil,
    expires: Int64? = nil,
    in tx: borrowing WriteTransaction
  ) throws -> Bool {
    // A place would be taken for nothing.
    guard !tx.isRehearsal else { return true }
    let (id, now) = (identifiers.make(.mail), clock.now)
    let holder = holder ?? order.userID.map { .account($0) } ?? .source(nil)
    let name = holder.name(holderKey)
    switch waiting.withLock({ $0.take(name) }) {
    case .taken: break
    case .replaces(let other):
      metrics.shed.increment()
      // As if it had been refused when it was asked for.
      try MailTable.deleteNewest(of: other, in: tx)
    case .refused:
      metrics.shed.increment()
      return false
    }
    try MailTable.insert(
      MailRecord(
        id: id,
        kind: order.kind.rawValue,
        userID: order.userID,
        state: .queued,
        attemptCount: 0,
        created: now,
        due: now,
        expires: expires ?? now.addingSaturated(Self.noticeLifetime),
        finished: nil,
        error: ""
      ),
      sealed: sealing.seal(order.bytes, for: MailAttempts.purpose(id), random: random),
      holder: name,
      in: tx
    )
    metrics.queued.series(order.kind.rawValue).increment()
    return true
  }

  /// Queues a mail without which the write is of no use; throws RESOURCE_EXHAUSTED when too many wait.
  func require(
    _ order: MailOrder,
    of holder: PlaceHolder? = nil,
    expires: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    guard try queue(order, of: holder, expires: expires, in: tx) else {
      throw MailError.queueFull
    }
  }

  /// Has mails sent that were committed, at once.
  func wake() { mails.wake() }

  /// Takes back mails that were handed over and that nobody has fetched; throws when that may work later.
  func withdraw(_ mails: [String]) async throws {
    let transport = transport
    let failure = try await threads.run { () -> FileError? in
      do throws(FileError) {
        try transport.withdraw(mails)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  // MARK: - Sending

  /// Sends what is due, until the task is cancelled.
  func run(_ store: ServiceStore, on loop: any EventLoop) async {
    isStopping.withLock { $0 = false }
    await recover(store)
    await withTaskCancellationHandler {
      await mails.run(on: loop) { await self.drain(store) }
    } onCancel: {
      isStopping.withLock { $0 = true }
    }
  }

  /// Makes the attempts of the program before this one again: what became of them nobody knows.
  func recover(_ store: ServiceStore) async {
    let now = clock.now
    do {
      try await store.writeOwn { tx in try MailTable.release(now: now, in: tx) }
    } catch {
      logger.error("could not look for unfinished mails; they wait", ["error": "\(error)"])
    }
  }

  /// Ends the threads that hand mails over.
  func stop() {
    isStopping.withLock { $0 = true }
    threads.stop()
  }

  /// Sends all mails that are due now, a batch at a time.
  func drain(_ store: ServiceStore) async {
    do {
      let attempts = attempts
      try await mails.drainBatches(store) { begun in
        try await self.count(store)
        let outcomes = try await self.deliver(begun)
        return { tx in try attempts.end(Array(zip(begun, outcomes)), in: tx) }
      }
      try await count(store)
    } catch {
      // Attempts that were begun are made again when their leases have ended.
      logger.error("could not send mails; retrying", ["error": "\(error)"])
    }
  }

  private func message(_ attempt: MailAttempt) -> MailMessage {
    let (order, user) = (attempt.order, attempt.user)
    var values = order.values
    values["email"] = attempt.address
    values["token"] = order.token
    if let path = order.kind.linkPath {
      // Behind a number sign, so that no server and no scanner on the way gets to see it.
      values["link"] = "\(settings.link)/\(path)#\(order.token)"
    }
    // Anyone who signs an address up that is somebody else's must not be able to send them words.
    let isNamed = order.kind.mayNameTheUser && user.isEmailVerified
    values["name"] = isNamed ? user.displayName : attempt.address
    let texts = templates.texts(order.kind, language: attempt.language)
    return MailMessage(
      id: attempt.record.id,
      date: attempt.record.created,
      from: .init(name: settings.fromName, address: settings.fromAddress),
      to: EmailAddress(attempt.address).deliverable,
      subject: texts.subject.filled(values, .text),
      plain: texts.text.filled(values, .text),
      html: texts.html.filled(values, .html)
    )
  }

  /// Mails that a part has at least, before another one is worth a connection.
  private static let partMin = 8

  /// Hands mails over, in parts at the same time; an outcome for each, in their order.
  private func deliver(_ mails: [MailAttempt]) async throws -> [MailOutcome] {
    let partCount = min(transport.partCount, (mails.count + Self.partMin - 1) / Self.partMin)
    let size = (mails.count + partCount - 1) / max(1, partCount)
    return try await withThrowingTaskGroup(of: (Int, [MailOutcome]).self) { group in
      for number in 0..<partCount {
        let part = mails.dropFirst(number * size).prefix(size)
        group.addTask { (number, try await self.deliver(part, on: number)) }
      }
      var parts = [[MailOutcome]](repeating: [], count: partCount)
      for try await (number, outcomes) in group { parts[number] = outcomes }
      return parts.flatMap { $0 }
    }
  }

  private func deliver(
    _ part: ArraySlice<MailAttempt>,
    on thread: Int
  ) async throws -> [MailOutcome] {
    try await threads.run(on: thread) { [self] in
      // Written here and not in the transaction, which everybody else's writes wait for.
      transport.deliver(part.map { message($0) }) { self.isStopping.withLock { $0 } }
    }
  }

  /// Counts what the store has, now and then, where another program sends it; see `Database.isLeading`.
  func recount(_ store: ServiceStore, on loop: any EventLoop) async {
    while !Task.isCancelled {
      await loop.sleep(.seconds(1))
      guard !Task.isCancelled, !store.database.isLeading else { continue }
      do {
        try await count(store)
      } catch {
        logger.error("could not count waiting mails; retrying", ["error": "\(error)"])
      }
    }
  }

  /// Counts what the store has.
  private func count(_ store: ServiceStore) async throws {
    let (holdings, deadCount) = try await store.database.read { tx in
      (try MailTable.holdings(in: tx), try MailTable.deadCount(in: tx))
    }
    waiting.withLock { $0.reset(to: holdings) }
    metrics.waiting.set(holdings.reduce(0) { $0 + $1.count })
    metrics.dead.set(deadCount)
  }
}
