internal import RPCKit
internal import ServiceKit

/// Takes deletions of accounts through their steps, until everything is erased.
///
/// What was done is stored before what comes next is begun, and each step may be done again: so it does not
/// matter when this service or another one is stopped. A step that fails is tried again after a pause, for as
/// long as it takes.
final class DeletionSaga: Sendable {
  /// The pauses between attempts.
  static let backoff = Backoff(1_000...3_600_000)
  /// How long a deletion rests whose user must first hand something over, in milliseconds.
  static let blockedPause: Int64 = 24 * 3_600_000
  /// A deletion that is not done so long after its grace period is counted as overdue, in milliseconds.
  static let overdueAfter: Int64 = 24 * 3_600_000
  /// How long the last mail may wait to be sent before the address is erased all the same, in milliseconds.
  static let farewellMax: Int64 = 24 * 3_600_000
  /// The shortest and the longest pause before it is looked whether it was sent, in milliseconds.
  private static let farewellPauses: ClosedRange<Int64> = 1_000...60_000
  /// How often deletions are looked for that became due.
  private static let pollInterval = Duration.seconds(1)
  /// Deletions that are worked on at the same time.
  private static let countAtOnce = 8

  let core: AuthCore
  /// How long a deletion can be taken back, in milliseconds.
  let grace: Int64
  let erasure: ErasurePeers
  let reports: AccountReports
  private let metrics: DeletionMetrics
  private let queue: LeasedQueue<Rows>

  /// With a `lease`, several programs may work on one store: each has a deletion to itself for so many milliseconds.
  init(
    _ core: AuthCore,
    _ settings: DeletionSettings,
    _ erasure: ErasurePeers,
    _ metrics: MetricRegistry,
    lease: Int64? = nil
  ) {
    (self.core, self.erasure) = (core, erasure)
    grace = settings.grace
    reports = AccountReports(core.store, erasure, clock: core.clock, logger: core.logger)
    self.metrics = DeletionMetrics(metrics)
    queue = LeasedQueue(
      Rows(metrics: self.metrics),
      .init(pollInterval: Self.pollInterval, batchCount: Self.countAtOnce),
      lease: lease,
      clock: core.clock
    )
  }

  private var store: ServiceStore { core.store }

  /// The deletions that are due.
  private struct Rows: LeasedRows {
    let metrics: DeletionMetrics

    func due(now: Int64, limit: Int, in tx: borrowing some Queryable) throws -> [DeletionRecord] {
      let counts = try DeletionTable.counts(overdueSince: now - overdueAfter, in: tx)
      metrics.pending.set(counts.pending)
      metrics.overdue.set(counts.overdue)
      return try DeletionTable.due(now: now, limit: limit, in: tx)
    }

    func take(
      _ row: DeletionRecord,
      until end: Int64,
      in tx: borrowing WriteTransaction
    ) throws -> DeletionRecord? {
      var taken = row
      taken.due = end
      try DeletionTable.update(taken, in: tx)
      return taken
    }
  }

  /// Has deletions looked at, at once.
  func wake() { queue.wake() }

  /// Works on what is due, until the task is cancelled.
  func run(on loop: any EventLoop) async { await queue.run(on: loop) { await self.workOff() } }

  /// Works on everything that is due now, until it is done or has to wait.
  func workOff() async {
    do {
      try await queue.drainBatches(store) { due in
        // What could not even be postponed waits for the next look.
        try await withThrowingTaskGroup(of: Void.self) { group in
          for deletion in due { group.addTask { try await self.advance(deletion) } }
          try await group.waitForAll()
        }
        return nil
      }
    } catch is CancellationError {
      // The service stops; what is due goes on after the next start.
    } catch {
      core.logger.error("could not work on deletions; retrying", ["error": "\(error)"])
    }
  }

  /// Does the next step, or a part of it; throws when the store does not know what became of it.
  private func advance(_ deletion: DeletionRecord) async throws {
    do {
      switch deletion.step {
      case .waiting, .blocked: try await begin(deletion)
      case .tenancy: try await eraseInTenancy(deletion)
      case .entitlement: try await eraseInEntitlement(deletion)
      case .account: try await eraseAccount(deletion)
      case .log: try await emptyLog(deletion)
      case .done: break
      }
    } catch {
      try await postpone(deletion, because: error)
    }
  }

  private func pseudonym(of deletion: DeletionRecord) -> String {
    core.secrets.pseudonym(of: deletion.userID)
  }

  // MARK: - Steps

