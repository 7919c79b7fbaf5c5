public import RPCKit
internal import Synchronization

/// One revocation, as AuthService tells it.
public struct Revocation: Sendable, Hashable {
  /// The subject of a revocation.
  public enum Subject: Sendable, Hashable {
    /// One session: no token of it is good.
    case session(String)
    /// A user: no token issued before this time, in milliseconds since 1970, is good.
    case user(String, notBefore: Int64)
  }

  /// The subject.
  public var subject: Subject
  /// When the last token that it could concern has expired, in milliseconds since 1970.
  public var expires: Int64

  /// For how long a revocation matters at least, in milliseconds: as long as an access token may live,
  /// and what clocks may differ, on both sides.
  public static let lifetimeMin = AccessTokenVerifier.lifetimeMax + 60_000

  /// Makes a revocation.
  public init(_ subject: Subject, expires: Int64) {
    self.subject = subject
    self.expires = expires
  }
}

/// Which sessions and users are revoked, for as long as their tokens would still be valid.
///
/// That long by both clocks: a wall clock that is ahead for a while would otherwise have revocations
/// forgotten whose tokens are good again when it is set right.
public final class RevocationSet: Sendable {
  /// Until when a revocation is kept.
  private struct Term {
    /// By the wall clock, in milliseconds since 1970.
    var wall: Int64
    /// By the monotonic clock.
    var uptime: MonotonicInstant

    func isOver(_ now: Int64, _ uptime: MonotonicInstant) -> Bool {
      wall <= now && self.uptime <= uptime
    }

    mutating func extend(to other: Term) {
      wall = max(wall, other.wall)
      uptime = max(uptime, other.uptime)
    }
  }

  private struct State {
    var sessions: [String: Term] = [:]
    var users: [String: (notBefore: Int64, term: Term)] = [:]
    /// Pruned when the set has grown to this.
    var pruneCount = 1024
  }

  private static let start = ContinuousClock.now
  /// The monotonic clock of the system.
  public static let systemUptime: @Sendable () -> MonotonicInstant = {
    MonotonicInstant(nanoseconds: (ContinuousClock.now - start).nanosecondsSaturated)
  }

  private let state = Lock(State())
  private let uptime: @Sendable () -> MonotonicInstant
  /// Changes so far that revoked something.
  ///
  /// Counted while the change has the lock, after it was made.
  private let changeCount = Atomic<UInt64>(0)
  private let observers = Lock<[@Sendable () -> Void]>([])

  /// Makes an empty set; `uptime` is monotonic.
  public init(uptime: @escaping @Sendable () -> MonotonicInstant = RevocationSet.systemUptime) {
    self.uptime = uptime
  }

  /// Adds revocations; `now` is in milliseconds since 1970.
  public func insert(_ revocations: some Sequence<Revocation>, now: Int64) {
    let uptime = uptime()
    state.withLock { state in
      for revocation in revocations {
        Self.insert(revocation, Self.term(of: revocation, now: now, uptime), into: &state)
      }
      changeCount.add(1, ordering: .releasing)
      guard state.sessions.count + state.users.count >= state.pruneCount else { return }
      state.sessions = state.sessions.filter { !$0.value.isOver(now, uptime) }
      state.users = state.users.filter { !$0.value.term.isOver(now, uptime) }
      // Twice what is left: each pruning pays for as many insertions as it looks at.
      state.pruneCount = max(1024, 2 * (state.sessions.count + state.users.count))
    }
    for observer in observers.withLock({ $0 }) { observer() }
  }

  /// See `RevocationSource.onChange`.
  public func onChange(_ body: @escaping @Sendable () -> Void) {
    observers.withLock { $0.append(body) }
  }

  /// Until when a revocation that was heard of now is kept.
  ///
  /// Never less than a whole life of a token by the monotonic clock, whatever the wall clock says.
  private static func term(
    of revocation: Revocation,
    now: Int64,
    _ uptime: MonotonicInstant
  ) -> Term {
    let (rest, overflow) = revocation.expires.subtractingReportingOverflow(now)
    let span = overflow && revocation.expires > now ? .max : max(Revocation.lifetimeMin, rest)
    return Term(wall: revocation.expires, uptime: uptime.advanced(by: .milliseconds(span)))
  }

  private static func insert(_ revocation: Revocation, _ term: Term, into state: inout State) {
    switch revocation.subject {
    case .session(let id):
      state.sessions[id, default: term].extend(to: term)
    case .user(let id, let notBefore):
      var known = state.users[id] ?? (notBefore, term)
      known.notBefore = max(known.notBefore, notBefore)
      known.term.extend(to: term)
      state.users[id] = known
    }
  }

  /// Whether a token is revoked; looks it up only once for each change.
  func isRevoked(_ token: VerifiedToken) -> Bool {
    // Read first: a change that comes after this is looked for at the next call.
    let count = changeCount.load(ordering: .acquiring)
    guard !token.isUnrevoked(at: count) else { return false }
    guard !isRevoked(token.claims) else { return true }
    token.noteNotRevoked(at: count)
    return false
  }

  /// Whether a token with these claims is revoked.
  public func isRevoked(_ claims: AccessClaims) -> Bool {
    state.withLock { state in
      if state.sessions[claims.sessionID] != nil { return true }
      guard let user = state.users[claims.userID] else { return false }
      // Tokens say whole seconds, so one from later in the same second is refused as well.
      return claims.issued < user.notBefore
    }
  }

  /// How many revocations are kept.
  public var count: Int { state.withLock { $0.sessions.count + $0.users.count } }
}
