public import PeerContracts
public import RPCKit
internal import Synchronization

/// AuthService's revocations as another service knows them: pushed, and asked for when the push is
/// silent.
///
/// The stream is leased: AuthService says something at least every three seconds, and after ten of
/// silence nothing that is known here proves that a session lives. Each call then asks, and
/// while AuthService cannot be asked either, the answer is `unknown`.
public final class RevocationFeed: RevocationSource {
  /// How long the stream may be silent, and what asking may cost.
  public struct Configuration: Sendable {
    /// Silence after which the stream proves nothing.
    public var lease = Duration.seconds(10)
    /// How long a question about one session may take.
    public var introspectionTimeout = Duration.seconds(1)
    /// How long nobody is asked after a question failed.
    public var introspectionPause = Duration.seconds(1)

    /// The defaults.
    public init() {}
  }

  private struct State {
    /// How long the stream proves that sessions live; kept up only while it is complete.
    var lease: Lease
    /// The present stream has said everything that was missed before it.
    var isComplete = false
    /// Until then questions are not asked, because the last one failed.
    var silentUntil: MonotonicInstant?
  }

  private let keys: Auth_V1.KeysClient
  private let sessions: Auth_V1.SessionsClient
  private let loop: any EventLoop
  private let clock: any WallClock
  private let configuration: Configuration
  private let revocations: RevocationSet
  private let follower: WatchFollower
  private let state: Lock<State>
  private let listeners = Lock<[@Sendable (_ userID: String) -> Void]>([])
  /// When the lease ends, in nanoseconds of the loop's clock.
  ///
  /// Follows `state`, so that each call need not take its lock.
  private let liveUntil = Atomic<Int64>(.min)

  /// Makes a feed that knows nothing yet; `run` follows the stream.
  ///
  /// `random` spreads attempts to open it over time.
  public init(
    keys: Auth_V1.KeysClient,
    sessions: Auth_V1.SessionsClient,
    loop: any EventLoop,
    clock: any WallClock,
    random: any RandomSource = SystemRandomSource(),
    logger: Logger,
    configuration: Configuration = Configuration()
  ) {
    self.keys = keys
    self.sessions = sessions
    self.loop = loop
    self.clock = clock
    self.configuration = configuration
    revocations = RevocationSet { loop.preciseNow }
    follower = WatchFollower(
      "revocations",
      lease: configuration.lease,
      loop: loop,
      random: random,
      logger: logger
    )
    state = Lock(State(lease: Lease(configuration.lease)))
  }

  /// Whether revocations are being heard of.
  public var isLive: Bool {
    loop.preciseNow.nanoseconds < liveUntil.load(ordering: .acquiring)
  }

  /// How long ago AuthService was last heard of; nil before the first time.
  ///
  /// For metrics: what was revoked since then may not be known here.
  public var lag: Duration? { follower.lag }

  /// How many revocations are kept.
  public var count: Int { revocations.count }

  /// See `RevocationSource.state`.
  public func state(of claims: AccessClaims) async -> SessionState {
    if revocations.isRevoked(claims) { return .revoked }
    if isLive { return .active }
    return await introspect(claims)
  }

  /// See `RevocationSource.knownState`.
  public func knownState(of token: VerifiedToken) -> SessionState? {
    if revocations.isRevoked(token) { return .revoked }
    return isLive ? .active : nil
  }

  /// See `RevocationSource.onChange`.
  public func onChange(_ body: @escaping @Sendable () -> Void) { revocations.onChange(body) }

  /// Has `body` called with the user of each revocation that is heard of, those at the start of a stream
  /// included; from any thread, so it must be quick.
  public func onRevocation(_ body: @escaping @Sendable (_ userID: String) -> Void) {
    listeners.withLock { $0.append(body) }
  }

  /// Registers what is known of the stream, as long as the feed lives.
  func report(to registry: MetricRegistry) { follower.report(to: registry) }

  /// Follows the stream, and opens it again when it ends, until the task is cancelled.
  public func run() async {
    await follower.run(
      open: { [self] revision in
        update { $0.isComplete = false }
        return keys.watchRevocations(.init(afterRevision: revision ?? 0))
      },
      apply: { [self] event, _ in
        apply(event)
        return event.revision
      },
      // Asking costs a call; not asking would be to trust a connection that is known to be gone.
      lost: { [self] in update { $0.lease.cancel() } }
    )
  }

  private func apply(_ event: Auth_V1.Revocation) {
    if let revocation = Revocation(event) {
      revocations.insert([revocation], now: clock.now)
      for listener in listeners.withLock({ $0 }) { listener(event.userId) }
    }
    update { state in
      if event.kind == .snapshotEnd { state.isComplete = true }
      if state.isComplete { state.lease.extend(at: loop.preciseNow) }
    }
  }

  /// Changes what is known of the stream, and with it how long it proves anything.
  private func update(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      liveUntil.store(state.lease.end.nanoseconds, ordering: .releasing)
    }
  }

  private func introspect(_ claims: AccessClaims) async -> SessionState {
    let now = loop.preciseNow
    guard state.withLock({ $0.silentUntil.map { $0 <= now } ?? true }) else { return .unknown }
    do {
      let answer = try await sessions.introspect(
        .init(sessionId: claims.sessionID),
        timeout: configuration.introspectionTimeout
      )
      return answer.active ? .active : .revoked
    } catch {
      // The call that asked may have been cancelled or out of time, which says nothing about other calls.
      if !Task.isCancelled {
        let until = loop.preciseNow.advanced(by: configuration.introspectionPause)
        state.withLock { $0.silentUntil = until }
      }
      return .unknown
    }
  }
}

extension Revocation {
  /// Reads an event of the stream; nil for a sign of life or what this version does not know.
  init?(_ event: Auth_V1.Revocation) {
    let expires = event.forgetAt?.milliseconds ?? .max
    switch event.kind {
    case .session: self.init(.session(event.sessionId), expires: expires)
    case .user:
      let notBefore = event.notBefore?.milliseconds ?? .max
      self.init(.user(event.userId, notBefore: notBefore), expires: expires)
    default: return nil
    }
  }
}
