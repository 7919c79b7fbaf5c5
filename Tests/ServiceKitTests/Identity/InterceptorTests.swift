import TestingContracts
import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("Who may call a method")
struct InterceptorTests {
  private let forge = TokenForge()
  private let serviceKey = SigningKey.generate()

  /// What is known of sessions, as the test says.
  private struct ScriptedRevocations: RevocationSource {
    let state: SessionState
    func state(of claims: AccessClaims) async -> SessionState { state }
    func knownState(of token: VerifiedToken) -> SessionState? { state }
  }

  private final class Count: Sendable {
    private let number = Lock(0)

    var value: Int { number.withLock { $0 } }

    func add() { number.withLock { $0 += 1 } }
  }

  /// Calls that were answered without a task.
  private let immediateAnswers = Count()
  private let registry = MetricRegistry()

  private static func method(
    _ name: String,
    _ caller: MethodDescriptor.CallerClass,
    _ services: [String] = [],
    stepUp: String? = nil
  ) -> MethodDescriptor {
    MethodDescriptor(
      service: "test.v1.Doors",
      method: name,
      kind: .unary,
      callerClass: caller,
      callingServices: services,
      stepUp: stepUp,
      requestType: "benchmark.v1.CheckRequest",
      responseType: "benchmark.v1.CheckResponse"
    )
  }

  private static let methods = [
    method("Public", .public), method("User", .user),
    method("UserOrTenancy", .user, ["tenancy"]), method("UserOrAny", .user, ["*"]),
    method("Tenancy", .service, ["tenancy"]), method("Other", .service, ["other"]),
    method("AnyService", .service), method("Admin", .admin),
    method("AdminOrTenancy", .admin, ["tenancy"]), method("Fresh", .user, stepUp: "fresh"),
    method("PIN", .user, stepUp: "pin"), method("MFA", .user, stepUp: "mfa"),
    method("Support", .support), method("SupportFresh", .support, stepUp: "fresh"),
    method("AdminFresh", .admin, stepUp: "fresh"), method("Gateway", .service, ["gateway"]),
    method("UserOrGateway", .user, ["gateway"]),
  ]

  /// Who a caller shows itself to be.
  private enum Credentials: CaseIterable {
    case none
    case user
    case service
    case both
    case forged
  }

  /// Keys that could not be fetched.
  private struct UnreachableKeys: KeySource {
    var keys: KeySet { KeySet([]) }
    func refresh(for keyID: String) async -> Bool { false }
  }

