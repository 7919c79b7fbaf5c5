public import RPCKit

/// Asks whether a user has a right of operators or of support people: `Permission.administration` or
/// `Permission.inspection`.
public typealias OperatorCheck =
  @Sendable (_ permission: Permission, _ user: UserIdentity, _ call: CallContext) async throws ->
  Bool

/// Finds out who calls, and keeps out whom the method's declaration does not name.
///
/// A user proves itself with `authorization: Bearer <access token>`; a service with its certificate
/// or `service-authorization: Bearer <service token>`, and shows the user's token as well when it acts
/// for one. Handlers find the result in `call.caller`.
public struct AuthenticationInterceptor: ServerInterceptor {
  /// How old a proof may be for a method that asks for a `fresh` one, in milliseconds.
  public static let freshAgeMax = Assurance.recentAgeMax

  private let tokens: AccessTokenAuthenticator
  private let services: ServiceTokenVerifier?
  private let isOperator: OperatorCheck?
  private let operatorStepUp: String
  private let gateways: GatewayProof
  private let clock: any WallClock
  private let metrics: AuthenticationMetrics
  private let rights: StreamRights

  /// Makes an interceptor.
  ///
  /// - Parameters:
  ///   - tokens: Believes the users' tokens.
  ///   - services: Believes the tokens of services; nil when only certificates count.
  ///   - isOperator: Asked for methods of operators and support people; nil lets nobody call them.
  ///   - operatorStepUp: What operators prove, at least, before methods of theirs that need a step-up.
  ///   - gateways: Which callers of methods for gateways are one, without a certificate.
  ///   - clock: Says how old a proof is.
  ///   - metrics: Counts who came in and why others did not.
  ///   - streamInterval: How often the proof behind a stream is looked at, as long as it is open: once in the
  ///     grace after the end of a token, if nothing else is said. What is revoked ends streams at once.
  public init(
    tokens: AccessTokenAuthenticator,
    services: ServiceTokenVerifier?,
    isOperator: OperatorCheck? = nil,
    operatorStepUp: String = "fresh",
    gateways: GatewayProof = GatewayProof(),
    clock: any WallClock,
    metrics: AuthenticationMetrics = AuthenticationMetrics(MetricRegistry()),
    streamInterval: Duration? = nil
  ) {
    self.tokens = tokens
    self.services = services
    self.isOperator = isOperator
    self.operatorStepUp = operatorStepUp
    self.gateways = gateways
    self.clock = clock
    self.metrics = metrics
    let rights = StreamRights(
      interval: streamInterval ?? .milliseconds(TokenClaims.graceMilliseconds),
      ended: metrics.endedStreams
    )
    self.rights = rights
    tokens.onRevocation { [weak rights] in rights?.checkAll() }
  }

  /// Lets the call continue as its caller, or throws UNAUTHENTICATED or PERMISSION_DENIED.
  ///
  /// Needs a task only where a signature has to be verified or somebody has to be asked.
  public func begin(_ call: CallContext) throws -> Interception {
    let service = try shownService(by: call)
    let user = try shownUser(by: call)
    guard service.isSettled, user.isSettled, user.isNone || !call.isForOperators else {
      return .around { call, next in
        let service = try settle(service, in: call)
        let user = try await settle(user, in: call)
        try await requireOperator(user, service, call)
        try admit(user, service, to: call)
        try await next()
      }
    }
    try admit(user.accepted, service.accepted, to: call)
    return .proceed
  }

  /// A stream's proof need no longer be looked at.
  public func ended(_ call: CallContext) {
    if call.isStreaming { rights.end(call) }
  }

  // MARK: - What a call shows

  /// The proof shown for a service, as far as it was looked at.
  ///
  /// This and `UserProof` are two types, because one that is generic is copied by looking its layout up.
  private enum ServiceProof: Sendable {
    case none
    /// It is accepted, as the one of this service.
    case accepted(String)
    /// More has to be found out.
    case open(ServiceTokenVerifier.UnsettledToken)

    var isSettled: Bool { if case .open = self { false } else { true } }
    var accepted: String? { if case .accepted(let service) = self { service } else { nil } }
  }

  private struct ShownUser: Sendable {
    let token: BearerToken
    let outcome: AccessTokenAuthenticator.Outcome
  }

