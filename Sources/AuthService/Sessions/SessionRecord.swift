/// A session as this service keeps it.
public struct SessionRecord: Hashable, Sendable {
  /// Identifier, `ses_…`.
  public var id: String
  /// The user.
  public var userID: String
  /// The state of its refresh tokens.
  public var refresh: RefreshState
  /// When it began, in milliseconds since 1970.
  public var created: Int64
  /// When the user proved to be who they are, at last.
  public var authenticated: Int64
  /// The device that the user signed in from.
  public var device: DeviceDescription
  /// The network it began in, without the host part.
  public var network: String
  /// How the user proved to be who they are, at last.
  public var proof = SignInProof.password
  /// The device that a parent set up for a child, as it calls itself; empty for every other session.
  public var childDevice = ""
  /// The pairing of that device, with which the session ends; empty for every other session.
  var pairingID = ""

  /// Whether it is neither revoked nor over.
  public func isAlive(at now: Int64) -> Bool {
    !refresh.isRevoked && now < min(refresh.idleEnd, refresh.absoluteEnd)
  }

  /// When it ends if it is not refreshed.
  public var end: Int64 { min(refresh.idleEnd, refresh.absoluteEnd) }
}

/// The device that a user is signed in from, as the application describes it.
public struct DeviceDescription: Hashable, Sendable {
  /// The user's name for it.
  public var name = ""
  /// The model, such as Pixel 9.
  public var model = ""
  /// The application and its version.
  public var application = ""
}