  /// Ends the grace period: from here on nothing can be cancelled, unless TenancyService refuses.
  private func begin(_ deletion: DeletionRecord) async throws {
    let (core, now) = (core, core.clock.now)
    let ended = try await change(deletion) { current, tx in
      current.move(to: .tenancy, now: now)
      return try core.endAllSessions(of: current.userID, now: now, in: tx)
    }
    core.countRevoked(ended ?? [])
  }

  private func eraseInTenancy(_ deletion: DeletionRecord) async throws {
    let core = core
    let (addresses, isProven) = try await store.database.read { tx in
      (
        try self.addresses(of: deletion, in: tx),
        try UserTable.find(deletion.userID, in: tx)?.isEmailVerified == true
      )
    }
    let progress: ErasurePeers.Progress
    do {
      progress = try await erasure.eraseInTenancy(
        deletion.userID,
        as: pseudonym(of: deletion),
        // A person who has not proven an address does not end the invitations of its owner.
        addresses: isProven ? addresses : [],
        from: deletion.cursor
      )
    } catch let error as RPCError where deletion.cursor.isEmpty && error.reason == "MUST_HAND_OVER"
    {
      return try await block(deletion, on: error.errorInfo?.metadata["entities"] ?? "")
    }
    let isAccepted = deletion.cursor.isEmpty
    let (pseudonym, now) = (pseudonym(of: deletion), core.clock.now)
    let ended = try await save(deletion, progress, then: .entitlement) { tx in
      guard isAccepted else { return [] }
      // Now that there is no way back, nobody gets in, and the address is free.
      let ended = try core.endAllSessions(of: deletion.userID, now: now, in: tx)
      try core.secrets.tombstones.insert(.user(deletion.userID), in: tx)
      for address in addresses {
        try core.secrets.tombstones.insert(.address(EmailAddress(address).key), in: tx)
      }
      for identity in try IdentityTable.list(of: deletion.userID, in: tx) {
        try core.secrets.tombstones.insert(identity.tombstone, in: tx)
      }
      for row in try ImportTable.names(of: deletion.userID, in: tx) {
        try core.secrets.tombstones.insert(.imported(source: row.source, id: row.id), in: tx)
      }
      try AppleGrantTable.detach(of: deletion.userID, in: tx)
      try AccountRows.giveUpMails(of: deletion.userID, now: now, in: tx)
      try self.queueFarewell(to: deletion.userID, now: now, in: tx)
      try AccountRows.empty(deletion.userID, pseudonym: pseudonym, now: now, in: tx)
      try EventTable.drop(about: deletion.userID, in: tx)
      try tx.audit("user.erase", object: pseudonym, detail: deletion.id)
      return ended
    }
    core.countRevoked(ended)
    core.outbox.wake()
  }

  private func eraseInEntitlement(_ deletion: DeletionRecord) async throws {
    let progress = try await erasure.eraseInEntitlement(
      deletion.userID,
      as: pseudonym(of: deletion),
      from: deletion.cursor
    )
    _ = try await save(deletion, progress, then: .account)
  }

  /// Erases mails, the account, and then every mention of it.
  private func eraseAccount(_ deletion: DeletionRecord) async throws {
    let (core, userID, now) = (core, deletion.userID, core.clock.now)
    guard let cursor = MentionEraser.Cursor(text: deletion.cursor) else {
      let attempt = try await store.database.read { tx in
        try AccountRows.nextFarewell(of: userID, in: tx)
      }
      if let attempt {
        let pauses = Self.farewellPauses
        let pause = min(max(pauses.lowerBound, attempt - now), pauses.upperBound)
        try await change(deletion) { current, _ in current.due = now.addingSaturated(pause) }
        return
      }
      let mails = try await store.writeOwn { tx in
        try AccountRows.giveUpMails(of: userID, now: now, in: tx)
        return try AccountRows.mails(of: userID, now: now, in: tx)
      }
      guard let mails else { throw NotYet.mailIsBeingSent }
      try await core.outbox.withdraw(mails)
      _ = try await save(deletion, .goesOn(MentionEraser.Cursor.start.text), then: .log) { tx in
        let addresses = try self.addresses(of: deletion, in: tx)
        try AccountRows.remove(
          userID,
          addresses: addresses,
          attempts: addresses.map { core.attemptSubject(EmailAddress($0)) },
          in: tx
        )
        return []
      }
      return
    }
    let pseudonym = pseudonym(of: deletion)
    let eraser = MentionEraser(store, replacing: userID, by: pseudonym, sparing: ["deletion"])
    if let next = try await eraser.advance(from: cursor) {
      _ = try await save(deletion, .goesOn(next.text), then: .log)
    } else {
      _ = try await save(deletion, .finished, then: .log) { tx in
        try DeletionTable.anonymize(deletion, as: pseudonym, in: tx)
        return []
      }
    }
  }

