package import RPCKit

/// Follows a stream of changes for as long as its owner lives: opens it after what was heard last,
/// hands each event over, and opens it again when it ends.
///
/// A stream that is open and says nothing for the length of the lease is given up: its connection
/// may be dead without either side knowing. After failures the pauses grow, with jitter; after
/// expired credentials there is none. One line is logged when changes stop being heard, and one when
/// they are heard again, however many attempts lie between.
package final class WatchFollower: Sendable {
  /// How a follower waits between attempts.
  package static let defaultBackOff = BackOff(
    initial: .milliseconds(100),
    maximum: .seconds(5)
  )

  private let name: String
  private let loop: any EventLoop
  private let random: any RandomSource
  private let logger: Logger
  private let began: MonotonicInstant
  private let progress: Lock<WatchProgress>

  /// Makes a follower of the stream that logs and metrics call `name`.
  package init(
    _ name: String,
    lease: Duration,
    backOff: BackOff = WatchFollower.defaultBackOff,
    loop: any EventLoop,
    random: any RandomSource,
    logger: Logger
  ) {
    self.name = name
    self.loop = loop
    self.random = random
    self.logger = logger
    began = loop.preciseNow
    progress = Lock(WatchProgress(lease: lease, backOff: backOff))
  }

  /// How long ago the sender was last heard from; nil before the first time.
  package var lag: Duration? {
    let now = loop.preciseNow
    return progress.withLock { $0.lastHeard?.duration(to: now) }
  }

  /// Follows until the task is cancelled.
  ///
  /// `open` is given the position that `apply` returned last; nil, as at first, means that the stream
  /// begins with whatever comes next. `beginAnew` comes before
  /// the first event of a stream that does not continue where a accepted one ended: what is known must
  /// not be accepted because of what follows. `apply` is given an event and, unless it only shows that
  /// the stream was opened again, the time from which the lease counts. `lost` says that nothing is
  /// heard until the next event; it comes after failures and at the end, and not when only the
  /// credentials are renewed. They are called one after the other.
  package func run<Events: AsyncSequence & Sendable, Position: Sendable>(
    open: @escaping @Sendable (Position?) -> Events,
    beginAnew: @escaping @Sendable () -> Void = {},
    apply: @escaping @Sendable (Events.Element, MonotonicInstant?) -> Position?,
    lost: @escaping @Sendable () -> Void = {}
  ) async where Events.Element: Sendable {
    var position: Position?
    while !Task.isCancelled {
      progress.withLock { [isResumed = position != nil] in
        $0.open(at: loop.preciseNow, isResumed: isResumed)
      }
      let stream = Stream(position: position, open: open, beginAnew: beginAnew, apply: apply)
      let reading = await follow(stream)
      position = reading.position
      guard !Task.isCancelled else { return lost() }
      let number = random.number()
      let next = progress.withLock { $0.ended(reading.ending, random: number) }
      guard case .pause(let pause, let isNews) = next else { continue }
      lost()
      if isNews {
        logger.log(
          reading.isPeerUnavailable ? .info : .warning,
          "push stream lost",
          ["stream": .string(name), "error": .string(reading.error)]
        )
      }
      await loop.sleep(pause)
    }
  }

  /// One stream: where it begins, and who hears it.
  private struct Stream<Events: AsyncSequence & Sendable, Position: Sendable>: Sendable {
    let position: Position?
    let open: @Sendable (Position?) -> Events
    let beginAnew: @Sendable () -> Void
    let apply: @Sendable (Events.Element, MonotonicInstant?) -> Position?
  }

  /// How far a stream came and why it ended.
  private struct Reading<Position: Sendable>: Sendable {
    var position: Position?
    var ending: WatchProgress.Ending
    var error: String
    var isPeerUnavailable = false
  }

  /// Reads a stream until it ends or has been silent for too long.
  private func follow<Events, Position>(
    _ stream: Stream<Events, Position>
  ) async -> Reading<Position> where Events.Element: Sendable {
    await withTaskGroup(of: Reading<Position>?.self) { group in
      group.addTask { await self.read(stream) }
      group.addTask {
        await self.waitForSilence()
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      if let first { return first }
      // Read to its end, because the position may have moved in the meantime.
      let rest = await group.next() ?? nil
      return Reading(
        position: rest?.position ?? stream.position,
        ending: .silent,
        error: "nothing was heard for the length of the lease"
      )
    }
  }

  private func read<Events, Position>(
    _ stream: Stream<Events, Position>
  ) async -> Reading<Position> where Events.Element: Sendable {
    var reading = Reading(position: stream.position, ending: .lost, error: "the stream ended")
    do {
      for try await event in stream.open(stream.position) {
        let now = loop.preciseNow
        let heard = progress.withLock { $0.heard(at: now) }
        if heard.beginsAnew { stream.beginAnew() }
        reading.position = stream.apply(event, heard.isProof ? now : nil)
        if heard.isBack { logger.info("push stream resumed", ["stream": .string(name)]) }
      }
    } catch {
      if let error = error as? RPCError, error.isProofEnded {
        reading.ending = .credentialsExpired
      }
      reading.error = RPCError.descriptionWithCause(of: error)
      reading.isPeerUnavailable = error.isPeerUnavailable
    }
    return reading
  }

  /// Returns when the stream has been silent for the length of the lease, or when cancelled.
  private func waitForSilence() async {
    while !Task.isCancelled {
      let rest = loop.preciseNow.duration(to: progress.withLock { $0.silenceEnd })
      guard rest > .zero else { return }
      await loop.sleep(rest)
    }
  }

  // MARK: - Metrics

  /// Registers what is known of the stream, for as long as the follower lives.
  package func report(to registry: MetricRegistry) {
    let labels = [MetricLabel("watch", name)]
    registry.observe(
      "gatehouse_service_watch_live",
      help: "1 while the push stream was heard from within its lease, otherwise 0.",
      labels: labels
    ) { [weak self] in self?.isLive == true ? 1 : 0 }
    registry.observe(
      "gatehouse_service_watch_lag_seconds",
      help: "Time since the sender was last heard from; before the first time, since the start.",
      labels: labels
    ) { [weak self] in
      guard let self else { return 0 }
      let lag = lag ?? began.duration(to: loop.preciseNow)
      return Double(lag.nanosecondsSaturated) / 1_000_000_000
    }
    for ending in WatchProgress.Ending.allCases {
      registry.observe(
        "gatehouse_service_watch_endings_total",
        help: "Push streams that ended, by reason; each is opened again.",
        kind: .counter,
        labels: labels + [MetricLabel("reason", ending.rawValue)]
      ) { [weak self] in
        Double(self?.progress.withLock { $0.endings[ending, default: 0] } ?? 0)
      }
    }
  }

  private var isLive: Bool {
    let now = loop.preciseNow
    return progress.withLock { $0.lease.isLive(at: now) }
  }
}
