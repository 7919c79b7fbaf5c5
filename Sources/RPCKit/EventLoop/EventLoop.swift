/// One thread that waits for readiness, runs timers and executes tasks: the only place where the
/// state of the connections that belong to it is touched.
///
/// The production loop is `EpollEventLoop`; `RPCKitTesting` has one on a manual clock. Methods
/// marked *loop only* must be called on the loop's thread and check it.
public protocol EventLoop: TaskExecutor {
  /// Whether the caller runs on this loop.
  var isCurrent: Bool { get }

  /// The monotonic clock. On the loop it is read once a turn, so it is cheap and can lag by the
  /// length of the turn; from elsewhere it is read at once.
  var now: MonotonicInstant { get }

  /// The monotonic clock, read at once: for measuring what happens within a turn.
  var preciseNow: MonotonicInstant { get }

  /// Runs `work` on the loop, in order of submission. Callable from anywhere, never inline.
  func execute(_ work: @escaping @Sendable () -> Void)

  /// Calls `target.timerFired(token)` once at or after `deadline`. Loop only.
  func schedule(
    at deadline: MonotonicInstant,
    target: any TimerTarget,
    token: UInt64
  ) -> TimerID

  /// Forgets a timer; one that has fired or was cancelled is ignored. Loop only.
  func cancel(_ timer: TimerID)

  /// Calls `target.turnEnded()` once, before the loop looks for events again. Loop only.
  ///
  /// This is how output is coalesced: many completions, one write. The caller must not register
  /// again before it was called.
  func atEndOfTurn(_ target: any TurnEndTarget)

  /// Where a task of the loop does what takes long, so that nothing waits for it; nil for on the loop itself, as
  /// where all that happens has to be repeatable.
  var executorOfLongWork: (any TaskExecutor)? { get }

  /// Random numbers that need not be secret: jitter, picks. Loop only. Seeded in tests.
  func randomNumber() -> UInt64
}

extension EventLoop {
  /// The monotonic clock, read now even in the middle of a turn.
  ///
  /// A loop whose `now` never lags need not provide it.
  public var preciseNow: MonotonicInstant { now }

  /// A loop that a test drives does everything itself.
  public var executorOfLongWork: (any TaskExecutor)? { nil }

  /// Runs `body` on the loop, after everything that was submitted to it before, and returns its result.
  ///
  /// Callable from anywhere.
  func result<Result: Sendable>(of body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      execute { continuation.resume(returning: body()) }
    }
  }
}

/// The target of a timer.
///
/// Loop only.
public protocol TimerTarget: AnyObject {
  /// The deadline passed. `token` is what was given to `schedule`.
  func timerFired(_ token: UInt64)
}

/// The target of the end of a turn.
///
/// Loop only.
public protocol TurnEndTarget: AnyObject {
  /// Everything that was ready in this turn has run.
  func turnEnded()
}

/// Names a scheduled timer; stale ones are harmless.
public struct TimerID: Hashable, Sendable {
  /// Place in the wheel's table.
  var index: UInt32
  /// Tells this timer from earlier ones in the same place.
  ///
  /// Never zero for a real timer.
  var generation: UInt32

  /// Names no timer.
  public static let none = TimerID(index: 0, generation: 0)
}
