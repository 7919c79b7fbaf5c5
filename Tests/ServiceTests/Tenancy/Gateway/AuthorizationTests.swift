import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Envoy's external authorization")
struct AuthorizationTests {
  @Test("A user passes to what its roles allow, with its identity in the headers")
  func user_withRole_passes() async throws {
    let fixture = try GatewayFixture()
    try await TenancyStage.run(gateway: fixture) { stage in
      let home = try await Building(stage, name: "a")
      let outcome = try await GatewayRequest(
        path: "/devices/\(home.door)?full=true",
        credential: fixture.credential(home.tenant, acr: "mfa"),
        headers: ["x-user-id": "usr_forged", "x-request-id": "edge-1"]
      ).check(stage)
      #expect(outcome.denial == nil)
      #expect(
        outcome.headers == [
          "x-user-id": home.tenant, "x-user-roles": "tenant", "x-user-acr": "mfa",
          "x-request-id": "edge-1",
        ]
      )
      let signedIn = try await GatewayRequest(
        method: "POST",
        path: "/portfolios",
        credential: fixture.credential("usr_new")
      ).check(stage)
      #expect(signedIn.headers["x-user-id"] == "usr_new")
      #expect(signedIn.removed == ["x-user-roles"])
    }
  }

  @Test("Who may not is denied, and what it may not know of is unknown")
  func user_withoutRole_isDenied() async throws {
    let fixture = try GatewayFixture()
    try await TenancyStage.run(gateway: fixture) { stage in
      let home = try await Building(stage, name: "a")
      func outcome(
        _ path: String,
        _ user: String,
        method: String = "GET"
      ) async throws
        -> GatewayOutcome
      {
        try await GatewayRequest(
          method: method,
          path: path,
          credential: fixture.credential(user)
        ).check(stage)
      }
      let foreign = try await outcome("/devices/\(home.door)", "usr_stranger")
      let unknown = try await outcome("/devices/dev_none", "usr_stranger")
      #expect(foreign.denial == 404)
      #expect(unknown.denial == 404)
      #expect(foreign.body == unknown.body)
      let manager = try await outcome(
        "/devices/\(home.cellar)/unlock",
        home.tenant,
        method: "POST"
      )
      #expect(manager.denial != nil)
      let closed = try await outcome("/elsewhere", home.owner)
      #expect(closed.denial == 403)
      #expect(closed.reason == "ROUTE_UNKNOWN")
      let traversal = try await outcome("/pages/%2e%2e/devices/\(home.door)", "usr_stranger")
      #expect(traversal.denial == 400)
      #expect(traversal.reason == "PATH_REFUSED")
      let odd = try await outcome("/odd/\(home.door)", home.tenant)
      #expect(odd.denial == 503)
      #expect(odd.reason == "ROUTE_MISCONFIGURED")
      let text = String(decoding: stage.metrics.render(), as: UTF8.self)
      let counter = "gatehouse_tenancy_gateway_answers_total"
      #expect(text.contains("\(counter){outcome=\"denied\"} 5\n"))
      #expect(text.contains("\(counter){outcome=\"undecided\"} 1\n"))
      #expect(text.contains("\(counter){outcome=\"passed\"} 0\n"))
    }
  }

  @Test("Only a token of ours is believed, and without one only what is public is open")
  func tokens_thatAreNotOurs_areRefused() async throws {
    let fixture = try GatewayFixture()
    try await TenancyStage.run(gateway: fixture) { stage in
      let good = fixture.credential("usr_1")
      let bad: [String?] = [
        nil, "", "Bearer", "Basic dXNyXzE6eA==", "Bearer x", "\(good),\(good)", "\(good)x",
        fixture.credential("usr_1", signedBy: .generate()),
        fixture.credential("usr_1", lifetime: -3_600_000),
        fixture.credential("usr_1", audience: "another"),
      ]
      for credential in bad {
        let outcome = try await GatewayRequest(path: "/portfolios", credential: credential)
          .check(stage)
        #expect(outcome.denial == 401, "\(credential ?? "none")")
        #expect(outcome.reason == "CREDENTIALS_INVALID", "\(credential ?? "none")")
        let challenge = credential == nil ? "Bearer" : #"Bearer error="invalid_token""#
        #expect(outcome.headers["www-authenticate"] == challenge, "\(credential ?? "none")")
        let page = try await GatewayRequest(
          path: "/pages/start",
          credential: credential,
          headers: ["x-user-id": "usr_forged", "x_user_id": "usr_forged"]
        ).check(stage)
        #expect(page.denial == nil, "\(credential ?? "none")")
        #expect(
          page.removed == ["x-user-id", "x-user-roles", "x-user-acr", "x_user_id"],
          "\(credential ?? "none")"
        )
      }
      let page = try await GatewayRequest(path: "/pages/start", credential: good).check(stage)
      #expect(page.headers["x-user-id"] == "usr_1")
    }
  }

  @Test("While nobody can tell, a step-up counts for nothing, and what needs none can be read")
  func doubt_stepUp_isDenied() async throws {
    let routes: JSONValue = [
      ["path": "/families/{entity}", "methods": ["GET"], "action": "family.view"],
      ["path": "/members/{entity}", "methods": ["GET"], "action": "family.list_members"],
    ]
    let unknown = try GatewayFixture(routes, sessions: .unknown)
    try await TenancyStage.run(policy: PolicyFile.bytes("family"), gateway: unknown) { stage in
      let family = try await stage.create("family", name: "Kerr", by: "usr_1").id
      let credential = unknown.credential("usr_1")
      let reading = try await GatewayRequest(path: "/members/\(family)", credential: credential)
        .check(stage)
      #expect(reading.denial == nil)
      // A role may grant it by a step-up alone.
      let viewing = try await GatewayRequest(path: "/families/\(family)", credential: credential)
        .check(stage)
      #expect(viewing.denial == 503 && viewing.reason == "REVOCATIONS_UNKNOWN")
    }
  }

  @Test("While nobody can tell, nobody passes who would change something")
  func doubt_isDenied() async throws {
    let unknown = try GatewayFixture(sessions: .unknown)
    try await TenancyStage.run(gateway: unknown) { stage in
      let credential = unknown.credential("usr_1")
      let reading = try await GatewayRequest(path: "/portfolios", credential: credential)
        .check(stage)
      #expect(reading.denial == nil)
      let writing = try await GatewayRequest(
        method: "POST",
        path: "/portfolios",
        credential: credential
      ).check(stage)
      #expect(writing.denial == 503)
      #expect(writing.reason == "REVOCATIONS_UNKNOWN")
    }
    let revoked = try GatewayFixture(sessions: .revoked)
    try await TenancyStage.run(gateway: revoked) { stage in
      let outcome = try await GatewayRequest(
        path: "/portfolios",
        credential: revoked.credential("usr_1")
      ).check(stage)
      #expect(outcome.denial == 401)
    }
    let keyless = try GatewayFixture(hasKeys: false)
    try await TenancyStage.run(gateway: keyless) { stage in
      let outcome = try await GatewayRequest(
        path: "/portfolios",
        credential: keyless.credential("usr_1")
      ).check(stage)
      #expect(outcome.denial == 503)
      #expect(outcome.reason == "KEYS_UNAVAILABLE")
    }
  }

  @Test("A request without attributes, and a service without routes, let nobody pass")
  func nothingKnown_isDenied() async throws {
    try await TenancyStage.run { stage in
      let client = Envoy_Service_Auth_V3.AuthorizationClient(stage.channel)
      let empty = GatewayOutcome(
        try await client.check(.init(), options: .byService("gateway"))
      )
      #expect(empty.denial == 400)
      let request = GatewayRequest(path: "/pages/start", credential: "Bearer x")
      #expect(try await request.check(stage).denial == 403)
      var open = request
      open.extensions = ["access": "user"]
      #expect(try await open.check(stage).denial == 503)
    }
  }

  @Test("Who is suspended passes nowhere but to what is public")
  func suspended_isDenied() async throws {
    let fixture = try GatewayFixture()
    try await TenancyStage.run(gateway: fixture) { stage in
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: "usr_root"),
        options: .byService("auth")
      )
      _ = try await stage.subjects.suspend(.init(userId: "usr_1"), options: .by("usr_root"))
      let outcome = try await GatewayRequest(
        path: "/portfolios",
        credential: fixture.credential("usr_1")
      ).check(stage)
      #expect(outcome.denial == 403)
      #expect(outcome.reason == "SUBJECT_SUSPENDED")
    }
  }
}
