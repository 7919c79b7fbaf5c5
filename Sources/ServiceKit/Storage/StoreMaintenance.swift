public import RPCKit

extension Database {
  /// How long changes are kept for those who follow them.
  private static let changeLifetime: Int64 = 7 * 86_400_000
  /// How long a server may be silent while the program is ready.
  private static let silenceMax = Duration.seconds(10)

  /// Deletes what is older than anybody needs, every minute, until the task is cancelled.
  ///
  /// `purgeMore` deletes old rows of the service's own tables; it gets the time that has certainly
  /// come (`ConfirmedTime`), in milliseconds since 1970. A failure is logged and tried again with the next round.
  public func maintain(
    on loop: any EventLoop,
    clock: any WallClock,
    logger: Logger,
    purgeMore: @Sendable (_ now: Int64) async throws -> Void = { _ in }
  ) async {
    let retention = RetentionClock(self, clock: clock) { loop.preciseNow }
    while !Task.isCancelled {
      await loop.sleep(.seconds(60))
      guard !Task.isCancelled else { return }
      do {
        let now = try await retention.advance()
        try await purgeOldRows(now: now)
        try await purgeMore(now)
      } catch {
        logger.warning("could not purge old rows; retrying", ["error": "\(error)"])
      }
    }
  }

  /// Deletes answers, changes and events that are older than anybody needs, and audit records that are older
  /// than the configuration says.
  ///
  /// `now` is in milliseconds since 1970 and should come from a `RetentionClock`: what is deleted on the
  /// word of a clock that was set wrong does not come back with it.
  public func purgeOldRows(now: Int64) async throws {
    // In small pieces, so that no write waits long behind them.
    while try await purgeIdempotencyKeys(now: now) == Self.purgeCountMax {}
    while try await purgeChanges(before: now - Self.changeLifetime) == Self.purgeCountMax {}
    try await purge("event", "recorded_at", before: now - EventTable.lifetime, by: "sequence")
    if let lifetime = configuration.auditLifetime {
      try await purgeAuditLog(before: now - lifetime)
    }
  }

  /// Whether the store can be relied on, for readiness.
  ///
  /// One that could not write is still ready: it reads, and only another write shows that there is
  /// room again. Only one that must be opened again is not.
  /// Nor is one on a server that has not answered for a while: memory may be of another age than what is stored.
  public var readinessCheck: Readiness.Check {
    if silence > Self.silenceMax {
      let seconds = silence.components.seconds
      return Readiness.Check("store", isReady: false, detail: "no answer for \(seconds) s")
    }
    return switch condition {
    case .working: Readiness.Check("store", isReady: true)
    case .failing(let detail):
      Readiness.Check("store", isReady: true, detail: "the last write failed: \(detail)")
    case .broken(let detail): Readiness.Check("store", isReady: false, detail: detail)
    }
  }
}
