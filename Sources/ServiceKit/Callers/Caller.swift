public import RPCKit

/// The caller.
public enum Caller: Sendable, Hashable {
  /// A caller without known credentials; only public methods see this.
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

  /// For logs, audit records, idempotency keys and page tokens: `anonymous`, `user:usr_…`, `svc://tenancy`.
  public var description: String {
    switch self {
    case .anonymous: "anonymous"
    case .user(let identity): "user:\(identity.userID)"
    case .service(let name): "\(ServiceName.scheme)\(name)"
    }
  }
}

extension Caller {
  /// Throws UNAUTHENTICATED when the token that proved a user is no longer accepted; see
  /// `UserIdentity.isStillValid`.
  public func requireStillValid() throws(RPCError) {
    guard user?.isStillValid != false else { throw IdentityError.unauthenticated }
  }
}

extension CallContext {
  private final class CallingService: Sendable {
    let name: String

    init(_ name: String) { self.name = name }
  }

  /// The caller, as `AuthenticationInterceptor` found out; anonymous without one.
  public package(set) var caller: Caller {
    get {
      let identity = identity
      if let user = UserIdentity(object: identity) { return .user(user) }
      return (identity as? CallingService).map { .service($0.name) } ?? .anonymous
    }
    set {
      identity =
        switch newValue {
        case .anonymous: nil
        case .user(let user): user.object
        case .service(let name): CallingService(name)
        }
    }
  }

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
