internal import AccessEngine
internal import TenancyContracts
internal import RPCKit
internal import ServiceKit

/// `envoy.service.auth.v3.Authorization`: whether a gateway may pass a request on, and as whom.
struct AuthorizationHandler: Envoy_Service_Auth_V3.AuthorizationService {
  let core: TenancyCore
  /// Believes the tokens in requests; nil believes none.
  let tokens: AccessTokenAuthenticator?
  let routes: GatewayRoutes
  private let answers: CounterByLabel<GatewayOutcome>

  init(core: TenancyCore, tokens: AccessTokenAuthenticator?, routes: GatewayRoutes) {
    (self.core, self.tokens, self.routes) = (core, tokens, routes)
    answers = CounterByLabel(
      core.metrics,
      "gatehouse_tenancy_gateway_answers_total",
      help: "Requests that a gateway asked about: passed, denied, or undecided, which denies them.",
      label: "outcome"
    )
  }

  func check(
    _ request: Envoy_Service_Auth_V3.CheckRequest,
    _ call: CallContext
  ) async throws -> Envoy_Service_Auth_V3.CheckResponse {
    let http = request.attributes?.request?.http
    let requestID = core.identifiers.requestID(ofGateway: http?.headers["x-request-id"], call)
    let verdict: Result<GatewayIdentity, RPCError>
    do {
      verdict = .success(try await identity(request, call))
    } catch let error as RPCError {
      core.denials.look(at: error, of: call)
      verdict = .failure(error)
    }
    answers.increment(GatewayOutcome(verdict))
    return GatewayAnswer.message(
      verdict,
      requestID: requestID,
      path: http?.path ?? "",
      headers: http?.headers ?? [:]
    )
  }

  /// As whom a request may go on; throws why it may not.
  private func identity(
    _ request: Envoy_Service_Auth_V3.CheckRequest,
    _ call: CallContext
  ) async throws -> GatewayIdentity {
    guard let attributes = request.attributes, let http = attributes.request?.http else {
      throw GatewayError.pathRefused("is missing")
    }
    let demand = try routes.demand(
      http.method,
      try GatewayPath(http.path),
      extensions: attributes.contextExtensions
    )
    guard let credential = http.headers["authorization"] else {
      guard demand == .nothing else { throw IdentityError.unauthenticated }
      return GatewayIdentity()
    }
    guard demand != .nothing else { return await visitor(showing: credential) }
    let shown = try await user(showing: credential)
    call.caller = .user(shown.user)
    return try await identity(
      of: shown.user,
      demand,
      // As elsewhere: who reads may continue while nobody can tell whether the session was revoked.
      isSessionKnown: shown.isSessionKnown,
      isReading: ["GET", "HEAD"].contains(http.method)
    )
  }

  /// Where nothing is demanded, a token that is not believed is as good as none.
  private func visitor(showing credential: String) async -> GatewayIdentity {
    do {
      let user = try await user(showing: credential).user
      return GatewayIdentity(userID: user.userID, acr: user.acr)
    } catch {
      return GatewayIdentity()
    }
  }

  private func user(
    showing credential: String
  ) async throws(RPCError) -> (user: UserIdentity, isSessionKnown: Bool) {
    guard let tokens else { throw IdentityError.keysUnavailable }
    do throws(TokenFault) {
      return try await tokens.user(showing: credential, to: GatewayProof.service)
    } catch {
      throw error == .keysUnavailable
        ? IdentityError.keysUnavailable : IdentityError.unauthenticated
    }
  }

  private func identity(
    of user: UserIdentity,
    _ demand: GatewayDemand,
    isSessionKnown: Bool,
    isReading: Bool
  ) async throws -> GatewayIdentity {
    guard isSessionKnown || isReading else { throw IdentityError.cannotTell }
    guard case .action(let action, let entity) = demand else {
      try core.requireNotSuspended(user)
      return GatewayIdentity(userID: user.userID, acr: user.acr)
    }
    let place = try await place(of: action, on: entity)
    guard isSessionKnown || !place.needsStepUp else { throw IdentityError.cannotTell }
    let explanation = try await core.permit(action, on: entity, type: place.type, user)
    return GatewayIdentity(
      userID: user.userID,
      role: explanation.customRole ?? explanation.role ?? "",
      acr: user.acr
    )
  }

  /// The demands of an action on an entity.
  private struct Place: Sendable {
    /// The type of the entity; empty if there is none.
    let type: String
    let needsStepUp: Bool
  }

  private func place(of action: String, on id: String) async throws -> Place {
    let engine = core.engine
    let place = try await core.retrying { try Self.place(of: action, on: id, engine) }
    guard let place else { throw GatewayError.routeMisconfigured }
    return place
  }

  /// Nil for an action that the policy does not have.
  private static func place(
    of name: String,
    on id: String,
    _ engine: PermissionEngine
  ) throws -> Place? {
    try engine.read { forest in
      let policy = forest.policy
      guard let action = policy.action(named: name) else { return nil }
      guard let entity = forest.entity(id) else { return Place(type: "", needsStepUp: false) }
      let type = forest.type(entity)
      return Place(
        type: policy[type].name,
        needsStepUp: !policy.stepUps(of: action, on: type).isEmpty
      )
    }
  }
}
