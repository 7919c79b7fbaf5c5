/// What a sign-in rests on while its password is being hashed, which takes long enough for others to
/// change it.
///
/// Read together with the password's record, and again in the transaction that begins the session. When
/// the password was changed in between, the sign-in had the wrong one. When the user ended all sessions
/// in between, the one that is about to begin is among them: somebody who signs everybody out must not
/// find a thief's sign-in in the list a moment later, who had only been waiting for a thread.
public struct SignInBasis: Hashable, Sendable {
  /// Counts changes of the password.
  public var passwordVersion: Int64
  /// Counts how often the user ended all sessions, or all others.
  public var sessionEndings: Int64
  /// Whether the user has an authenticator app, which a password alone does not sign in to.
  public var needsSecondFactor = false
}
