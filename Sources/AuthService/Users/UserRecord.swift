public import ServiceKit

/// A user as this service keeps it.
public struct UserRecord: Hashable, Sendable {
  /// Identifier, `usr_…`.
  public var id: String
  /// Address for signing in and for mails, as the user wrote it; empty for an account that lost its own.
  public var email: String
  /// Whether the address was proven.
  public var isEmailVerified: Bool
  /// What the user wants to be called.
  public var displayName: String
  /// First name.
  public var firstName: String
  /// Last name.
  public var lastName: String
  /// What the user begins with.
  public var defaults: UserDefaults
  /// When the account was made, in milliseconds since 1970.
  public var created: Int64
  /// When it was last changed.
  public var updated: Int64
  /// Of the user's mails, as `de` or `de-AT`; empty for that of the installation.
  public var language = ""
  /// What the user tells about itself, and what applications keep.
  public var profile = UserProfile()

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

  /// No choice at all.
  public init() {}
}

/// A session as this service keeps it.
public struct SessionRecord: Hashable, Sendable {
  /// Identifier, `ses_…`.
  public var id: String
  /// Whose it is.
  public var userID: String
  /// What its refresh tokens say.
  public var refresh: RefreshState
  /// When it began, in milliseconds since 1970.
  public var created: Int64
  /// When the user proved to be who they are, at last.
  public var authenticated: Int64
  /// What the user signed in from.
  public var device: DeviceDescription
  /// The network it began in, without the host part.
  public var network: String
  /// How the user proved to be who they are, at last.
  public var proof = SignInProof.password

  /// Whether it is neither revoked nor over.
  public func isAlive(at now: Int64) -> Bool {
    !refresh.isRevoked && now < min(refresh.idleEnd, refresh.absoluteEnd)
  }

  /// When it ends if it is not refreshed.
  public var end: Int64 { min(refresh.idleEnd, refresh.absoluteEnd) }
}

/// What a user is signed in from, as the application tells it.
public struct DeviceDescription: Hashable, Sendable {
  /// What the user calls it.
  public var name = ""
  /// What it is.
  public var model = ""
  /// The application and its version.
  public var application = ""

  /// Nothing known.
  public init() {}
}
