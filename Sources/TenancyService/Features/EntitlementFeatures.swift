public import AccessEngine
internal import PeerContracts
public import RPCKit
public import ServiceKit

/// Asks EntitlementService which features and limits portfolios and organizations have, and remembers it.
///
/// Only conditions on features and limits ask, so a policy without them costs neither calls nor a stream. What
/// is remembered ends after 300 s, when it changes by itself, when a change is pushed, and when
/// the push stream was silent for 10 s since (docs/decisions/0035). `FeatureNews` has watchers of permissions notified
/// of each change. Several callers who miss the same make one call. Errors are not remembered.
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

  /// The result of a call.
  private struct Fetched: Sendable {
    var names: [String] = []
    var limits: [String: Int64] = [:]
    var unlocks: [String: FeatureUnlock] = [:]
    let began: MonotonicInstant
    let expires: MonotonicInstant
  }

  private let client: Entitlement_V1.EntitlementsClient
  private let configuration: Configuration
  private let loop: any EventLoop
  private let metrics: LeasedCacheMetrics
  private let registry: MetricRegistry
  private let follower: WatchFollower
  private let cache: LeasedCache<FeatureCache, Fetched>
  /// Changes that watchers of permissions must be notified of.
  let news = FeatureNews()
  private let silence = Silence()
  /// Where changes of points go on, as EntitlementService says it.
  private let pointsPlace = Lock<UInt64>(0)
  /// The newest change that was heard of: no question is answered by a state of before it, whichever replica answers.
  private let newestHeard = Lock<UInt64>(0)
  /// Gets each change as well.
  private let listener = Lock<(@Sendable (Entitlement_V1.Change) -> Void)?>(nil)
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
    self.loop = loop
    self.metrics = .features(metrics)
    registry = metrics
    follower = WatchFollower(
      "features",
      lease: configuration.lease,
      loop: loop,
      random: random,
      logger: logger
    )
    cache = LeasedCache(
      FeatureCache(lease: configuration.lease, holderCountMax: configuration.holderCountMax),
      flightCountMax: configuration.flightCountMax,
      clock: clock,
      loop: loop,
      metrics: self.metrics
    )
  }

  /// See `FeatureSource.features`.
  public func features(of holder: FeatureHolder, now: Int64) -> KnownFeatures {
    switch cache.withAnswers({ $0.answer(holder, at: loop.now) }) {
    case .known(let features):
      metrics.hits.increment()
      // A change that cannot be written is not pushed either: then no decision is kept for longer than a lease.
      let kept = news.isPending ? min(features.remaining, configuration.lease) : features.remaining
      return .known(features.names, until: now + Int64(kept / .milliseconds(1)))
    case .unknown: metrics.misses.increment()
    case .doubtful: metrics.doubtful.increment()
    }
    return .missing
  }

  /// See `FeatureSource.fetch`.
  public func fetch(_ holder: FeatureHolder) async throws {
    wanted.continuation.yield()
    let found = cache.find(holder) { [now = loop.now] answers -> Bool? in
      // Another one's answer may have come since the caller looked.
      if case .known = answers.answer(holder, at: now) { return true }
      return nil
    } ask: { [self] beginning in
      try await ask(holder, beginning)
    } keep: { [metrics] answers, fetched, _, isCurrent in
      // A change of the holder has dropped the call: then nothing is kept.
      guard isCurrent else { return }
      let isFull = answers.store(
        fetched.names,
        limits: fetched.limits,
        unlocks: fetched.unlocks,
        for: holder,
        began: fetched.began,
        expires: fetched.expires
      )
      if isFull { metrics.flushes.increment() }
    }
    switch found {
    case .known: return
    case .flight(let flight): _ = try await flight.value
    case .refused:
      throw RPCError(.unavailable, "too many feature lookups in progress; retry in 1 s")
    }
  }

  /// See `FeatureSource.unlocking`.
  public func unlocking(_ feature: String, of holder: FeatureHolder) -> [String: String] {
    cache.withAnswers { $0.unlock(feature, of: holder) }?.metadata ?? [:]
  }

  private func ask(
    _ holder: FeatureHolder,
    _ beginning: LeasedCache<FeatureCache, Fetched>.Beginning
  ) async throws -> Fetched {
    let response = try await client.get(
      .init(subject: holder.subject, atLeastRevision: newestHeard.withLock { $0 }),
      timeout: configuration.timeout
    )
    let date = response.validUntil?.milliseconds
    var fetched = Fetched(
      began: beginning.instant,
      expires: beginning.end(of: configuration.lifetime, until: date)
    )
    for entitlement in response.entitlements {
      switch entitlement.limit?.value {
      case .maximum(let maximum): fetched.limits[entitlement.key] = maximum
      case .unlimited: fetched.limits[entitlement.key] = .max
      case nil: break
      }
      if entitlement.available {
        fetched.names.append(entitlement.key)
      } else if let unlock = entitlement.unlockedBy {
        fetched.unlocks[entitlement.key] = FeatureUnlock(unlock)
      }
    }
    return fetched
  }

  /// See `FeatureSource.limit`.
  public func limit(_ name: String, of holder: FeatureHolder) -> KnownLimit {
    switch cache.withAnswers({ $0.limit(name, of: holder, at: loop.now) }) {
    case .known(let maximum):
      metrics.hits.increment()
      return .known(maximum)
    case .unknown: metrics.misses.increment()
    case .doubtful: metrics.doubtful.increment()
    }
    return .missing
  }

  /// See `FeatureSource.raising`.
  public func raising(
    _ limit: String,
    of holder: FeatureHolder,
    count: Int64,
    requested: Int64
  ) async -> [String: String] {
    let request = Entitlement_V1.CheckLimitRequest(
      subject: holder.subject,
      limit: limit,
      currentCount: count,
      requested: requested
    )
    // The refusal is right without it.
    let answer = try? await client.checkLimit(request, timeout: configuration.timeout)
    return answer?.unlockedBy.map { FeatureUnlock($0).metadata } ?? [:]
  }

  // MARK: - Push

  /// Has `body` called with each change of entitlements and points, in order; with RESYNC when some were missed.
  func listen(_ body: @escaping @Sendable (Entitlement_V1.Change) -> Void) {
    listener.withLock { $0 = body }
  }

  /// Has `run` begin to listen, as if somebody asked.
  func want() { wanted.continuation.yield() }

  /// Listens for changes until cancelled, once somebody has asked; reconnects with growing pauses.
  public func run() async {
    for await _ in wanted.stream { break }
    // Not before: a stream that nobody needs would look like one that is lost.
    follower.report(to: registry)
    await withDiscardingTaskGroup { group in
      group.addTask { [self] in
        await silence.watch(for: configuration.lease, on: loop, then: news.noteAll)
      }
      await follow()
      group.cancelAll()
    }
  }

  private func follow() async {
    await follower.run(
      open: { [self] revision in
        client.watch(
          .init(
            afterRevision: revision ?? 0,
            points: true,
            afterPoints: pointsPlace.withLock { $0 }
          )
        )
      },
      beginAnew: { [self] in
        cache.forgetAll()
        tell(.init(kind: .resync))
        // Before the first stream no decision was kept for longer than a lease.
        if silence.hasHeard { news.noteAll() }
      },
      apply: { [self] change, now in
        silence.heard()
        newestHeard.withLock { $0 = max($0, change.revision) }
        if change.pointsPlace != 0 { pointsPlace.withLock { $0 = change.pointsPlace } }
        apply(change, provenAt: now)
        tell(change)
        // Asking for what comes after 0 would be asking for what comes next.
        return change.revision == 0 ? nil : change.revision
      },
      lost: { [silence, loop] in silence.began(at: loop.now) }
    )
  }

  private func tell(_ change: Entitlement_V1.Change) { listener.withLock { $0 }?(change) }

  private func apply(_ change: Entitlement_V1.Change, provenAt now: MonotonicInstant?) {
    switch change.kind {
    case .heartbeat, .points: break
    case .subject:
      if let holder = change.subject.flatMap({ FeatureHolder($0) }) {
        cache.forget(holder) { $0.forget(holder) }
        news.note(holder)
      }
    default:
      cache.forgetAll()
      news.noteAll()
    }
    if let now { cache.withAnswers { $0.extendLease(at: now) } }
  }
}

extension FeatureUnlock {
  fileprivate init(_ unlock: Entitlement_V1.UnlockedBy) {
    self.init(tier: unlock.tier, addons: unlock.addons, products: unlock.products)
  }
}

extension FeatureHolder {
  fileprivate var subject: Entitlement_V1.Subject {
    switch kind {
    case .portfolio: .init(kind: .portfolio, id: id)
    case .organization: .init(kind: .organization, id: id)
    case .family: .init(kind: .family, id: id)
    case .user: .init(kind: .user, id: id)
    default: preconditionFailure("features of a \(kind.rawValue), which no policy may name")
    }
  }

  fileprivate init?(_ subject: Entitlement_V1.Subject) {
    switch subject.kind {
    case .portfolio: self.init(kind: .portfolio, id: subject.id)
    case .organization: self.init(kind: .organization, id: subject.id)
    case .family: self.init(kind: .family, id: subject.id)
    case .user: self.init(kind: .user, id: subject.id)
    default: return nil
    }
  }
}

extension FeatureHolder.Kind {
  /// A user who calls, for what users buy for themselves.
  static let user = Self(rawValue: "user")
}
