public import AccessEngine
internal import PeerContracts
public import RPCKit
public import ServiceKit

/// Asks EntitlementService which features portfolios and organizations have, and remembers it.
///
/// Only conditions on features ask, so a policy without them costs neither calls nor a stream. What
/// is remembered ends after 300 s, when it changes by itself, when a change is pushed, and when
/// the push stream was silent for 10 s since (docs/decisions/0035). Several callers who miss the same make one
/// call. Errors are not remembered.
///
/// `run` must be running, or answers are asked for again every 10 s.
public final class EntitlementFeatures: FeatureSource {
  /// How long answers are used.
  public struct Configuration: Sendable {
    /// Longest life of an answer.
    public var lifetime = Duration.seconds(300)
    /// Silence of the stream of changes after which answers are no longer used.
    public var lease = Duration.seconds(10)
    /// Longest wait for EntitlementService.
    public var timeout = Duration.seconds(2)
    /// Portfolios and organizations that are remembered, at most; about 2 kB each.
    public var holderCountMax = 50_000
    /// Portfolios and organizations that may be asked for at a time.
    public var flightCountMax = 10_000

    /// Makes the default configuration.
    public init() {}
  }

  private struct State {
    var cache: FeatureCache
    var flights: Flights<FeatureHolder, Void>

    mutating func forget(_ holder: FeatureHolder) {
      cache.forget(holder)
      flights.drop(holder)
    }

    mutating func forgetAll() {
      cache.forgetAll()
      flights.dropAll()
    }
  }

  private let client: Entitlement_V1.EntitlementsClient
  private let configuration: Configuration
  private let clock: any WallClock
  private let loop: any EventLoop
  private let metrics: FeatureMetrics
  private let registry: MetricRegistry
  private let follower: WatchFollower
  private let state: Lock<State>
  /// Tells `run` that somebody asks.
  private let wanted = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// Asks the service behind `channel`, whose calls must prove TenancyService.
  ///
  /// `random` spreads attempts to reach it over time.
  public init(
    _ channel: Channel,
    configuration: Configuration = Configuration(),
    clock: any WallClock,
    loop: any EventLoop,
    random: any RandomSource = SystemRandomSource(),
    logger: Logger,
    metrics: MetricRegistry
  ) {
    client = Entitlement_V1.EntitlementsClient(channel)
    self.configuration = configuration
    self.clock = clock
    self.loop = loop
    self.metrics = FeatureMetrics(metrics)
    registry = metrics
    follower = WatchFollower(
      "features",
      lease: configuration.lease,
      loop: loop,
      random: random,
      logger: logger
    )
    state = Lock(
      State(
        cache: FeatureCache(
          lease: configuration.lease,
          holderCountMax: configuration.holderCountMax
        ),
        flights: Flights(countMax: configuration.flightCountMax)
      )
    )
  }

  /// See `FeatureSource.features`.
  public func features(of holder: FeatureHolder, now: Int64) -> KnownFeatures {
    switch state.withLock({ $0.cache.answer(holder, at: loop.now) }) {
    case .known(let names, let remaining):
      metrics.hits.increment()
      // Anyone who keeps a decision hears of changes of roles, not of these: never past the lease.
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
    let now = loop.now
    let (isKnown, flight) = state.withLock { state in
      // Another one's answer may have come since the caller looked.
      if case .known = state.cache.answer(holder, at: now) { return (true, nil as Flight?) }
      return (false, state.flights.join(holder) { try await self.ask(holder, flight: $0) })
    }
    guard !isKnown else { return }
    guard let flight else {
      metrics.refused.increment()
      throw RPCError(.unavailable, "too many feature lookups in progress; retry in 1 s")
    }
    try await flight.value
  }

  /// See `FeatureSource.unlocking`.
  public func unlocking(_ feature: String, of holder: FeatureHolder) -> [String: String] {
    state.withLock { $0.cache.unlock(feature, of: holder) }?.metadata ?? [:]
  }

  private typealias Flight = Flights<FeatureHolder, Void>.Flight

  private func ask(
    _ holder: FeatureHolder,
    flight id: Flights<FeatureHolder, Void>.ID
  ) async throws {
    let began = loop.now
    let beganAt = clock.now
    typealias Answer = (
      names: [String], unlocks: [String: FeatureUnlock], expires: MonotonicInstant
    )
    var answer: Answer?
    defer {
      state.withLock { state in
        // A change of the holder in the meantime has dropped the flight: then nothing is kept.
        guard state.flights.land(holder, id), let answer else { return }
        let isFull = state.cache.store(
          answer.names,
          unlocks: answer.unlocks,
          for: holder,
          began: began,
          expires: answer.expires
        )
        if isFull { metrics.flushes.increment() }
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
    var (names, unlocks): ([String], [String: FeatureUnlock]) = ([], [:])
    for entitlement in response.entitlements {
      if entitlement.available {
        names.append(entitlement.key)
      } else if let unlock = entitlement.unlockedBy {
        unlocks[entitlement.key] = FeatureUnlock(
          tier: unlock.tier,
          addons: unlock.addons,
          products: unlock.products
        )
      }
    }
    answer = (names, unlocks, began.advanced(by: lifetime))
  }

  // MARK: - Push

  /// Listens for changes until cancelled, once somebody has asked; reconnects with growing pauses.
  public func run() async {
    for await _ in wanted.stream { break }
    // Not before: a stream that nobody needs would look like one that is lost.
    follower.report(to: registry)
    await follower.run(
      open: { [client] in client.watch(.init(afterRevision: $0 ?? 0)) },
      beginAnew: { [self] in
        metrics.flushes.increment()
        state.withLock { $0.forgetAll() }
      },
      apply: { [self] change, now in
        apply(change, provenAt: now)
        // Asking for what comes after 0 would be asking for what comes next.
        return change.revision == 0 ? nil : change.revision
      }
    )
  }

  private func apply(_ change: Entitlement_V1.Change, provenAt now: MonotonicInstant?) {
    state.withLock { state in
      switch change.kind {
      case .heartbeat: break
      case .subject:
        if let holder = change.subject.flatMap({ FeatureHolder($0) }) { state.forget(holder) }
      default:
        metrics.flushes.increment()
        state.forgetAll()
      }
      if let now { state.cache.extendLease(at: now) }
    }
  }
}

extension FeatureHolder {
  fileprivate var subject: Entitlement_V1.Subject {
    switch kind {
    case .portfolio: .init(kind: .portfolio, id: id)
    case .organization: .init(kind: .organization, id: id)
    case .user: .init(kind: .user, id: id)
    default: preconditionFailure("features of a \(kind.rawValue), which no policy may name")
    }
  }

  fileprivate init?(_ subject: Entitlement_V1.Subject) {
    switch subject.kind {
    case .portfolio: self.init(kind: .portfolio, id: subject.id)
    case .organization: self.init(kind: .organization, id: subject.id)
    case .user: self.init(kind: .user, id: subject.id)
    default: return nil
    }
  }
}

extension FeatureHolder.Kind {
  /// A user who calls, for what users buy for themselves.
  static let user = Self(rawValue: "user")
}
