internal import RPCKit
internal import ServiceKit

/// Mails that wait to be sent, in the store: each is queued by the write that causes it, and sent after.
///
/// A mail is sent at least once, and twice only if the service ends between handing it over and saying so
/// (docs/decisions/0121). Both have the same Message-ID. While an attempt is under way the mail is leased to
/// it. The store has one program at a time, so that the next one need not wait for the ends of leases.
final class Outbox: Sendable {
  /// How long one attempt has a mail to itself, in milliseconds: longer than a whole batch may take.
  static let lease: Int64 = 15 * 60_000
  /// The time a notice is worth sending, in milliseconds.
  static let noticeLifetime: Int64 = 3 * 24 * 3_600_000
  /// How long ended mails are listed, in milliseconds.
  static let keptAfterEnd: Int64 = 30 * 24 * 3_600_000
  /// The first and the longest pause between two attempts, in milliseconds.
  static let pauses: ClosedRange<Int64> = 60_000...(4 * 3_600_000)
  /// How often mails are looked for that became due, or that nobody announced.
  private static let pollInterval = Duration.seconds(1)
  /// Bytes of an error that are kept.
  private static let errorByteCountMax = 300

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
  private let signal = WakeSignal()
  private let thread = MailThread()
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
    self.sealing = sealing
    tokens = MailTokenKey(secret: lookup)
    holderKey = lookup
    waiting = Lock(SharedPlaces(settings.queueBound))
    self.clock = clock
    self.random = random
    self.identifiers = identifiers
    self.logger = logger
    self.metrics = metrics
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
      sealed: sealing.seal(order.bytes, for: Self.purpose(id), random: random),
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
  func wake() { signal.announce() }

