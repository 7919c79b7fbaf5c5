import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit

@testable import TenancyService

/// A gateway's routes, and tokens that TenancyService believes.
struct GatewayFixture: Sendable {
  /// What is known of sessions, as a test says.
  private struct ScriptedSessions: RevocationSource {
    let state: SessionState
    func state(of claims: AccessClaims) async -> SessionState { state }
    func knownState(of token: VerifiedToken) -> SessionState? { state }
  }

  /// Keys that could not be fetched.
  private struct UnreachableKeys: KeySource {
    var keys: KeySet { KeySet([]) }
    func refresh(for keyID: String) async -> Bool { false }
  }

  let key = SigningKey.generate()
  let routes: GatewayRoutes
  let tokens: AccessTokenAuthenticator

  /// Devices by the path, portfolios for everybody with an account, and pages for all.
  static let table: JSONValue = [
    ["path": "/devices/{entity}", "methods": ["GET"], "action": "device.view"],
    ["path": "/devices/{entity}/unlock", "methods": ["POST"], "action": "device.unlock"],
    ["path": "/portfolios", "access": "user"],
    ["path": "/pages/**", "access": "public"],
    ["path": "/odd/{entity}", "action": "no.such_action"],
  ]

  init(
    _ routes: JSONValue = Self.table,
    sessions: SessionState = .active,
    hasKeys: Bool = true
  ) throws {
    self.routes = try GatewayRoutes(JSONField(routes))
    let known: any KeySource =
      hasKeys ? FixedKeySource(KeySet([key.verificationKey])) : UnreachableKeys()
    tokens = AccessTokenAuthenticator(
      verifier: AccessTokenVerifier(issuer: "issuer", audience: "suite"),
      keys: known,
      revocations: ScriptedSessions(state: sessions),
      clock: ManualClock(TenancyStage.start)
    )
  }

  /// What a user sends in the header `authorization`.
  func credential(
    _ user: String,
    acr: String = "pwd",
    lifetime: Int64 = 600_000,
    audience: String = "suite",
    signedBy signer: SigningKey? = nil
  ) -> String {
    let issued = TenancyStage.start + min(lifetime, 0)
    let claims = AccessClaims(
      userID: user,
      sessionID: "ses_1",
      tokenID: "t_\(user)",
      issued: issued - 60_000,
      expires: issued + (lifetime > 0 ? lifetime : 0),
      acr: acr,
      methods: ["pwd"],
      authenticated: issued - 60_000
    )
    let token = JSONWebToken.signed(
      type: AccessTokenVerifier.type,
      claims: claims.object(issuer: "issuer", audience: audience),
      by: signer ?? key
    )
    return "Bearer \(token)"
  }
}

/// A request as Envoy tells of it.
struct GatewayRequest: Sendable {
  var method = "GET"
  var path = "/"
  var credential: String?
  var headers: [String: String] = [:]
  var extensions: [String: String] = [:]

  /// The answer of TenancyService to it.
  func check(_ stage: TenancyStage) async throws -> GatewayOutcome {
    var headers = headers
    headers["authorization"] = credential
    let request = Envoy_Service_Auth_V3.CheckRequest(
      attributes: .init(
        request: .init(http: .init(method: method, headers: headers, path: path)),
        contextExtensions: extensions
      )
    )
    return GatewayOutcome(
      try await Envoy_Service_Auth_V3.AuthorizationClient(stage.channel).check(
        request,
        options: .byService("gateway")
      )
    )
  }
}

/// What Envoy makes of an answer.
struct GatewayOutcome: Sendable {
  /// The status that the client sees; nil if the request goes on.
  var denial: Int32?
  /// The reason in the envelope.
  var reason = ""
  /// Headers that the server behind the gateway sees, or the client if it is denied.
  var headers: [String: String] = [:]
  var removed: Set<String> = []
  var body = ""

  init(_ response: Envoy_Service_Auth_V3.CheckResponse) {
    switch response.httpResponse {
    case .okResponse(let response):
      take(response.headers)
      removed = Set(response.headersToRemove)
    case .deniedResponse(let response):
      take(response.headers)
      denial = response.status?.code.rawValue ?? 0
      body = response.body
    case nil: break
    }
    // Envoy looks at nothing else to tell whether a request goes on.
    if response.status?.code ?? 0 == 0 { denial = nil } else if denial == nil { denial = 403 }
    let object =
      (try? JSONReader.read(
        Array(body.utf8),
        limits: JSONLimits(byteCountMax: 65_536, depthMax: 16)
      ))?.object
    reason = object?["details"]?.object?["reason"]?.string ?? ""
  }

  private mutating func take(_ fields: [Envoy_Config_Core_V3.HeaderValueOption]) {
    for field in fields where field.appendAction == .overwriteIfExistsOrAdd {
      headers[field.header?.key ?? ""] = field.header?.value
    }
  }
}