  /// Runs `body` with a function that calls a method twice and says whom it saw, or the refusal: the
  /// second time the token is known, and no task is needed.
  private func serving(
    sessions: SessionState = .active,
    keys: (any KeySource)? = nil,
    administrators: Set<String> = [],
    supporters: Set<String> = [],
    operatorStepUp: String = "fresh",
    gateways: GatewayProof = GatewayProof(),
    _ body: (_ call: (String, Metadata) async -> String) async throws -> Void
  ) async throws {
    let interceptor = AuthenticationInterceptor(
      tokens: AccessTokenAuthenticator(
        verifier: forge.verifier,
        keys: keys ?? FixedKeySource(forge.keys),
        revocations: ScriptedRevocations(state: sessions),
        clock: forge.clock
      ),
      services: ServiceTokenVerifier(
        audience: "doors",
        keys: ["tenancy": KeySet([serviceKey.verificationKey])],
        clock: forge.clock
      ),
      isOperator: { right, user, _ in
        administrators.contains(user.userID)
          || right == .inspection && supporters.contains(user.userID)
      },
      operatorStepUp: operatorStepUp,
      gateways: gateways,
      clock: forge.clock,
      metrics: AuthenticationMetrics(registry)
    )
    @Sendable func answer(
      _ request: Benchmark_V1.CheckRequest,
      _ call: CallContext
    ) -> Benchmark_V1.CheckResponse {
      let service = call.caller.user?.actingService.map { "+" + $0 } ?? ""
      return .init(allowed: true, reason: call.caller.description + service)
    }
    let definition = ServiceDefinition(
      name: "test.v1.Doors",
      methods: Self.methods.map {
        .unary(
          $0,
          replying: { [immediateAnswers] (request: Benchmark_V1.CheckRequest, call) in
            if CallContext.current == nil { immediateAnswers.add() }
            return .now(answer(request, call))
          }
        )
      }
    )
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let server = Server(
      ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))]),
      services: [definition],
      interceptors: [interceptor],
      on: loops
    )
    try await server.serving { server in
      let address = try #require(server.addresses.first)
      try await withChannel("tcp://\(address)", .init(loops: loops)) { channel in
        try await body { name, metadata in
          let first = await Self.seen(by: name, metadata, channel)
          let second = await Self.seen(by: name, metadata, channel)
          return first == second ? first : "first \(first), then \(second)"
        }
      }
    }
  }

  private static func seen(
    by name: String,
    _ metadata: Metadata,
    _ channel: Channel
  ) async -> String {
    guard let method = methods.first(where: { $0.method == name }) else { return "no such method" }
    do {
      let answer: Benchmark_V1.CheckResponse = try await channel.unary(
        method,
        Benchmark_V1.CheckRequest(),
        options: CallOptions(metadata: metadata)
      )
      return answer.reason
    } catch let error as RPCError {
      return error.reason ?? "\(error.code)"
    } catch {
      return "\(error)"
    }
  }

  private func metadata(_ credentials: Credentials) -> Metadata {
    let issuer = ServiceTokenIssuer(
      name: "tenancy",
      key: serviceKey,
      clock: forge.clock,
      random: SystemRandomSource()
    )
    var metadata = Metadata()
    switch credentials {
    case .none: break
    case .user: metadata["authorization"] = "Bearer \(forge.token())"
    case .service: metadata["service-authorization"] = "Bearer \(issuer.token(for: "doors"))"
    case .both:
      metadata["authorization"] = "bearer \(forge.token())"
      metadata["service-authorization"] = "Bearer \(issuer.token(for: "doors"))"
    case .forged: metadata["authorization"] = "Bearer \(forge.token(signedBy: .generate()))"
    }
    return metadata
  }

  @Test("Every kind of method against every kind of caller")
  func methods_everyCaller_areAsDeclared() async throws {
    let (bad, no) = ("CREDENTIALS_INVALID", "CALLER_NOT_ALLOWED")
    let (user, both, service) = ("user:usr_1", "user:usr_1+tenancy", "svc://tenancy")
    let expected: [(String, [String])] = [
      ("Public", ["anonymous", user, service, both, "anonymous"]),
      ("User", [bad, user, no, both, bad]),
      ("UserOrTenancy", [bad, user, service, both, bad]),
      ("UserOrAny", [bad, user, service, both, bad]),
      ("Tenancy", [bad, no, service, both, bad]),
      ("Other", [bad, no, no, no, bad]),
      ("AnyService", [bad, no, service, both, bad]),
      ("Admin", [bad, no, no, no, bad]),
      ("AdminOrTenancy", [bad, no, service, no, bad]),
    ]
    try await serving { call in
      for (method, answers) in expected {
        for (credentials, answer) in zip(Credentials.allCases, answers) {
          let seen = await call(method, metadata(credentials))
          #expect(seen == answer, "\(method) by \(credentials)")
        }
      }
    }
    try await serving(administrators: ["usr_1"]) { call in
      #expect(await call("Admin", metadata(.user)) == user)
      #expect(await call("AdminOrTenancy", metadata(.both)) == both)
      #expect(await call("Admin", metadata(.service)) == no)
    }
  }

  @Test("A gateway is known by its address to methods that name gateways, and to no others")
  func gateways_ofNamedAddresses_areAdmitted() async throws {
    let (bad, no) = ("CREDENTIALS_INVALID", "CALLER_NOT_ALLOWED")
    let here = GatewayProof(try GatewayAddresses(JSONField(["10.0.0.5", "127.0.0.1"])))
    try await serving(gateways: here) { call in
      #expect(await call("Gateway", metadata(.none)) == "svc://gateway")
      #expect(await call("UserOrGateway", metadata(.none)) == "svc://gateway")
      // Everybody else at that address is who it proves to be.
      #expect(await call("Gateway", metadata(.service)) == no)
      #expect(await call("UserOrGateway", metadata(.forged)) == bad)
      // What a gateway passes on for a user is the user's, whom its rights are not lent to.
      #expect(await call("Gateway", metadata(.user)) == no)
      #expect(await call("UserOrGateway", metadata(.user)) == "user:usr_1")
      for method in ["User", "UserOrAny", "AnyService", "Tenancy", "Admin"] {
        #expect(await call(method, metadata(.none)) == bad, "\(method)")
      }
      #expect(await call("Public", metadata(.none)) == "anonymous")
    }
    let elsewhere = GatewayProof(
      try GatewayAddresses(JSONField(["127.0.0.2", "::1", "10.0.0.5", "10.0.0.0/8"]))
    )
    for gateways in [elsewhere, GatewayProof()] {
      try await serving(gateways: gateways) { call in
        #expect(await call("Gateway", metadata(.none)) == bad)
        #expect(await call("UserOrGateway", metadata(.none)) == bad)
      }
    }
  }

  @Test(
    "Addresses of gateways are numeric and have no port",
    arguments: [
      "gateway", "10.0.0.5:80", "10.0.0.1/8", "0.0.0.0/0", "::/0", "", "unix:/run/gateway.sock",
    ]
  )
  func gateways_ofOtherWords_areRefused(text: String) {
    #expect(throws: JSONDecodingError.self) {
      try GatewayAddresses(JSONField([.string(text)], path: "gateways"))
    }
  }

  @Test("A gateway is known by its secret, from the networks that are listed if any are")
  func gateways_ofASecret_areAdmitted() async throws {
    let (bad, no) = ("CREDENTIALS_INVALID", "CALLER_NOT_ALLOWED")
    let (old, new) = (
      GatewaySecrets.generate(SystemRandomSource()), GatewaySecrets.generate(SystemRandomSource())
    )
    func showing(_ secret: String, user: Bool = false) -> Metadata {
      var shown = user ? metadata(.user) : Metadata()
      shown.append("service-authorization", "Bearer \(secret)")
      return shown
    }
    let secrets = try #require(GatewaySecrets("\(new)\n\(old)\n"))
    let here = try GatewayAddresses(JSONField(["10.0.0.0/8", "127.0.0.0/8"]))
    for gateways in [GatewayProof(secrets: secrets), GatewayProof(here, secrets: secrets)] {
      try await serving(gateways: gateways) { call in
        for secret in [old, new] {
          #expect(await call("Gateway", showing(secret)) == "svc://gateway")
          #expect(await call("UserOrGateway", showing(secret)) == "svc://gateway")
        }
        // The secret is not lent to users behind the gateway, and makes nobody a service for other methods.
        #expect(await call("Gateway", showing(old, user: true)) == no)
        #expect(await call("UserOrGateway", showing(old, user: true)) == "user:usr_1")
        for method in ["User", "UserOrAny", "AnyService", "Tenancy", "Admin"] {
          #expect(await call(method, showing(old)) == bad, "\(method)")
        }
        // Where a secret is asked for, an address alone proves nothing, and another secret less.
        #expect(await call("Gateway", metadata(.none)) == bad)
        #expect(
          await call("Gateway", showing(GatewaySecrets.generate(SystemRandomSource()))) == bad
        )
        #expect(await call("Gateway", showing("gws_")) == bad)
      }
    }
    let elsewhere = try GatewayAddresses(JSONField(["10.0.0.0/8"]))
    for gateways in [GatewayProof(elsewhere, secrets: secrets), GatewayProof(here), GatewayProof()]
    {
      try await serving(gateways: gateways) { call in
        #expect(await call("Gateway", showing(old)) == bad)
      }
    }
  }

  @Test(
    "A file of secrets holds whole ones and nothing else",
    arguments: [
      "", "\n", "gws_", "gws_AAAA", "secret", "gws_" + String(repeating: "A", count: 43) + "\nx",
    ]
  )
  func gatewaySecrets_ofOtherText_areRefused(text: String) {
    #expect(GatewaySecrets(text) == nil)
  }

  @Test("At most 64 addresses of gateways are taken")
  func gateways_ofMany_areRefused() throws {
    let addresses = (1...65).map { JSONValue.string("10.0.0.\($0)") }
    _ = try GatewayAddresses(JSONField(.array(Array(addresses.dropLast()))))
    #expect(throws: JSONDecodingError.self) { try GatewayAddresses(JSONField(.array(addresses))) }
  }

  @Test("Who is known needs no task, operators are asked for each time, each is counted once")
  func interceptor_knownCallers_areCountedOnce() async throws {
    try await serving(administrators: ["usr_1"]) { call in
      #expect(await call("User", metadata(.user)) == "user:usr_1")
      // A token that is new is verified in a task.
      #expect(immediateAnswers.value == 1)
      #expect(await call("AnyService", metadata(.service)) == "svc://tenancy")
      #expect(await call("Public", metadata(.none)) == "anonymous")
      #expect(immediateAnswers.value == 4)
      #expect(await call("Admin", metadata(.user)) == "user:usr_1")
      #expect(await call("User", metadata(.forged)) == "CREDENTIALS_INVALID")
      #expect(immediateAnswers.value == 4)
    }
    let text = String(decoding: registry.render(), as: UTF8.self)
    #expect(text.contains("gatehouse_service_authentication_admitted_total{caller=\"user\"} 4\n"))
    #expect(
      text.contains("gatehouse_service_authentication_admitted_total{caller=\"service\"} 2\n")
    )
    #expect(
      text.contains("gatehouse_service_authentication_admitted_total{caller=\"anonymous\"} 2\n")
    )
    let refused =
      #"gatehouse_service_authentication_refused_total{caller="user",fault="signature"}"#
    #expect(text.contains("\(refused) 2\n"))
  }

  @Test("A fresh proof is five minutes old at most, and a PIN is a PIN")
  func stepUp_ageAndKind_areChecked() async throws {
    func token(_ acr: String, age: Int64) -> Metadata {
      let text = forge.token(claims: { claims in
        claims["acr"] = .string(acr)
        claims["auth_time"] = .number(JSONNumber(forge.clock.now / 1000 - age))
      })
      return ["authorization": "Bearer \(text)"]
    }
    try await serving { call in
      #expect(await call("Fresh", token("pwd", age: 300)) == "user:usr_1")
      #expect(await call("Fresh", token("pwd", age: 301)) == "STEP_UP_REQUIRED")
      #expect(await call("PIN", token("pin", age: 300)) == "user:usr_1")
      #expect(await call("PIN", token("pin", age: 301)) == "STEP_UP_REQUIRED")
      #expect(await call("PIN", token("pwd", age: 0)) == "STEP_UP_REQUIRED")
      #expect(await call("PIN", token("phr", age: 300)) == "user:usr_1")
      #expect(await call("PIN", token("phr", age: 301)) == "STEP_UP_REQUIRED")
      #expect(await call("User", token("pwd", age: 100_000)) == "user:usr_1")
    }
  }

  /// A token that was issued just now with a proof of a class, for one purpose if there is one.
  private func elevated(_ acr: String, for purpose: String? = nil) -> Metadata {
    let text = forge.token(claims: { claims in
      claims["acr"] = .string(acr)
      claims["auth_time"] = .number(JSONNumber(forge.clock.now / 1000))
      if let purpose { claims["purpose"] = .string(purpose) }
    })
    return ["authorization": "Bearer \(text)"]
  }

  @Test("A stronger proof is enough for a method, a recent passkey for a PIN, another kind is not")
  func stepUp_ladder_isClimbed() async throws {
    try await serving { call in
      for acr in ["mfa", "phr", "phrh"] {
        #expect(await call("MFA", elevated(acr)) == "user:usr_1", "\(acr)")
      }
      for acr in ["pwd", "pin", "fed"] {
        #expect(await call("MFA", elevated(acr)) == "STEP_UP_REQUIRED", "\(acr)")
      }
      for acr in ["mfa", "child"] {
        #expect(await call("PIN", elevated(acr)) == "STEP_UP_REQUIRED", "\(acr)")
      }
      // A passkey takes its owner's PIN or biometric.
      for acr in ["phr", "phrh", "family_pin"] {
        #expect(await call("PIN", elevated(acr)) == "user:usr_1", "\(acr)")
      }
    }
  }

  @Test("An elevated token is good for the method that it is for, and never a fresh sign-in")
  func stepUp_purpose_isOneMethod() async throws {
    try await serving { call in
      let own = elevated("pin", for: "test.v1.Doors/PIN")
      #expect(await call("PIN", own) == "user:usr_1")
      #expect(await call("PIN", elevated("pin", for: "test.v1.Doors/MFA")) == "STEP_UP_REQUIRED")
      #expect(await call("PIN", elevated("pin", for: "test.v1.Doors")) == "STEP_UP_REQUIRED")
      #expect(
        await call("Fresh", elevated("pin", for: "test.v1.Doors/Fresh")) == "STEP_UP_REQUIRED"
      )
      // What asks for no step-up takes it like the user's other tokens.
      #expect(await call("User", own) == "user:usr_1")
    }
  }

  @Test("What an installation asks of operators comes on top of what a method does")
  func operators_stepUp_isTheInstallations() async throws {
    try await serving(administrators: ["usr_1"]) { call in
      #expect(await call("AdminFresh", elevated("pwd")) == "user:usr_1")
    }
    try await serving(administrators: ["usr_1"], operatorStepUp: "mfa") { call in
      #expect(await call("AdminFresh", elevated("pwd")) == "STEP_UP_REQUIRED")
      #expect(await call("AdminFresh", elevated("phr")) == "user:usr_1")
      // Others and methods without a step-up are not touched.
      #expect(await call("Fresh", elevated("pwd")) == "user:usr_1")
      #expect(await call("Admin", elevated("pwd")) == "user:usr_1")
    }
  }

  /// A token of a session that began with a proof of a class some time ago, in seconds.
  private func token(_ acr: String, age: Int64) -> Metadata {
    let text = forge.token(claims: { claims in
      claims["acr"] = .string(acr)
      claims["auth_time"] = .number(JSONNumber(forge.clock.now / 1000 - age))
    })
    return ["authorization": "Bearer \(text)"]
  }

  @Test("Support people read by a second factor at sign-in, and change by a recent one")
  func support_secondFactor_isNeeded() async throws {
    try await serving(supporters: ["usr_1"]) { call in
      for acr in ["mfa", "phr", "phrh"] {
        #expect(await call("Support", token(acr, age: 30_000)) == "user:usr_1", "\(acr)")
        #expect(await call("SupportFresh", token(acr, age: 300)) == "user:usr_1", "\(acr)")
        #expect(await call("SupportFresh", token(acr, age: 301)) == "STEP_UP_REQUIRED", "\(acr)")
      }
      for acr in ["pwd", "pin", "fed", "child"] {
        #expect(await call("Support", token(acr, age: 0)) == "STEP_UP_REQUIRED", "\(acr)")
        #expect(await call("SupportFresh", token(acr, age: 0)) == "STEP_UP_REQUIRED", "\(acr)")
      }
      // A token for one thing is no sign-in.
      let forOther = elevated("mfa", for: "test.v1.Doors/User")
      #expect(await call("Support", forOther) == "STEP_UP_REQUIRED")
      #expect(await call("Admin", token("mfa", age: 0)) == "CALLER_NOT_ALLOWED")
      #expect(await call("Support", metadata(.none)) == "CREDENTIALS_INVALID")
    }
    try await serving { call in
      #expect(await call("Support", token("mfa", age: 0)) == "CALLER_NOT_ALLOWED")
    }
    try await serving(sessions: .revoked, supporters: ["usr_1"]) { call in
      #expect(await call("Support", token("mfa", age: 0)) == "CREDENTIALS_INVALID")
    }
  }

  @Test("Operators read by a second factor at sign-in too, or by a recent sign-in")
  func support_operators_haveTwoWays() async throws {
    try await serving(administrators: ["usr_1"]) { call in
      #expect(await call("Support", token("mfa", age: 30_000)) == "user:usr_1")
      #expect(await call("Support", token("pwd", age: 300)) == "user:usr_1")
      #expect(await call("Support", token("pwd", age: 301)) == "STEP_UP_REQUIRED")
    }
    try await serving(administrators: ["usr_1"], operatorStepUp: "mfa") { call in
      #expect(await call("Support", token("pwd", age: 0)) == "STEP_UP_REQUIRED")
      #expect(await call("SupportFresh", token("pwd", age: 0)) == "STEP_UP_REQUIRED")
      #expect(await call("SupportFresh", token("phr", age: 0)) == "user:usr_1")
    }
  }

  @Test("A refusal says which proofs are enough and how old they may be")
  func stepUp_refusal_namesWhatIsNeeded() throws {
    func metadata(_ stepUp: String) throws -> [String: String] {
      let error = IdentityError.stepUpRequired(stepUp, ageMax: 300_000)
      let detail = try #require(error.details.first { $0.typeURL.hasSuffix("ErrorInfo") })
      let info = try Google_Rpc.ErrorInfo(protobuf: detail.value.span, limits: MessageLimits())
      return info.metadata
    }
    #expect(
      try metadata("mfa") == [
        "step_up": "mfa", "acr_values": "mfa phr phrh", "max_age_seconds": "300",
      ]
    )
    #expect(try metadata("fresh") == ["step_up": "fresh", "max_age_seconds": "300"])
  }

  @Test("While nobody can tell whether a session lives, calls go on, those with step-up do not")
  func sessionsUnknown_stepUp_isRefused() async throws {
    try await serving(sessions: .unknown) { call in
      #expect(await call("User", metadata(.user)) == "user:usr_1")
      #expect(await call("Fresh", metadata(.user)) == "REVOCATIONS_UNKNOWN")
      #expect(await call("Public", metadata(.user)) == "user:usr_1")
    }
    try await serving(sessions: .revoked) { call in
      #expect(await call("User", metadata(.user)) == "CREDENTIALS_INVALID")
      #expect(await call("Public", metadata(.user)) == "anonymous")
    }
    let refused = #"gatehouse_service_authentication_refused_total{caller="user",fault="revoked"}"#
    #expect(String(decoding: registry.render(), as: UTF8.self).contains("\(refused) 4\n"))
  }

  @Test("While no keys can be fetched, users are asked to retry and not to sign in again")
  func keysUnreachable_users_areUnavailable() async throws {
    try await serving(keys: UnreachableKeys()) { call in
      #expect(await call("User", metadata(.user)) == "KEYS_UNAVAILABLE")
      #expect(await call("Admin", metadata(.user)) == "KEYS_UNAVAILABLE")
      #expect(await call("UserOrTenancy", metadata(.both)) == "KEYS_UNAVAILABLE")
      // What cannot be a token is none, with keys or without.
      #expect(await call("User", ["authorization": "Bearer made-up"]) == "CREDENTIALS_INVALID")
      #expect(await call("User", metadata(.none)) == "CREDENTIALS_INVALID")
      #expect(await call("Public", metadata(.user)) == "anonymous")
      #expect(await call("Tenancy", metadata(.service)) == "svc://tenancy")
    }
    #expect(IdentityError.keysUnavailable.code == .unavailable)
    #expect(IdentityError.keysUnavailable.hasDetail(Google_Rpc.RetryInfo.self))
  }

  @Test("Credentials that are there twice, or in another scheme, are refused")
  func metadata_odd_isRefused() async throws {
    let token = forge.token()
    try await serving { call in
      for metadata in [
        ["authorization": "Bearer \(token)", "authorization": "Bearer \(token)"],
        ["authorization": token], ["authorization": "Basic \(token)"],
        ["authorization": "Bearer"], ["authorization": ""],
        ["authorization": "Bearer \(token)", "service-authorization": "Bearer \(token)"],
      ] as [Metadata] {
        #expect(await call("User", metadata) == "CREDENTIALS_INVALID")
      }
    }
  }
}
