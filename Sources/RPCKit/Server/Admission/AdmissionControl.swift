internal import Synchronization

/// Decides which calls a server begins, from how many handlers run and how long calls take.
///
/// Two bounds apply. The fixed one (`Limits.runningHandlersMax`) protects memory. The adaptive one
/// protects latency: it estimates how many calls may be in the server at a time so that an admitted
/// one waits about as long as it is served,
///
///     limit = peak rate × ((2 + α) × least latency − mean latency)
///
/// after Apache bRPC's `auto` limiter (docs/en/auto_concurrency_limiter.md). Least latency is taken
/// as at least `latencyFloor`: a loop reads many calls in a turn, and their waiting for one another
/// is batching and not overload. Below the limit, each priority has its own share, so that lists
/// are refused before writes and writes before checks. A loop may always use an equal part of the limit,
/// because too many calls on one loop are no reason to refuse them on another; all loops together have
/// less than twice the limit.
///
/// Handlers that only wait (`CallContext.waiting`) count for the fixed bound and not for the adaptive
/// one: a thousand watches with nothing to send are no load.
///
/// Safe from any thread; a decision is three atomic operations.
public final class AdmissionControl: Sendable {
  /// How the adaptive bound behaves.
  public struct Configuration: Sendable {
    /// Whether latency bounds the running handlers at all.
    public var isAdaptive = true
    /// The bound never falls below this.
    public var limitMin = 128
    /// Least latency that is distinguished from queueing.
    public var latencyFloor = Duration.milliseconds(10)
    /// How much queueing is fine, relative to the least latency.
    public var tolerance = 0.3
    /// How often the bound is computed again.
    public var window = Duration.milliseconds(100)
    /// How often the least latency is measured again: it may have become longer.
    public var leastLatencyLifetime = Duration.seconds(10)

    /// The defaults.
    public init() {}
  }

  /// The outcome of asking.
  public enum Decision: Sendable, Equatable {
    /// Begin, and say `ended` when the handler has returned.
    case admit
    /// Refuse: more handlers run than memory should hold.
    case refuseFull
    /// Refuse: the server is slower than the calls come.
    case refuseOverloaded
  }

  fileprivate struct Estimate {
    var windowStart: MonotonicInstant
    var leastLatency: Double = .infinity
    var leastLatencyTaken: MonotonicInstant
    var peakRate = 0.0
  }

  private let configuration: Configuration
  private let runningMax: Int
  private let loopCount: Int
  private let working = Atomic<Int>(0)
  private let waiting = Atomic<Int>(0)
  private let limit: Atomic<Int>
  private let sampleCount = Atomic<Int>(0)
  private let sampleSum = Atomic<Int>(0)
  private let windowEnd: Atomic<Int64>
  private let estimate: Lock<Estimate>

  private let limitChanged: @Sendable (Int) -> Void

  init(
    _ configuration: Configuration,
    runningMax: Int,
    loopCount: Int = 1,
    now: MonotonicInstant,
    limitChanged: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    self.limitChanged = limitChanged
    limitChanged(runningMax)
    self.configuration = configuration
    self.runningMax = runningMax
    self.loopCount = loopCount
    limit = Atomic(runningMax)
    windowEnd = Atomic(now.advanced(by: configuration.window).nanoseconds)
    estimate = Lock(Estimate(windowStart: now, leastLatencyTaken: now))
  }

  /// Handlers that have not returned.
  public var runningCount: Int { workingCount + waitingCount }

  /// Handlers that work: they have begun, have not returned and do not wait.
  public var workingCount: Int { working.load(ordering: .relaxed) }

  /// Handlers that only wait.
  public var waitingCount: Int { waiting.load(ordering: .relaxed) }

  /// The bound in force now.
  public var currentLimit: Int { limit.load(ordering: .relaxed) }