  private func emptyLog(_ deletion: DeletionRecord) async throws {
    guard try await core.database.truncateLog() else { throw NotYet.logIsBeingRead }
    _ = try await save(deletion, .finished, then: .done) { tx in
      try tx.audit("user.erased", object: deletion.userID, detail: deletion.id)
      return []
    }
    metrics.ended.series("done").increment()
  }

  // MARK: - What became of a step

  /// The reason a step waits, without anything being wrong.
  private enum NotYet: Error, CustomStringConvertible {
    case mailIsBeingSent
    case logIsBeingRead

    var description: String {
      switch self {
      case .mailIsBeingSent: "one of the account's mails is being sent"
      case .logIsBeingRead: "a long read keeps the write-ahead log from being emptied"
      }
    }
  }

  /// Changes a deletion, and what belongs to that; nil if it was cancelled, or advanced by
  /// another attempt: there is one saga, but an answer may come late.
  @discardableResult
  private func change<R: Sendable>(
    _ deletion: DeletionRecord,
    _ body: @escaping @Sendable (inout DeletionRecord, borrowing WriteTransaction) throws -> R
  ) async throws -> R? {
    try await store.writeOwn { tx in
      guard var current = try DeletionTable.find(deletion.id, in: tx), current == deletion else {
        return nil
      }
      let result = try body(&current, tx)
      try DeletionTable.update(current, in: tx)
      return result
    }
  }

  /// Stores how far a step is, together with what belongs to it.
  private func save(
    _ deletion: DeletionRecord,
    _ progress: ErasurePeers.Progress,
    then next: DeletionRecord.Step,
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> [Revocation] = { _ in [] }
  ) async throws -> [Revocation] {
    let now = core.clock.now
    return try await change(deletion) { current, tx in
      switch progress {
      case .goesOn(let cursor): current.goOn(from: cursor, now: now)
      case .finished: current.move(to: next, now: now)
      }
      return try body(tx)
    } ?? []
  }

  /// Gives the account back until somebody has taken over what somebody must have, or an operator has decided.
  private func block(_ deletion: DeletionRecord, on entities: String) async throws {
    let now = core.clock.now
    try await change(deletion) { current, tx in
      current.move(to: .blocked, now: now)
      current.due = now.addingSaturated(Self.blockedPause)
      try tx.audit(
        "user.delete_blocked",
        object: current.userID,
        outcome: .refused,
        detail: current.id
      )
    }
    metrics.ended.series("blocked").increment()
    core.logger.warning(
      "a deletion waits for another holder of a required role, or for the object's deletion",
      ["deletion": .string(deletion.id), "entities": .string(entities)]
    )
  }

  /// Has a step tried again later: after 1, 2, 4 … seconds.
  private func postpone(_ deletion: DeletionRecord, because error: any Error) async throws {
    guard !Task.isCancelled else { throw CancellationError() }
    metrics.ended.series("failed").increment()
    let now = core.clock.now
    if deletion.failedCount == 0 {
      core.logger.warning(
        "a step of a deletion failed; retrying",
        [
          "deletion": .string(deletion.id), "step": .string(deletion.step.rawValue),
          "error": "\(error)",
        ]
      )
    }
    try await change(deletion) { current, _ in
      current.due = now.addingSaturated(Self.backoff.longest(after: current.failedCount))
      current.failedCount += 1
    }
  }
}

extension DeletionRecord {
  fileprivate mutating func move(to step: Step, now: Int64) {
    self.step = step
    goOn(from: "", now: now)
    if step == .done { finished = now }
  }

  fileprivate mutating func goOn(from cursor: String, now: Int64) {
    self.cursor = cursor
    (due, failedCount) = (now, 0)
  }
}

/// The metrics of deletions.
struct DeletionMetrics: Sendable {
  let ended: MetricFamily<Counter>
  let pending: Gauge
  let overdue: Gauge

  init(_ registry: MetricRegistry) {
    ended = registry.counters(
      "gatehouse_auth_deletion_outcomes_total",
      help: "What became of deletions: done, blocked, and attempts of a step that failed.",
      labels: ["outcome"]
    )
    pending = registry.gauge(
      "gatehouse_auth_deletions_pending",
      help: "Deletions of accounts that are not done, in their grace period or later."
    )
    overdue = registry.gauge(
      "gatehouse_auth_deletions_overdue",
      help: "Deletions that are not done a day after their grace period."
    )
    for outcome in ["done", "blocked", "failed"] { _ = ended.series(outcome) }
  }
}
