public import RPCKit

/// A token as it was received, to be passed on when acting for its user.
///
/// Shows nothing of itself, so that printing what holds one is no leak.
public struct BearerToken: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The token itself.
  public let text: String

  /// Wraps a token.
  public init(_ text: String) { self.text = text }

  /// Always the same.
  public var description: String { "[redacted]" }
  /// Always empty.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A user who is calling, as a verified access token says.
public struct UserIdentity: Sendable, Hashable {
  /// Who.
  public var userID: String
  /// In which session.
  public var sessionID: String
  /// The token that proves it.
  public var token: BearerToken
  /// How they proved to be who they are: `pwd`, `pin`.
  public var acr: String
  /// When they did, in milliseconds since 1970.
  public var authenticated: Int64
  /// When the token ends, in milliseconds since 1970.
  public var tokenExpires: Int64
  /// The one thing an elevated token is good for, or nil.
  public var purpose: String?
  /// The service that calls for the user, or nil when the user calls.
  public var actingService: String?

  /// Makes an identity.
  public init(
    userID: String,
    sessionID: String,
    token: BearerToken,
    acr: String,
    authenticated: Int64,
    tokenExpires: Int64,
    purpose: String? = nil,
    actingService: String? = nil
  ) {
    self.userID = userID
    self.sessionID = sessionID
    self.token = token
    self.acr = acr
    self.authenticated = authenticated
    self.tokenExpires = tokenExpires
    self.purpose = purpose
    self.actingService = actingService
  }
}

/// Who is calling.
public enum Caller: Sendable, Hashable {
  /// Nobody that we know; only public methods see this.
  case anonymous
  /// A user, or a service for a user.
  case user(UserIdentity)
  /// A service for itself, by its name: `tenancy`.
  case service(String)

  /// The user, if one is calling.
  public var user: UserIdentity? {
    if case .user(let identity) = self { identity } else { nil }
  }

  /// The service that is calling, for itself or for a user.
  public var service: String? {
    switch self {
    case .anonymous: nil
    case .user(let identity): identity.actingService
    case .service(let name): name
    }
  }

  /// For logs and audit records: `anonymous`, `user:usr_…`, `service:tenancy`.
  public var description: String {
    switch self {
    case .anonymous: "anonymous"
    case .user(let identity): "user:\(identity.userID)"
    case .service(let name): "service:\(name)"
    }
  }
}

extension CallContext {
  /// Who is calling, as `AuthenticationInterceptor` found out; anonymous without one.
  public var caller: Caller { identity as? Caller ?? .anonymous }

  /// The calling user; throws UNAUTHENTICATED when there is none.
  public func requireUser() throws(RPCError) -> UserIdentity {
    guard let user = caller.user else { throw IdentityError.unauthenticated }
    return user
  }

  /// The calling service; throws PERMISSION_DENIED when there is none.
  public func requireService() throws(RPCError) -> String {
    guard let service = caller.service else { throw IdentityError.callerNotAllowed }
    return service
  }
}

extension CallOptions {
  /// These options with the user's own token, for a call that is made for the user.
  public func acting(for user: UserIdentity) -> CallOptions {
    var options = self
    options.metadata[CredentialMetadata.user] = CredentialMetadata.bearer(user.token.text)
    return options
  }
}

/// Where credentials travel in metadata.
enum CredentialMetadata {
  /// The user's access token.
  static let user = "authorization"
  /// The calling service's own token.
  static let service = "service-authorization"

  static func bearer(_ token: String) -> String { "Bearer \(token)" }

  /// The token of a key that is there exactly once; nil without the key.
  ///
  /// Two values are refused: what reads the first and what reads the last would see two callers.
  static func token(_ key: String, in metadata: Metadata) throws(TokenFault) -> String? {
    guard !metadata.isEmpty else { return nil }
    let values = metadata.values(key)
    guard let value = values.first else { return nil }
    guard values.count == 1 else { throw .encoding }
    // The scheme is compared without case (RFC 9110, section 11.1).
    guard value.utf8.count > 7, value.prefix(7).lowercased() == "bearer " else { throw .encoding }
    return String(value.dropFirst(7))
  }
}