  /// Asks whether a call may begin on a loop that `loopWorkingCount` handlers work on.
  func admit(
    _ priority: MethodDescriptor.Priority,
    loopWorkingCount: Int = .max
  ) -> Decision {
    let count = working.wrappingAdd(1, ordering: .relaxed).newValue
    guard count + waiting.load(ordering: .relaxed) <= runningMax else {
      working.wrappingSubtract(1, ordering: .relaxed)
      return .refuseFull
    }
    let countMax = Self.share(limit.load(ordering: .relaxed), priority)
    guard count <= countMax || loopWorkingCount < countMax / loopCount else {
      working.wrappingSubtract(1, ordering: .relaxed)
      return .refuseOverloaded
    }
    return .admit
  }

  /// Notes that a refused call begins after all, in the place of one that was ended for it.
  func beganInstead() {
    working.wrappingAdd(1, ordering: .relaxed)
  }

  /// A handler only waits from now on.
  func beganWaiting() {
    // In this order the two together are never too few.
    waiting.wrappingAdd(1, ordering: .relaxed)
    working.wrappingSubtract(1, ordering: .relaxed)
  }

  /// A handler works again; it is not refused, only counted.
  func endedWaiting() {
    working.wrappingAdd(1, ordering: .relaxed)
    waiting.wrappingSubtract(1, ordering: .relaxed)
  }

  /// Notes that a handler returned.
  ///
  /// `latency` is from the first byte read to the answer, in nanoseconds; nil for a call that was
  /// cut short and says nothing of the server. `isWaiting` says that it was counted as waiting.
  func ended(latency: Int64?, now: MonotonicInstant, isWaiting: Bool = false) {
    if isWaiting {
      waiting.wrappingSubtract(1, ordering: .relaxed)
    } else {
      working.wrappingSubtract(1, ordering: .relaxed)
    }
    guard configuration.isAdaptive, let latency else { return }
    sampleCount.wrappingAdd(1, ordering: .relaxed)
    sampleSum.wrappingAdd(Int(latency), ordering: .relaxed)
    let end = windowEnd.load(ordering: .relaxed)
    guard now.nanoseconds >= end else { return }
    let next = now.advanced(by: configuration.window).nanoseconds
    let (won, _) = windowEnd.compareExchange(expected: end, desired: next, ordering: .relaxed)
    if won { closeWindow(now) }
  }

  /// Lists may use two thirds of the bound and writes five sixths, so checks always have room.
  private static func share(_ limit: Int, _ priority: MethodDescriptor.Priority) -> Int {
    switch priority {
    case .high: limit
    case .normal: max(1, limit * 5 / 6)
    case .low: max(1, limit * 2 / 3)
    }
  }

  private func closeWindow(_ now: MonotonicInstant) {
    let count = sampleCount.exchange(0, ordering: .relaxed)
    let sum = sampleSum.exchange(0, ordering: .relaxed)
    guard count > 0 else { return }
    let newLimit = estimate.withLock { estimate in
      estimate.update(count: count, latencySum: sum, now: now, configuration)
    }
    let bounded = min(runningMax, max(configuration.limitMin, newLimit))
    limit.store(bounded, ordering: .relaxed)
    limitChanged(bounded)
  }
}

extension AdmissionControl.Estimate {
  fileprivate mutating func update(
    count: Int,
    latencySum: Int,
    now: MonotonicInstant,
    _ configuration: AdmissionControl.Configuration
  ) -> Int {
    let span = Double(max(1, windowStart.nanoseconds(to: now)))
    windowStart = now
    let rate = Double(count) / span
    let latency = Double(latencySum) / Double(count)
    // The peak is forgotten slowly, so that a pause does not close the server.
    peakRate = max(rate, peakRate * 0.98)
    let lifetime = configuration.leastLatencyLifetime.nanosecondsSaturated
    if latency < leastLatency || leastLatencyTaken.nanoseconds(to: now) > lifetime {
      leastLatency = latency
      leastLatencyTaken = now
    }
    let floor = Double(configuration.latencyFloor.nanosecondsSaturated)
    let least = max(floor, leastLatency)
    let limit = peakRate * ((2 + configuration.tolerance) * least - latency)
    return limit.isFinite && limit > 0 ? Int(min(limit, 1e9)) : 0
  }
}
