import PeerContracts
import RPCKit
import RPCKitTesting
import Testing

@testable import AuthService

@Suite("Attackers elsewhere, and owners on devices that are known")
struct KnownDeviceTests {
  private let refused = "UNAUTHENTICATED INVALID_CREDENTIALS"
  private let limited = "RESOURCE_EXHAUSTED TOO_MANY_ATTEMPTS"

  @Test("An owner on a known device does not wait for what somebody else tries")
  func signIn_knownDevice_doesNotWait() async throws {
    try await AuthStage.run { stage in
      let token = try await stage.signUp().deviceToken
      #expect(token.utf8.count <= 256)
      for _ in 0..<5 { _ = await outcome { _ = try await stage.signIn(password: "guess guess") } }
      #expect(await outcome { _ = try await stage.signIn() } == refused)
      let answer = try await stage.signIn(onDevice: token)
      #expect(!answer.deviceToken.isEmpty)
      // The attacker continues waiting, and the next sign-in does not.
      #expect(await outcome { _ = try await stage.signIn() } == refused)
      _ = try await stage.signIn(onDevice: answer.deviceToken)
      // The first token still names the same device.
      _ = try await stage.signIn(onDevice: token)
    }
  }

  @Test("A known device has attempts of its own, which cost no hash when they come too early")
  func signIn_knownDeviceGuesses_waitsForItself() async throws {
    try await AuthStage.run { stage in
      let token = try await stage.signUp().deviceToken
      let hashes = { stage.metric("gatehouse_auth_password_hash_seconds_count") }
      _ = await stage.eventually { hashes() == 1 }
      for _ in 0..<5 {
        #expect(
          await outcome { _ = try await stage.signIn(onDevice: token, password: "guess guess") }
            == refused
        )
      }
      _ = await stage.eventually { hashes() == 6 }
      #expect(await outcome { _ = try await stage.signIn(onDevice: token) } == refused)
      // Another device of the owner, and strangers, are not held up by it.
      let other = try await stage.signIn()
      #expect(hashes() >= 6)
      _ = await stage.eventually { hashes() == 7 }
      #expect(hashes() == 7)
      _ = try await stage.signIn(onDevice: other.deviceToken)
      stage.clock.advance(1000)
      _ = try await stage.signIn(onDevice: token)
      #expect(stage.service.core.pool.count == 0)
    }
  }

  @Test("A token of another account, a made-up one and an old one are as good as none")
  func signIn_foreignToken_waits() async throws {
    try await AuthStage.run { stage in
      let token = try await stage.signUp().deviceToken
      let foreign = try await stage.signUp("eve@example.org").deviceToken
      for _ in 0..<5 { _ = await outcome { _ = try await stage.signIn(password: "guess guess") } }
      for text in [foreign, token + "A", "rubbish"] {
        let answer = await outcome { _ = try await stage.signIn(onDevice: text) }
        #expect(answer == refused)
      }
      stage.clock.advance(DeviceTokens.lifetime)
      for _ in 0..<5 { _ = await outcome { _ = try await stage.signIn(password: "guess guess") } }
      #expect(await outcome { _ = try await stage.signIn(onDevice: token) } == refused)
    }
  }

  @Test("Who is signed in changes the password while somebody guesses it elsewhere")
  func changePassword_whileGuessed_isTaken() async throws {
    try await AuthStage.run { stage in
      let answer = try await stage.signUp()
      for _ in 0..<5 { _ = await outcome { _ = try await stage.signIn(password: "guess guess") } }
      let change = { (current: String) in
        await outcome {
          _ = try await stage.users.changePassword(
            .init(currentPassword: current, newPassword: "another good password"),
            options: stage.with(answer)
          )
        }
      }
      #expect(await change(AuthStage.password) == "OK")
      // A stolen session guesses no faster than anybody else.
      for _ in 0..<5 { #expect(await change("guess guess") == refused) }
      #expect(await change("another good password") == refused)
    }
  }

  @Test("While strangers fill their lane, known devices and addresses are let in")
  func signIn_ordinaryLaneFull_knownIsTaken() async throws {
    try await AuthStage.run { stage in
      let token = try await stage.signUp().deviceToken
      _ = try await stage.signUp("eve@example.org")
      _ = try await stage.signIn("eve@example.org")
      let places = HeldPlaces(of: stage.service.core.pool, .ordinary)
      let shed = await outcome { _ = try await stage.signIn() }
      #expect(shed == "RESOURCE_EXHAUSTED TOO_MANY_SIGN_INS")
      _ = try await stage.signIn(onDevice: token)
      // Signed in to from here before.
      _ = try await stage.signIn("eve@example.org")
      places.free()
    }
  }

  @Test("A source that fails too often waits, whatever it tries, and known devices there do not")
  func signIn_manyFailures_limitsTheSource() async throws {
    var ground = try AuthStage.Ground()
    ground.settings.sourceLimits.countsLoopback = true
    try await AuthStage.run(on: ground) { stage in
      let token = try await stage.signUp().deviceToken
      for number in 0..<40 {
        let answer = await outcome {
          _ = try await stage.signIn("nobody\(number)@example.org", password: "guess")
        }
        #expect(answer == (number < 20 ? refused : limited))
      }
      #expect(stage.metric(#"gatehouse_auth_source_refusals_total{method="SignIn"}"#) == 20)
      #expect(stage.metric("gatehouse_auth_guessing_sources_total") == 1)
      // The refusals cost no hash and no transaction.
      #expect(stage.metric(#"gatehouse_service_store_transactions_total{kind="write"}"#) == 21)
      #expect(await outcome { _ = try await stage.signIn() } == limited)
      _ = try await stage.signIn(onDevice: token)
      stage.clock.advance(60_000)
      for _ in 0..<20 { _ = try await stage.signIn() }
    }
  }

  @Test("A refusal for the source says when to come back")
  func signIn_limited_hasRetryInfo() async throws {
    var ground = try AuthStage.Ground()
    ground.settings.sourceLimits.countsLoopback = true
    ground.settings.sourceLimits.failures = 1
    try await AuthStage.run(on: ground) { stage in
      _ = await outcome { _ = try await stage.signIn(password: "guess") }
      let error = try await #require(throws: RPCError.self) {
        _ = try await stage.signIn(password: "guess")
      }
      #expect(error.details.contains { $0.typeURL.hasSuffix("RetryInfo") })
    }
  }

  @Test("Nobody makes accounts without end")
  func signUp_many_limitsTheSource() async throws {
    var ground = try AuthStage.Ground()
    ground.settings.sourceLimits.countsLoopback = true
    ground.settings.sourceLimits.signUps = 3
    try await AuthStage.run(on: ground) { stage in
      for number in 0..<3 { _ = try await stage.signUp("ada\(number)@example.org") }
      #expect(await outcome { _ = try await stage.signUp("ada3@example.org") } == limited)
      #expect(stage.metric(#"gatehouse_auth_source_refusals_total{method="SignUp"}"#) == 1)
      _ = try await stage.signIn("ada1@example.org")
    }
  }

  @Test("Behind a gateway each client is counted for itself, if the gateway is named and proven")
  func signIn_throughGateway_countsClients() async throws {
    var ground = try AuthStage.Ground()
    ground.settings.sourceLimits.countsLoopback = true
    ground.settings.sourceLimits.failures = 2
    // The stage's second channel proves to be this service.
    ground.settings.sourceLimits.trustedProxies = ["tenancy"]
    try await AuthStage.run(on: ground) { stage in
      _ = try await stage.signUp()
      func attempt(_ client: String, proven: Bool) async -> String {
        let channel = proven ? stage.tenancyChannel : stage.channel
        return await outcome {
          _ = try await Auth_V1.AuthenticationClient(channel).signIn(
            .init(email: "ada@example.org", password: "guess guess"),
            options: .init(metadata: ["client-address": client])
          )
        }
      }
      for _ in 0..<2 { #expect(await attempt("192.0.2.1", proven: true) == refused) }
      #expect(await attempt("192.0.2.1", proven: true) == limited)
      #expect(await attempt("::ffff:192.0.2.1", proven: true) == limited)
      #expect(await attempt("192.0.2.2", proven: true) == refused)
      // Whoever only says so is counted as itself.
      #expect(await attempt("192.0.2.3", proven: false) == refused)
      #expect(await attempt("192.0.2.4", proven: false) == refused)
      #expect(await attempt("192.0.2.5", proven: false) == limited)
      let answer = try await Auth_V1.AuthenticationClient(stage.tenancyChannel).signUp(
        .init(email: "eve@example.org", password: AuthStage.password, displayName: "Eve"),
        options: .init(metadata: ["client-address": "2001:db8:1:2::9"])
      )
      let listed = try await stage.sessions.list(.init(), options: stage.with(answer))
      #expect(listed.sessions.map(\.network) == ["2001:db8:1::/48"])
    }
  }
}

extension AuthStage {
  /// Signs in with the device token of an earlier answer.
  fileprivate func signIn(
    onDevice token: String,
    password: String = AuthStage.password
  ) async throws -> Auth_V1.SignInResponse {
    try await authentication.signIn(
      .init(email: "ada@example.org", password: password, deviceToken: token)
    )
  }
}