  /// The proof shown for a user, as far as it was looked at.
  private enum UserProof: Sendable {
    case none
    /// It is accepted.
    case accepted(ShownUser)
    /// More has to be found out.
    case open(AccessTokenAuthenticator.UnsettledToken)

    var isNone: Bool { if case .none = self { true } else { false } }
    var isSettled: Bool { if case .open = self { false } else { true } }
    var accepted: ShownUser? { if case .accepted(let user) = self { user } else { nil } }
  }

  private func shownService(by call: CallContext) throws(RPCError) -> ServiceProof {
    if let name = ServiceName.certified(call.peer.certificate) { return .accepted(name) }
    do throws(TokenFault) {
      guard let token = try CredentialMetadata.token(CredentialMetadata.service, in: call.metadata)
      else { return gateways.admits(call) ? .accepted(GatewayProof.service) : .none }
      if GatewayProof.isSecret(token) { return try gateway(showing: token, in: call) }
      // Without keys of services nobody can prove to be one.
      guard let services else { throw .unknownKey }
      switch try services.recognize(token, from: call.peer.address) {
      case .believed(let service): return .accepted(service)
      case .unsettled(let token): return .open(token)
      }
    } catch {
      throw refused(service: error)
    }
  }

  /// A gateway that shows its secret; nobody where a method does not name gateways, or a user's token is shown too.
  private func gateway(
    showing token: BearerToken,
    in call: CallContext
  ) throws(TokenFault) -> ServiceProof {
    guard gateways.verifies(token, from: call.peer.address) else { throw .signature }
    let isForGateways = call.callingServices.contains(GatewayProof.service)
    let isForUser = call.metadata[CredentialMetadata.user] != nil
    return isForGateways && !isForUser ? .accepted(GatewayProof.service) : .none
  }

  private func settle(_ proof: ServiceProof, in call: CallContext) throws(RPCError) -> String? {
    switch proof {
    case .none: return nil
    case .accepted(let service): return service
    case .open(let token):
      do throws(TokenFault) {
        // Only asked for by those who have a verifier.
        return try services?.verify(token)
      } catch {
        throw refused(service: error)
      }
    }
  }

  private func refused(service fault: TokenFault) -> RPCError {
    metrics.refused(fault, isService: true)
    return IdentityError.unauthenticated
  }

  private func shownUser(by call: CallContext) throws(RPCError) -> UserProof {
    do throws(TokenFault) {
      guard let token = try CredentialMetadata.token(CredentialMetadata.user, in: call.metadata)
      else { return .none }
      switch try tokens.recognize(token) {
      case .believed(let outcome): return .accepted(ShownUser(token: token, outcome: outcome))
      case .unsettled(let token): return .open(token)
      }
    } catch {
      try refused(user: error, in: call)
      return .none
    }
  }

  private func settle(
    _ proof: UserProof,
    in call: CallContext
  ) async throws(RPCError) -> ShownUser? {
    switch proof {
    case .none: return nil
    case .accepted(let user): return user
    case .open(let token):
      do throws(TokenFault) {
        return ShownUser(token: token.token, outcome: try await tokens.settle(token))
      } catch {
        try refused(user: error, in: call)
        return nil
      }
    }
  }

  private func refused(user fault: TokenFault, in call: CallContext) throws(RPCError) {
    metrics.refused(fault, isService: false)
    // Anyone who refreshes an expired token may still be showing it.
    guard call.callerClass != .public else { return }
    throw fault == .keysUnavailable
      ? IdentityError.keysUnavailable : IdentityError.unauthenticated
  }

  // MARK: - Who may call

  /// Lets a call in as its caller, if the method's declaration names it.
  private func admit(_ shown: ShownUser?, _ service: String?, to call: CallContext) throws {
    let caller = try caller(shown, service, of: call)
    metrics.admitted(caller)
    call.caller = caller
    guard call.isStreaming else { return }
    try call.countStream(for: CountedCaller(of: call))
    guard caller != .anonymous else { return }
    let isGood = proof(of: caller, in: call)
    rights.begin(call, isGood: isGood)
    // What was revoked before it was in the list was not looked for there.
    guard isGood() else {
      rights.end(call)
      throw IdentityError.proofEnded
    }
  }

