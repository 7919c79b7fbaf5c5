public import RPCKit

/// Asks whether a user is an operator: holds `system.administer` on `sys_root`.
public typealias AdministratorCheck =
  @Sendable (_ user: UserIdentity, _ call: CallContext) async throws -> Bool

/// Finds out who calls, and keeps out whom the method's declaration does not name.
///
/// A user proves itself with `authorization: Bearer <access token>`; a service with its certificate
/// or `service-authorization: Bearer <service token>`, and shows the user's token as well when it acts
/// for one. Handlers find the result in `call.caller`.
public struct AuthenticationInterceptor: ServerInterceptor {
  /// How old a proof may be for a method that asks for a `fresh` one, in milliseconds.
  public static let freshAgeMax: Int64 = 5 * 60_000

  private let tokens: AccessTokenAuthenticator
  private let services: ServiceTokenVerifier?
  private let isAdministrator: AdministratorCheck?
  private let clock: any WallClock
  private let metrics: AuthenticationMetrics

  /// Makes an interceptor.
  ///
  /// - Parameters:
  ///   - tokens: Believes the users' tokens.
  ///   - services: Believes the tokens of services; nil when only certificates count.
  ///   - isAdministrator: Asked for methods of operators; nil lets nobody call them.
  ///   - clock: Says how old a proof is.
  ///   - metrics: Counts who came in and why others did not.
  public init(
    tokens: AccessTokenAuthenticator,
    services: ServiceTokenVerifier?,
    isAdministrator: AdministratorCheck? = nil,
    clock: any WallClock,
    metrics: AuthenticationMetrics = AuthenticationMetrics(MetricRegistry())
  ) {
    self.tokens = tokens
    self.services = services
    self.isAdministrator = isAdministrator
    self.clock = clock
    self.metrics = metrics
  }

  /// Runs the call as its caller, or throws UNAUTHENTICATED or PERMISSION_DENIED.
  public func intercept(_ call: CallContext, next: () async throws -> Void) async throws {
    call.identity = try await caller(of: call)
    try await next()
  }

  private func caller(of call: CallContext) async throws -> Caller {
    let service = try service(of: call)
    let user = try await user(of: call, actingService: service)
    let caller: Caller =
      if let user { .user(user) } else if let service { .service(service) } else { .anonymous }
    try await admit(caller, service, to: call)
    metrics.admitted(caller)
    return caller
  }

  /// Checks the method's declaration: who may call it.
  private func admit(_ caller: Caller, _ service: String?, to call: CallContext) async throws {
    let method = call.method
    switch method.callerClass {
    case .public: return
    case .user:
      if caller.user == nil { try admitAlone(service, to: method) }
    case .service:
      guard let service else {
        throw caller == .anonymous
          ? IdentityError.unauthenticated : IdentityError.callerNotAllowed
      }
      guard method.callingServices.isEmpty || method.names(service) else {
        throw IdentityError.callerNotAllowed
      }
    case .admin:
      guard let user = caller.user else { return try admitAlone(service, to: method) }
      guard let isAdministrator, try await isAdministrator(user, call) else {
        throw IdentityError.callerNotAllowed
      }
    }
  }

  /// Lets a service without a user call what is for users, if the method names it.
  private func admitAlone(_ service: String?, to method: MethodDescriptor) throws(RPCError) {
    guard let service else { throw IdentityError.unauthenticated }
    guard method.names(service) else { throw IdentityError.callerNotAllowed }
  }

  private func service(of call: CallContext) throws -> String? {
    if let name = ServiceName.certified(call.peer.certificate) { return name }
    do throws(TokenFault) {
      guard let text = try CredentialMetadata.token(CredentialMetadata.service, in: call.metadata)
      else { return nil }
      // Without keys of services nobody can prove to be one.
      guard let services else { throw .unknownKey }
      return try services.verify(text, from: call.peer.address)
    } catch {
      metrics.refused(error, isService: true)
      throw IdentityError.unauthenticated
    }
  }

  private func user(of call: CallContext, actingService: String?) async throws -> UserIdentity? {
    let outcome: AccessTokenAuthenticator.Outcome
    let text: String
    do throws(TokenFault) {
      guard let token = try CredentialMetadata.token(CredentialMetadata.user, in: call.metadata)
      else { return nil }
      text = token
      outcome = try await tokens.authenticate(text)
    } catch {
      metrics.refused(error, isService: false)
      // Whoever refreshes an expired token may still be showing it.
      if call.method.callerClass == .public { return nil }
      throw IdentityError.unauthenticated
    }
    let claims = outcome.claims
    if let stepUp = call.method.stepUp {
      try check(stepUp, claims)
      guard outcome.isSessionKnown else { throw IdentityError.cannotTell }
    }
    return UserIdentity(
      userID: claims.userID,
      sessionID: claims.sessionID,
      token: BearerToken(text),
      acr: claims.acr,
      authenticated: claims.authenticated,
      tokenExpires: claims.expires,
      purpose: claims.purpose,
      actingService: actingService
    )
  }

  private func check(_ stepUp: String, _ claims: AccessClaims) throws(RPCError) {
    let age = clock.now.subtractingReportingOverflow(claims.authenticated).partialValue
    let isFresh = age <= Self.freshAgeMax
    let isEnough = stepUp == "fresh" ? isFresh : claims.acr == stepUp && isFresh
    guard isEnough else {
      throw IdentityError.stepUpRequired(stepUp, ageMax: Self.freshAgeMax)
    }
  }
}

extension MethodDescriptor {
  /// Whether a service is one of those that may call; `*` means every one.
  fileprivate func names(_ service: String) -> Bool {
    callingServices.contains(service) || callingServices.contains("*")
  }
}
