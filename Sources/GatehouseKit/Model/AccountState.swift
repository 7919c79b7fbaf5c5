/// The state by which an app chooses its first screen.
public enum AccountState: Hashable, Sendable {
  /// The store has not answered: show the launch screen, not the sign-in.
  case unknown
  /// Nobody is signed in.
  case signedOut(EndReason)
  /// A person is signed in; the user is absent until it was read once.
  case signedIn(id: String, User?)

  /// The signed-in person, as far as it was read.
  public var user: User? {
    guard case .signedIn(_, let user) = self else { return nil }
    return user
  }
}