  /// Whether the caller of a stream would still be let in with what it showed, without a grace: streams are
  /// looked at once in the time of the grace, so they end no later than calls are refused.
  private func proof(of caller: Caller, in call: CallContext) -> @Sendable () -> Bool {
    // Not the call, which keeps this.
    let (metadata, peer) = (call.metadata, call.peer)
    return { [tokens, services, gateways] in
      if let user = caller.user, !tokens.isStillValid(user.verified, grace: 0) { return false }
      guard let service = caller.service, ServiceName.certified(peer.certificate) == nil else {
        return true
      }
      do throws(TokenFault) {
        let token = try CredentialMetadata.token(CredentialMetadata.service, in: metadata)
        guard let token else { return false }
        if GatewayProof.isSecret(token) { return gateways.verifies(token, from: peer.address) }
        guard let services else { return false }
        return try services.verify(token, from: peer.address, grace: 0) == service
      } catch {
        return false
      }
    }
  }

  /// Throws PERMISSION_DENIED when the method is for operators or support people and the user is none.
  private func requireOperator(
    _ shown: ShownUser?,
    _ service: String?,
    _ call: CallContext
  ) async throws {
    guard call.isForOperators, let user = try caller(shown, service, of: call).user else { return }
    do {
      let right: Permission = call.callerClass == .admin ? .administration : .inspection
      guard let isOperator, try await isOperator(right, user, call) else {
        throw right == .administration
          ? IdentityError.operatorRequired : IdentityError.supportRequired
      }
      let assurance = user.assurance(at: clock.now)
      guard right == .inspection, !assurance.satisfies("mfa", of: call.method.fullName) else {
        return
      }
      guard try await isOperator(.administration, user, call) else {
        throw IdentityError.secondFactorRequired
      }
      // An operator without a second factor reads by a recent sign-in.
      try check(["fresh", operatorStepUp], user, call)
    } catch {
      call.caller = .user(user)
      throw error
    }
  }

  /// The caller, when the proof is enough: the step-up, and the method's declaration.
  ///
  /// Whether a user is an operator is not looked at. Who is refused is set as the caller, for the log.
  private func caller(
    _ shown: ShownUser?,
    _ service: String?,
    of call: CallContext
  ) throws(RPCError) -> Caller {
    let caller: Caller
    if let shown {
      caller = .user(
        UserIdentity(
          shown.outcome.token,
          shown.token,
          actingService: service,
          believer: tokens
        )
      )
    } else if let service {
      caller = .service(service)
    } else {
      caller = .anonymous
    }
    do throws(RPCError) {
      if let user = caller.user, call.stepUp != nil || call.isForOperators {
        try check(neededProofs(for: call), user, call)
        guard shown?.outcome.isSessionKnown == true else { throw IdentityError.cannotTell }
      }
      try admit(caller, service, to: call)
    } catch {
      call.caller = caller
      throw error
    }
    return caller
  }

  /// Checks the method's declaration: who may call it.
  private func admit(_ caller: Caller, _ service: String?, to call: CallContext) throws(RPCError) {
    switch call.callerClass {
    case .public: return
    case .user, .support, .admin:
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

  /// The step-ups that a call needs: what the installation asks of operators comes on top of what the method does.
  private func neededProofs(for call: CallContext) -> [String] {
    guard let stepUp = call.stepUp else { return [] }
    return call.isForOperators ? [stepUp, operatorStepUp] : [stepUp]
  }

  /// Throws STEP_UP_REQUIRED unless a user has proved all that, and lately.
  private func check(
    _ stepUps: [String],
    _ user: UserIdentity,
    _ call: CallContext
  ) throws(RPCError) {
    let age = clock.now.subtractingReportingOverflow(user.authenticated).partialValue
    let isFresh = age <= Self.freshAgeMax
    let assurance = user.assurance(at: clock.now)
    for stepUp in stepUps
    where !isFresh || !assurance.satisfies(stepUp, of: call.method.fullName) {
      throw IdentityError.stepUpRequired(stepUp, ageMax: Self.freshAgeMax)
    }
  }
}

extension CallContext {
  /// Whether the method is for operators, or for them and support people.
  fileprivate var isForOperators: Bool { callerClass == .admin || callerClass == .support }

  /// Whether a service is one of those that may call the method; `*` means every one.
  fileprivate func names(_ service: String) -> Bool {
    callingServices.contains(service) || callingServices.contains("*")
  }
}
