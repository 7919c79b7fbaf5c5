public import ServiceKit

/// A user as this service keeps it.
public struct UserRecord: Hashable, Sendable {
  /// Identifier, `usr_…`.
  public var id: String
  /// Address for signing in and for mails, as the user wrote it; empty for an account that lost its own.
  public var email: String
  /// Whether the address was proven.
  public var isEmailVerified: Bool
  /// The display name.
  public var displayName = ""
  /// First name.
  public var firstName = ""
  /// Last name.
  public var lastName = ""
  /// The defaults of the user.
  public var defaults = UserDefaults()
  /// When the account was made, in milliseconds since 1970.
  public var created: Int64
  /// When it was last changed.
  public var updated: Int64
  /// Of the user's mails, as `de` or `de-AT`; empty for that of the installation.
  public var language = ""
  /// The profile, and the data that applications keep.
  public var profile = UserProfile()
  /// Counts changes of what the account shows, activities excepted.
  public var revision: Int64 = 1

  /// The address as it is looked up; of an account without one, what stands in its place.
  public var address: EmailAddress {
    email.isEmpty ? EmailAddress(missingOf: id) : EmailAddress(email)
  }
}

/// The three things a user begins with.
public struct UserDefaults: Hashable, Sendable {
  /// The portfolio.
  public var portfolio = DefaultChoice.none
  /// The property.
  public var property = DefaultChoice.none
  /// The unit.
  public var unit = DefaultChoice.none
}

/// The basis of a sign-in while its password is being hashed, which takes long enough for others to
/// change it.
///
/// Read together with the password's record, and again in the transaction that begins the session. When
/// the password was changed in between, the sign-in had the wrong one. When the user ended all sessions
/// in between, the one that is about to begin is among them: a user who signs everybody out must not
/// find a thief's sign-in in the list a moment later, who had only been waiting for a thread.
public struct SignInBasis: Hashable, Sendable {
  /// Counts changes of the password.
  public var passwordVersion: Int64
  /// Counts how often the user ended all sessions, or all others.
  public var sessionEndings: Int64
  /// Whether the user has an authenticator app, which a password alone does not sign in to.
  public var needsSecondFactor = false
}
