internal import RPCKit
internal import ServiceKit

/// Tells TenancyService which accounts are disabled or about to be deleted, so that it does not count their
/// users among those who can act for good.
///
/// Told before the call is answered that disables an account or begins its deletion. An account is disabled
/// also when TenancyService could not be reached within two seconds: then it is notified as soon as it can be.
final class AccountReports: Sendable {
  /// How long a report may take before it is repeated, in milliseconds.
  private static let lease: Int64 = 30_000
  /// How often reports are looked for that are due.
  private static let pollInterval = Duration.seconds(1)
  /// Reports that are read at once.
  private static let pageSize = 100

  /// The users whose deletions are announced one after the other, or each would make the one before outdated.
  let announcing = UserTurns()
  private let store: ServiceStore
  private let peers: ErasurePeers
  private let clock: any WallClock
  private let logger: Logger
  /// Whether the last report failed, so that only the first failure is logged.
  private let isFailing = Lock(false)

  init(_ store: ServiceStore, _ peers: ErasurePeers, clock: any WallClock, logger: Logger) {
    (self.store, self.peers, self.clock, self.logger) = (store, peers, clock, logger)
  }

  /// Tells what is due, until the task is cancelled.
  func run(on loop: any EventLoop) async {
    while !Task.isCancelled {
      await loop.sleep(Self.pollInterval)
      await workOff()
    }
  }

  /// Tells everything that is due now.
  func workOff() async {
    do {
      while !Task.isCancelled {
        let now = clock.now
        let due = try await store.database.read { tx in
          try AccountReportTable.due(now: now, limit: Self.pageSize, in: tx)
        }
        guard !due.isEmpty else { return }
        for userID in due { try await tell(of: userID) }
      }
    } catch {
      note(error)
    }
  }

  /// Tells what is due of a user; what fails is repeated later.
  func tellSoon(of userID: String) async {
    do {
      try await tell(of: userID)
    } catch {
      note(error)
    }
  }

  private func tell(of userID: String) async throws {
    let lease = clock.now.addingSaturated(Self.lease)
    let report = try await store.writeOwn { tx in
      try AccountReportTable.begin(of: userID, lease: lease, in: tx)
    }
    guard let report else { return }
    let counting = try await peers.tell(report, refusingLast: false)
    isFailing.withLock { $0 = false }
    try await store.writeOwn { tx in
      if counting > report.version {
        try AccountReportTable.skip(to: counting, of: userID, in: tx)
      } else {
        try AccountReportTable.finish(report, in: tx)
      }
    }
  }

  /// Tells that the deletion of an account is about to begin, and gives the report to be finished in the write
  /// that begins it; throws what TenancyService says of the last one with a role that somebody must have.
  ///
  /// When that write does not come, TenancyService is notified: immediately by `withdraw`, and after half a
  /// minute when the process ended in between.
  func announceDeletion(of userID: String, refusingLast: Bool) async throws -> AccountReport {
    let lease = clock.now.addingSaturated(Self.lease)
    var report = try await store.writeOwn { tx in
      try AccountReportTable.reserve(userID, lease: lease, in: tx)
    }
    report.isDeletionBegun = true
    do {
      let counting = try await peers.tell(report, refusingLast: refusingLast)
      guard counting > report.version else { return report }
      try await store.writeOwn { tx in
        try AccountReportTable.skip(to: counting, of: userID, in: tx)
      }
    } catch {
      await withdraw(report)
      throw error
    }
    throw DeletionError.overtaken
  }

  /// Tells that what was announced did not come.
  func withdraw(_ report: AccountReport) async {
    do {
      try await store.writeOwn { tx in try AccountReportTable.release(report, in: tx) }
    } catch {
      // It is due anyway when the lease is over.
      note(error)
    }
  }

  private func note(_ error: any Error) {
    let wasFailing = isFailing.withLock { flag in
      defer { flag = true }
      return flag
    }
    guard !wasFailing, !Task.isCancelled else { return }
    logger.warning(
      "could not tell TenancyService of accounts that were disabled or are to be deleted; retrying",
      ["error": "\(error)"]
    )
  }
}
