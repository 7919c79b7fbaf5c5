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
  private let rights: StreamRights

  /// Makes an interceptor.
  ///
  /// - Parameters:
  ///   - tokens: Believes the users' tokens.
  ///   - services: Believes the tokens of services; nil when only certificates count.
  ///   - isAdministrator: Asked for methods of operators; nil lets nobody call them.
  ///   - clock: Says how old a proof is.
  ///   - metrics: Counts who came in and why others did not.
  ///   - streamInterval: How often the proof behind a stream is looked at, as long as it is open; what is
  ///     revoked ends streams at once.
  public init(
    tokens: AccessTokenAuthenticator,
    services: ServiceTokenVerifier?,
    isAdministrator: AdministratorCheck? = nil,
    clock: any WallClock,
    metrics: AuthenticationMetrics = AuthenticationMetrics(MetricRegistry()),
    streamInterval: Duration = .seconds(3)
  ) {
    self.tokens = tokens
    self.services = services
    self.isAdministrator = isAdministrator
    self.clock = clock
    self.metrics = metrics
    let rights = StreamRights(interval: streamInterval, ended: metrics.endedStreams)
    self.rights = rights
    tokens.onRevocation { [weak rights] in rights?.lookAtAll() }
  }

  /// Runs the call as its caller, or throws UNAUTHENTICATED or PERMISSION_DENIED.
  public func intercept(_ call: CallContext, next: () async throws -> Void) async throws {
    // An `await` only where somebody must be asked: each costs as much as finding a token that is
    // known.
    let caller = if let known = try recognize(call) { known } else { try await authenticate(call) }
    metrics.admitted(caller)
    call.caller = caller
    guard call.isStreaming else { return try await next() }
    try call.countStream(for: CountedCaller(of: call))
    guard caller != .anonymous else { return try await next() }
    let isGood = proof(of: caller, in: call)
    let stream = rights.begin(call, isGood: isGood)
    defer { rights.end(stream) }
    // What was revoked before it was in the list was not looked for there.
    guard isGood() else { throw IdentityError.proofEnded }
    try await next()
  }

  /// Whether the caller of a stream would still be let in with what it showed.
  private func proof(of caller: Caller, in call: CallContext) -> @Sendable () -> Bool {
    // Not the call, which keeps this.
    let (metadata, peer) = (call.metadata, call.peer)
    return { [tokens, services] in
      if let user = caller.user, !tokens.isStillGood(user.verified) { return false }
      guard let service = caller.service, ServiceName.certified(peer.certificate) == nil else {
        return true
      }
      do throws(TokenFault) {
        let token = try CredentialMetadata.token(CredentialMetadata.service, in: metadata)
        guard let token, let services else { return false }
        return try services.verify(token, from: peer.address) == service
      } catch {
        return false
      }
    }
  }

  /// Runs the call as its caller when nobody must be asked who that is, or throws as `intercept` does.
  public func interceptFastPath(_ call: CallContext, next: () throws -> Bool) throws -> Bool {
    guard let caller = try recognize(call) else { return false }
    call.caller = caller
    let isAnswered: Bool
    do {
      isAnswered = try next()
    } catch {
      metrics.admitted(caller)
      throw error
    }
    if isAnswered { metrics.admitted(caller) }
    return isAnswered
  }

  /// Who calls, if that is known and may call the method; nil when `authenticate` has to find out.
  private func recognize(_ call: CallContext) throws -> Caller? {
    let service = try service(of: call)
    var user: UserIdentity?
    var isSessionKnown = false
    do throws(TokenFault) {
      if let token = try CredentialMetadata.token(CredentialMetadata.user, in: call.metadata) {
        guard let outcome = try tokens.recognize(token) else { return nil }
        user = UserIdentity(outcome.token, token, actingService: service, believer: tokens)
        isSessionKnown = outcome.isSessionKnown
      }
    } catch {
      // What becomes of a caller whose token is not believed is for `authenticate` to say.
      return nil
    }
    guard call.callerClass != .admin || user == nil else { return nil }
    return try admit(user, service, isSessionKnown, to: call)
  }

  /// Who calls, if that may call the method, whoever must be asked.
  private func authenticate(_ call: CallContext) async throws -> Caller {
    let service = try service(of: call)
    var user: UserIdentity?
    var isSessionKnown = false
    do throws(TokenFault) {
      if let token = try CredentialMetadata.token(CredentialMetadata.user, in: call.metadata) {
        let outcome = try await tokens.authenticate(token)
        user = UserIdentity(outcome.token, token, actingService: service, believer: tokens)
        isSessionKnown = outcome.isSessionKnown
      }
    } catch {
      metrics.refused(error, isService: false)
      // Whoever refreshes an expired token may still be showing it.
      if call.callerClass != .public { throw IdentityError.unauthenticated }
    }
    let caller = try admit(user, service, isSessionKnown, to: call)
    if call.callerClass == .admin, let user {
      guard let isAdministrator, try await isAdministrator(user, call) else {
        throw IdentityError.callerNotAllowed
      }
    }
    return caller
  }

  /// Checks what can be checked without asking: the step-up, and the method's declaration.
  ///
  /// Whether a user is an operator is asked afterwards.
  private func admit(
    _ user: UserIdentity?,
    _ service: String?,
    _ isSessionKnown: Bool,
    to call: CallContext
  ) throws -> Caller {
    if let user, let stepUp = call.stepUp {
      try check(stepUp, user)
      guard isSessionKnown else { throw IdentityError.cannotTell }
    }
    let caller: Caller =
      if let user { .user(user) } else if let service { .service(service) } else { .anonymous }
    try admit(caller, service, to: call)
    return caller
  }

  /// Checks the method's declaration: who may call it.
  private func admit(_ caller: Caller, _ service: String?, to call: CallContext) throws {
    switch call.callerClass {
    case .public: return
    case .user, .admin:
      guard caller.user == nil else { return }
      try admitAlone(service, to: call)
    case .service:
      guard let service else {
        throw caller == .anonymous
          ? IdentityError.unauthenticated : IdentityError.callerNotAllowed
      }
      guard call.callingServices.isEmpty || call.names(service) else {
        throw IdentityError.callerNotAllowed
      }
    }
  }

  /// Lets a service without a user call what is for users, if the method names it.
  private func admitAlone(_ service: String?, to call: CallContext) throws(RPCError) {
    guard let service else { throw IdentityError.unauthenticated }
    guard call.names(service) else { throw IdentityError.callerNotAllowed }
  }

  private func service(of call: CallContext) throws -> String? {
    if let name = ServiceName.certified(call.peer.certificate) { return name }
    do throws(TokenFault) {
      guard let token = try CredentialMetadata.token(CredentialMetadata.service, in: call.metadata)
      else { return nil }
      // Without keys of services nobody can prove to be one.
      guard let services else { throw .unknownKey }
      return try services.verify(token, from: call.peer.address)
    } catch {
      metrics.refused(error, isService: true)
      throw IdentityError.unauthenticated
    }
  }

  private func check(_ stepUp: String, _ user: UserIdentity) throws(RPCError) {
    let age = clock.now.subtractingReportingOverflow(user.authenticated).partialValue
    let isFresh = age <= Self.freshAgeMax
    let isEnough = stepUp == "fresh" ? isFresh : user.acr == stepUp && isFresh
    guard isEnough else {
      throw IdentityError.stepUpRequired(stepUp, ageMax: Self.freshAgeMax)
    }
  }
}

extension CallContext {
  /// Whether a service is one of those that may call the method; `*` means every one.
  fileprivate func names(_ service: String) -> Bool {
    callingServices.contains(service) || callingServices.contains("*")
  }
}
