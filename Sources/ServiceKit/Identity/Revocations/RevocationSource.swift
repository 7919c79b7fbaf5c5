/// The state of a session.
public enum SessionState: Sendable, Hashable {
  /// It lives.
  case active
  /// It was revoked, or has expired.
  case revoked
  /// It cannot be determined at the moment.
  case unknown
}

/// The source that knows whether tokens were revoked.
public protocol RevocationSource: Sendable {
  /// The state of a token with these claims.
  ///
  /// Asks the one who knows only when what is known here may be old.
  func state(of claims: AccessClaims) async -> SessionState

  /// The same, as far as it can be said at once; nil when somebody has to be asked.
  ///
  /// What is not nil is what `state` would have said. Asked on every call, so it must be cheap.
  func knownState(of token: VerifiedToken) -> SessionState?

  /// Has `body` called after each change that revoked something; from any thread, so it must be quick.
  func onChange(_ body: @escaping @Sendable () -> Void)
}

extension RevocationSource {
  /// Always has to ask.
  public func knownState(of token: VerifiedToken) -> SessionState? { nil }

  /// Says nothing: what was revoked is found out when somebody asks.
  public func onChange(_ body: @escaping @Sendable () -> Void) {}
}

extension RevocationSet: RevocationSource {
  /// Whether the set has it, for a service that fills the set itself.
  public func state(of claims: AccessClaims) async -> SessionState {
    isRevoked(claims) ? .revoked : .active
  }

  /// See `RevocationSource.knownState`.
  public func knownState(of token: VerifiedToken) -> SessionState? {
    isRevoked(token) ? .revoked : .active
  }
}