  /// Takes back mails that were handed over and that nobody has fetched; throws when that may work later.
  func withdraw(_ mails: [String]) async throws {
    let transport = transport
    let failure = try await thread.run { () -> FileError? in
      do throws(FileError) {
        try transport.withdraw(mails)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  private static func purpose(_ id: String) -> String { "mail \(id)" }

  // MARK: - Sending

  /// Sends what is due, until the task is cancelled.
  func run(_ store: ServiceStore, on loop: any EventLoop) async {
    await recover(store)
    await withTaskCancellationHandler {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.announceRegularly(on: loop) }
        group.addTask { await self.drainWheneverAnnounced(store) }
        await group.waitForAll()
      }
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

  private func announceRegularly(on loop: any EventLoop) async {
    while !Task.isCancelled {
      await loop.sleep(Self.pollInterval)
      wake()
    }
  }

  private func drainWheneverAnnounced(_ store: ServiceStore) async {
    while !Task.isCancelled {
      // Before the store, so that nothing is missed in between.
      let version = signal.version
      await drain(store)
      await signal.wait(past: version)
    }
  }

  /// Ends the thread that hands mails over.
  func stop() {
    isStopping.withLock { $0 = true }
    thread.stop()
  }

  /// Sends all mails that are due now, a batch at a time.
  func drain(_ store: ServiceStore) async {
    do {
      var batch = try await begin(store)
      while !batch.mails.isEmpty || batch.isFull {
        let outcomes = try await deliver(batch.mails)
        let ended = Array(zip(batch.mails, outcomes))
        // One commit, and one wait for the disk, for the end of these and the beginning of the next.
        let isLast = !batch.isFull || Task.isCancelled
        batch = try await store.writeOwn { [self] tx in
          try end(ended, in: tx)
          return isLast ? Batch() : try begin(in: tx)
        }
        report(ended)
        try await count(store)
      }
    } catch {
      // Attempts that were begun are made again when their leases have ended.
      logger.error("could not send mails; retrying", ["error": "\(error)"])
    }
  }

  /// A mail that an attempt was begun for.
  private struct Attempt: Sendable {
    let record: MailRecord
    let order: MailOrder
    let address: String
    let user: UserRecord
    let language: String

    /// Which attempt it is, counted from 1.
    var number: Int64 { record.attemptCount + 1 }
  }

  private struct Batch: Sendable {
    var mails: [Attempt] = []
    /// Whether more may be due.
    var isFull = false
  }

  private func begin(_ store: ServiceStore) async throws -> Batch {
    let now = clock.now
    let isIdle = try await store.database.read { tx in
      try MailTable.due(now: now, horizon: Self.horizon(now), limit: 1, in: tx).isEmpty
    }
    if isIdle {
      try await count(store)
      return Batch()
    }
    return try await store.writeOwn { [self] tx in try begin(in: tx) }
  }

  private func begin(in tx: borrowing WriteTransaction) throws -> Batch {
    let (now, limit) = (clock.now, transport.batchCount)
    let due = try MailTable.due(now: now, horizon: Self.horizon(now), limit: limit, in: tx)
    var batch = Batch(isFull: due.count == limit)
    for (mail, sealed) in due {
      if let begun = try attempt(mail, sealed, now: now, in: tx) { batch.mails.append(begun) }
    }
    return batch
  }

  /// No mail is due later than this, unless a clock has jumped.
  private static func horizon(_ now: Int64) -> Int64 {
    now.addingSaturated(max(pauses.upperBound, lease))
  }

  /// Begins an attempt; nil for a mail that ends without one.
  private func attempt(
    _ mail: MailRecord,
    _ sealed: [UInt8],
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> Attempt? {
    guard now < mail.expires else {
      try abandon(mail, "expired before it could be sent; \(mail.error)", "expired", now, in: tx)
      return nil
    }
    // A sealing key that was replaced; the mail is lost, and its owner asks for another one.
    let opened = try? sealing.open(sealed, for: Self.purpose(mail.id))
    guard let sealedOrder = opened.flatMap({ MailOrder($0) }) else {
      try abandon(mail, "cannot be read with this sealing key", "refused", now, in: tx)
      return nil
    }
    guard let (order, user, language) = try resolve(sealedOrder, now: now, in: tx) else {
      try MailTable.delete(mail.id, in: tx)
      metrics.sent.series("dropped").increment()
      return nil
    }
    guard case .address(let address) = order.recipient, EmailAddress(address).isMailable else {
      try abandon(mail, "the address cannot be sent mail to", "refused", now, in: tx)
      return nil
    }
    if try IdentityTable.isMailStopped(to: EmailAddress(address), of: user.id, in: tx) {
      try abandon(mail, "Apple does not forward mail to the address", "refused", now, in: tx)
      return nil
    }
    try MailTable.begin(
      mail.id,
      userID: user.id,
      leaseEnd: now.addingSaturated(Self.lease),
      in: tx
    )
    return Attempt(
      record: mail,
      order: order,
      address: address,
      user: user,
      language: order.language ?? language
    )
  }

  /// The order with the address that it goes to, the account that it is about, and the language of anyone who
  /// reads it; nil when it is for nobody.
  private func resolve(
    _ order: MailOrder,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> (MailOrder, UserRecord, language: String)? {
    var order = order
    let digest = order.kind.purpose.flatMap { tokens.digest(of: order.token, $0) }
    // A token that was relieved by a newer one, or used: nobody needs it.
    if let digest {
      guard let token = try MailTokenTable.find(digest, in: tx), token.used == nil else {
        return nil
      }
    }
    switch order.recipient {
    case .holder(let key):
      // A disabled account gets no mail that it could do nothing about.
      guard let user = try UserTable.holder(of: EmailAddress(key), in: tx),
        try DisablementTable.find(user.id, in: tx) == nil
      else {
        if let digest { try MailTokenTable.delete(digest, in: tx) }
        return nil
      }
      if let digest { try MailTokenTable.bind(digest, to: user.id, in: tx) }
      // Where the account's mail goes, and not what somebody typed.
      order.recipient = .address(user.email)
      order.kind = order.kind.whenSent(to: user)
      return (order, user, user.language)
    case .address(let address):
      // Not to an account that has no address.
      guard !address.isEmpty, let userID = order.userID,
        let user = try UserTable.find(userID, in: tx)
      else { return nil }
      if order.kind == .invitation {
        return try resolve(invitation: order, to: EmailAddress(address), from: user, in: tx)
      }
      if order.kind == .changeEmail,
        try UserTable.isTaken(EmailAddress(address), exceptBy: userID, now: now, in: tx)
      {
        if let digest { try MailTokenTable.delete(digest, in: tx) }
        order.kind = .addressInUse
        order.token = ""
      }
      order.kind = order.kind.whenSent(to: user)
      return (order, user, user.language)
    }
  }

  /// An invitation says who invites by the address that they have proven, and nothing that they can choose.
  private func resolve(
    invitation order: MailOrder,
    to address: EmailAddress,
    from inviter: UserRecord,
    in tx: borrowing WriteTransaction
  ) throws -> (MailOrder, UserRecord, language: String)? {
    guard inviter.isEmailVerified else { return nil }
    var order = order
    order.values["inviter"] = inviter.email
    guard let invited = try UserTable.holder(of: address, in: tx) else {
      return (order, inviter, inviter.language)
    }
    order.recipient = .address(invited.email)
    return (order, inviter, invited.language)
  }

  private func message(_ attempt: Attempt) -> MailMessage {
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

  private func deliver(_ mails: [Attempt]) async throws -> [MailOutcome] {
    guard !mails.isEmpty else { return [] }
    return try await thread.run { [self] in
      // Written here and not in the transaction, which everybody else's writes wait for.
      transport.deliver(mails.map { message($0) }) { self.isStopping.withLock { $0 } }
    }
  }

  /// Says what became of attempts.
  private func end(
    _ ended: [(Attempt, MailOutcome)],
    in tx: borrowing WriteTransaction
  ) throws {
    let now = clock.now
    for (attempt, outcome) in ended {
      let (mail, number) = (attempt.record, attempt.number)
      switch outcome {
      case .sent:
        try MailTable.finish(mail.id, .sent, error: "", now: now, in: tx)
        metrics.sent.series("sent").increment()
      case .refused(let reason):
        try abandon(mail, reason, "refused", now, in: tx)
      case .failed(let reason) where number >= settings.attemptCountMax:
        try abandon(mail, "\(number) attempts; the last: \(reason)", "refused", now, in: tx)
      case .failed(let reason):
        try MailTable.retry(
          mail.id,
          attempt: number,
          due: now.addingSaturated(Self.pause(after: number)),
          error: Self.shortened(reason),
          in: tx
        )
        metrics.sent.series("failed").increment()
      }
    }
  }

  /// Tells the operator of mails that could not be sent for the first time.
  private func report(_ ended: [(Attempt, MailOutcome)]) {
    for (attempt, outcome) in ended {
      if case .failed(let reason) = outcome, attempt.number == 1 {
        logger.warning(
          "could not send a mail; retrying",
          ["mail": .string(attempt.record.id), "error": .string(Self.shortened(reason))]
        )
      }
    }
  }

  /// Ends a mail that will not be sent.
  private func abandon(
    _ mail: MailRecord,
    _ reason: String,
    _ outcome: String,
    _ now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    let error = Self.shortened(reason)
    try MailTable.finish(mail.id, .dead, error: error, now: now, in: tx)
    metrics.sent.series(outcome).increment()
    logger.warning(
      "a mail was given up",
      ["mail": .string(mail.id), "kind": .string(mail.kind), "error": .string(error)]
    )
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

  /// 1, 2, 4 … minutes, and never more than four hours.
  static func pause(after attempt: Int64) -> Int64 {
    min(pauses.lowerBound << min(max(0, attempt - 1), 10), pauses.upperBound)
  }

  private static func shortened(_ reason: String) -> String {
    let oneLine: [Unicode.Scalar] = reason.unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control ? " " : scalar
    }
    var text = ""
    for scalar in oneLine where text.utf8.count < errorByteCountMax {
      text.unicodeScalars.append(scalar)
    }
    return text
  }
}
