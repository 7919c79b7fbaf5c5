public import AccessEngine
internal import Contracts
public import RPCKit
internal import ServiceKit

/// Asks EntitlementService which features portfolios and organizations have, and remembers it.
///
/// Only conditions on features ask, so a policy without them costs neither calls nor a stream. What
/// is remembered ends after 300 s, when it changes by itself, when a change is pushed, and when
/// nothing was heard of changes for 10 s since (SPEC section 5). Several who miss the same make one
/// call. Errors are not remembered.
///
/// `run` must be running, or answers are asked for again every 10 s.
public final class EntitlementFeatures: FeatureSource {
  /// How long answers are believed.
  public struct Configuration: Sendable {
    /// Longest life of an answer.
    public var lifetime = Duration.seconds(300)
    /// Silence of the stream of changes after which answers are no longer believed.
    public var lease = Duration.seconds(10)
    /// Longest wait for EntitlementService.
    public var timeout = Duration.seconds(2)
    /// Portfolios and organizations that are remembered, at most; about 500 bytes each.
    public var holderCountMax = 50_000

    /// Makes the default configuration.
    public init() {}
  }

  private struct State {
    var cache: FeatureCache
    var flights: [FeatureHolder: Flight] = [:]
    var nextFlightID: UInt64 = 0
  }

  private struct Flight {
    let id: UInt64
    let task: Task<Void, any Error>
  }

  private let client: Entitlement_V1.EntitlementsClient
  private let configuration: Configuration
  private let clock: any WallClock
  private let loop: any EventLoop
  private let logger: Logger
  private let metrics: FeatureMetrics
  private let state: Lock<State>
  /// Tells `run` that somebody asks.
  private let wanted = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// Asks the service behind `channel`, whose calls must prove TenancyService.
  public init(
    _ channel: Channel,
    configuration: Configuration = Configuration(),
    clock: any WallClock,
    loop: any EventLoop,
    logger: Logger,
    metrics: MetricRegistry
  ) {
    client = Entitlement_V1.EntitlementsClient(channel)
    self.configuration = configuration
    self.clock = clock
    self.loop = loop
    self.logger = logger
    self.metrics = FeatureMetrics(metrics)
    state = Lock(
      State(
        cache: FeatureCache(
          lease: configuration.lease,
          holderCountMax: configuration.holderCountMax
        )
      )
    )
  }

  /// See `FeatureSource.evidence`.
  public func evidence(of holder: FeatureHolder, now: Int64) -> FeatureEvidence {
    switch state.withLock({ $0.cache.answer(holder, at: loop.now) }) {
    case .known(let names, let remaining):
      metrics.hits.increment()
      // Whoever keeps a decision hears of changes of roles, not of these: never past the lease.
      let kept = min(remaining, configuration.lease)
      return .known(names, until: now + Int64(kept / .milliseconds(1)))
    case .unknown: metrics.misses.increment()
    case .doubtful: metrics.doubtful.increment()
    }
    return .missing
  }

  /// See `FeatureSource.fetch`.
  public func fetch(_ holder: FeatureHolder) async throws {
    wanted.continuation.yield()
    let task = state.withLock { state -> Task<Void, any Error>? in
      if let flight = state.flights[holder] { return flight.task }
      // Another one's answer may have come since the caller looked.
      if case .known = state.cache.answer(holder, at: loop.now) { return nil }
      state.nextFlightID += 1
      let id = state.nextFlightID
      // Not the caller's: others wait for it too. Ends with its call, which has a timeout.
      let task = Task { try await self.ask(holder, flight: id) }
      state.flights[holder] = Flight(id: id, task: task)
      return task
    }
    try await task?.value
  }

  private func ask(_ holder: FeatureHolder, flight id: UInt64) async throws {
    let began = loop.now
    let beganAt = clock.now
    var answer: (names: [String], expires: MonotonicInstant)?
    defer {
      state.withLock { state in
        // A change of the holder meanwhile has taken the flight away: then nothing is kept.
        guard state.flights[holder]?.id == id else { return }
        state.flights[holder] = nil
        guard let answer else { return }
        let (names, expires) = answer
        if state.cache.store(names, for: holder, began: began, expires: expires) {
          metrics.flushes.increment()
        }
      }
    }
    let response = try await client.get(
      .init(subject: holder.subject),
      timeout: configuration.timeout
    )
    var lifetime = configuration.lifetime
    if let edge = response.validUntil {
      lifetime = min(lifetime, .milliseconds(max(0, edge.milliseconds - beganAt)))
    }
    let names = response.entitlements.filter(\.available).map(\.key)
    answer = (names, began.advanced(by: lifetime))
  }

  // MARK: - Push

  /// Listens for changes until cancelled, once somebody has asked; reconnects with growing pauses.
  public func run() async {
    for await _ in wanted.stream { break }
    var revision: UInt64 = 0
    var pause = Duration.milliseconds(100)
    while !Task.isCancelled {
      var isFirst = true
      do {
        for try await change in client.watch(.init(afterRevision: revision)) {
          // A stream that begins now says nothing of what came before it.
          apply(change, isContinued: revision > 0)
          revision = change.revision
          isFirst = false
          pause = .milliseconds(100)
        }
      } catch let error as RPCError where error.isProofEnded && !isFirst {
        // As every minute or two: the next stream has a new proof and goes on where this one ended.
        continue
      } catch {
        logger.debug("the entitlement stream failed; reconnecting", ["error": "\(error)"])
      }
      guard !Task.isCancelled else { return }
      await loop.sleep(pause)
      pause = min(pause * 2, .seconds(5))
    }
  }

  private func apply(_ change: Entitlement_V1.Change, isContinued: Bool) {
    state.withLock { state in
      switch change.kind {
      case .heartbeat where isContinued: break
      case .subject where isContinued:
        guard let holder = change.subject.flatMap({ FeatureHolder($0) }) else { break }
        state.cache.forget(holder)
        state.flights[holder] = nil
      default:
        metrics.flushes.increment()
        state.cache.forgetEverything()
        state.flights = [:]
      }
      state.cache.extendLease(at: loop.now)
    }
  }
}

extension FeatureHolder {
  fileprivate var subject: Entitlement_V1.Subject {
    switch kind {
    case .portfolio: .init(kind: .portfolio, id: id)
    case .organization: .init(kind: .organization, id: id)
    }
  }

  fileprivate init?(_ subject: Entitlement_V1.Subject) {
    switch subject.kind {
    case .portfolio: self.init(kind: .portfolio, id: subject.id)
    case .organization: self.init(kind: .organization, id: subject.id)
    default: return nil
    }
  }
}
