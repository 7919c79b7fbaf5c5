internal import RPCKit
internal import Synchronization

/// One revocation, as AuthService tells it.
public struct Revocation: Sendable, Hashable {
  /// What is revoked.
  public enum Subject: Sendable, Hashable {
    /// One session: no token of it is good any more.
    case session(String)
    /// A user: no token issued before this time, in milliseconds since 1970, is good any more.
    case user(String, notBefore: Int64)
  }

  /// What is revoked.
  public var subject: Subject
  /// When the last token that it could concern has expired, in milliseconds since 1970.
  public var expires: Int64

  /// Makes a revocation.
  public init(_ subject: Subject, expires: Int64) {
    self.subject = subject
    self.expires = expires
  }
}

/// Which sessions and users are revoked, for as long as their tokens would still be valid.
public final class RevocationSet: Sendable {
  private struct State {
    var sessions: [String: Int64] = [:]
    var users: [String: (notBefore: Int64, expires: Int64)] = [:]
    /// Pruned when the set has grown to this.
    var pruneCount = 1024
  }

  private let state = Lock(State())
  /// Changes so far that revoked something.
  ///
  /// Counted while the change has the lock, after it was made.
  private let changeCount = Atomic<UInt64>(0)

  /// Makes an empty set.
  public init() {}

  /// Adds revocations; `now` is in milliseconds since 1970.
  public func insert(_ revocations: some Sequence<Revocation>, now: Int64) {
    state.withLock { state in
      for revocation in revocations { Self.insert(revocation, into: &state) }
      changeCount.add(1, ordering: .releasing)
      guard state.sessions.count + state.users.count >= state.pruneCount else { return }
      state.sessions = state.sessions.filter { $0.value > now }
      state.users = state.users.filter { $0.value.expires > now }
      // Twice what is left: each pruning pays for as many insertions as it looks at.
      state.pruneCount = max(1024, 2 * (state.sessions.count + state.users.count))
    }
  }

  private static func insert(_ revocation: Revocation, into state: inout State) {
    switch revocation.subject {
    case .session(let id):
      state.sessions[id] = max(state.sessions[id] ?? .min, revocation.expires)
    case .user(let id, let notBefore):
      let known = state.users[id]
      state.users[id] = (
        max(known?.notBefore ?? .min, notBefore), max(known?.expires ?? .min, revocation.expires)
      )
    }
  }

  /// Whether a token is revoked; looks it up only once for each change.
  func isRevoked(_ token: VerifiedToken) -> Bool {
    // Read first: a change that comes after this is looked for at the next call.
    let count = changeCount.load(ordering: .acquiring)
    guard !token.isUnrevoked(at: count) else { return false }
    guard !isRevoked(token.claims) else { return true }
    token.sawUnrevoked(at: count)
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
