public import Contracts
public import RPCKit
internal import Synchronization

/// What another service knows of AuthService's revocations: pushed, and asked for when the push is
/// silent.
///
/// The stream is leased: AuthService says something at least every three seconds, and after ten of
/// silence nothing that is known here proves any more that a session lives. Each call then asks, and
/// while AuthService cannot be asked either, the answer is `unknown`.
public final class RevocationFeed: RevocationSource {
  /// How long the stream may be silent.
  public struct Lease: Sendable {
    /// Silence after which the stream proves nothing.
    public var duration = Duration.seconds(10)
    /// The pause before the stream is opened again.
    public var reopenPause = Duration.milliseconds(500)
    /// How long a question about one session may take.
    public var introspectionTimeout = Duration.seconds(1)
    /// How long nobody is asked after a question failed.
    public var introspectionPause = Duration.seconds(1)

    /// The defaults.
    public init() {}
  }

  private struct State {
    /// The revision to go on after.
    var revision: UInt64 = 0
    /// The stream is open and has said everything that it had to.
    var isComplete = false
    var lastHeard: MonotonicInstant?
    /// When AuthService really said something; opening the stream is no such thing.
    var lastEvent: MonotonicInstant?
    /// Until then questions are not asked, because the last one failed.
    var silentUntil: MonotonicInstant?
  }

  private let keys: Auth_V1.KeysClient
  private let sessions: Auth_V1.SessionsClient
  private let loop: any EventLoop
  private let clock: any WallClock
  private let logger: Logger
  private let lease: Lease
  private let revocations: RevocationSet
  private let state = Lock(State())
  private let listeners = Lock<[@Sendable (_ userID: String) -> Void]>([])
  /// Until when the stream proves that sessions live, in nanoseconds of the loop's clock.
  ///
  /// Follows `state`, so that each call need not take its lock.
  private let liveUntil = Atomic<Int64>(.min)

  /// Makes a feed that knows nothing yet; `run` follows the stream.
  public init(
    keys: Auth_V1.KeysClient,
    sessions: Auth_V1.SessionsClient,
    loop: any EventLoop,
    clock: any WallClock,
    logger: Logger,
    lease: Lease = Lease()
  ) {
    self.keys = keys
    self.sessions = sessions
    self.loop = loop
    self.clock = clock
    self.logger = logger
    self.lease = lease
    revocations = RevocationSet { loop.preciseNow }
  }

  /// Whether revocations are being heard of.
  public var isLive: Bool {
    loop.preciseNow.nanoseconds <= liveUntil.load(ordering: .acquiring)
  }

  /// How long ago AuthService was last heard of; nil before the first time.
  ///
  /// For metrics: what was revoked since then may not be known here.
  public var lag: Duration? {
    let now = loop.preciseNow
    return state.withLock { $0.lastEvent?.duration(to: now) }
  }

  private var silence: Duration? {
    let now = loop.preciseNow
    return state.withLock { $0.lastHeard?.duration(to: now) }
  }

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

  /// Changes what is known of the stream, and with it how long it proves anything.
  private func update(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      let end = state.lastEvent.map { $0.advanced(by: lease.duration).nanoseconds }
      liveUntil.store(state.isComplete ? end ?? .min : .min, ordering: .releasing)
    }
  }

  /// Follows the stream, and opens it again when it ends, until the task is cancelled.
  public func run() async {
    while !Task.isCancelled {
      // What was heard until then counts for the rest of the lease, and the next stream goes on after it.
      if await followWhileHeard() == .renew { continue }
      update { $0.isComplete = false }
      await loop.sleep(lease.reopenPause)
    }
  }

  /// Why a stream is over.
  private enum Ending {
    /// This service's proof ended, as it does every minute or two: the next stream has a new one.
    case renew
    /// The connection, AuthService or this task ended, or nothing was heard for too long.
    case lost
  }

  /// Follows one stream until it ends or has been silent for the length of the lease.
  private func followWhileHeard() async -> Ending {
    let began = loop.preciseNow
    update { $0.lastHeard = began }
    return await withTaskGroup(of: Ending.self) { group in
      group.addTask {
        do {
          try await self.follow()
        } catch let error as RPCError where error.isProofEnded && self.hasHeard(since: began) {
          return .renew
        } catch {
          guard !Task.isCancelled else { return .lost }
          self.logger.warning("the revocation stream failed; reconnecting", ["error": "\(error)"])
        }
        return .lost
      }
      group.addTask {
        await self.watchSilence()
        return .lost
      }
      defer { group.cancelAll() }
      return await group.next() ?? .lost
    }
  }

  /// A stream that ends before it said anything must not be opened again at once.
  private func hasHeard(since instant: MonotonicInstant) -> Bool {
    state.withLock { $0.lastEvent.map { $0 >= instant } ?? false }
  }

  private func watchSilence() async {
    while !Task.isCancelled {
      await loop.sleep(lease.duration / 4)
      guard let silence, silence <= lease.duration else { return }
    }
  }

  private func follow() async throws {
    let revision = state.withLock { $0.revision }
    let events = keys.watchRevocations(.init(afterRevision: revision))
    for try await event in events {
      if let revocation = Revocation(event) {
        revocations.insert([revocation], now: clock.now)
        for listener in listeners.withLock({ $0 }) { listener(event.userId) }
      }
      update { state in
        state.lastHeard = loop.preciseNow
        state.lastEvent = state.lastHeard
        if event.kind == .snapshotEnd { state.isComplete = true }
        state.revision = max(state.revision, event.revision)
      }
    }
  }

  private func introspect(_ claims: AccessClaims) async -> SessionState {
    let now = loop.preciseNow
    guard state.withLock({ $0.silentUntil.map { $0 <= now } ?? true }) else { return .unknown }
    do {
      let answer = try await sessions.introspect(
        .init(sessionId: claims.sessionID),
        timeout: lease.introspectionTimeout
      )
      return answer.active ? .active : .revoked
    } catch {
      // The call that asked may have been cancelled or out of time, which says nothing of others.
      if !Task.isCancelled {
        let until = loop.preciseNow.advanced(by: lease.introspectionPause)
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
