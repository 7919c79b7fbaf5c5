import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("How often the right password may be shown")
struct SignInRateTests {
  private let refused = "UNAUTHENTICATED INVALID_CREDENTIALS"
  private let tooOften = "RESOURCE_EXHAUSTED ACCOUNT_SIGNS_IN_TOO_OFTEN"

  @Test("One user who signs in 200 at a time holds four places, and another is let in among them")
  func signIn_twoHundredAtOnce_leavesRoom() async throws {
    try await AuthStage.run { stage in
      let eve = try await stage.signUp("eve@example.org").deviceToken
      let ada = try await stage.signUp().deviceToken
      let pool = stage.service.core.pool
      let overShare = #"gatehouse_auth_password_hashes_over_share_total{lane="trusted"}"#
      let waiting = #"gatehouse_auth_password_hashes_waiting{lane="trusted"}"#
      let shed = try await pool.whileHeld(threadCount: 2) { release in
        try await withThrowingTaskGroup(of: RPCError?.self) { group in
          for _ in 0..<200 { group.addTask { try await signIn("eve@example.org", eve, stage) } }
          #expect(await stage.eventually { stage.metric(overShare) == 196 })
          #expect(stage.metric(waiting) == 4)
          // Nothing has been given back: the flood stands, and the victim has a place.
          async let victim = signIn("ada@example.org", ada, stage)
          #expect(await stage.eventually { stage.metric(waiting) == 5 })
          release()
          #expect(try await victim == nil)
          return try await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
        }
      }
      #expect(shed.count == 196)
      for error in shed {
        #expect(error.code == .resourceExhausted)
        #expect(error.details.contains { $0.typeURL.hasSuffix("RetryInfo") })
      }
      #expect(stage.metric(#"gatehouse_auth_password_hashes_shed_total{lane="trusted"}"#) == 0)
    }
  }

  /// What a sign-in on a known device is refused with; nil when it is not.
  private func signIn(
    _ email: String,
    _ device: String,
    _ stage: AuthStage
  ) async throws -> RPCError? {
    do {
      _ = try await stage.authentication.signIn(
        .init(email: email, password: AuthStage.password, deviceToken: device)
      )
      return nil
    } catch let error as RPCError {
      return error
    }
  }

  @Test("An account that was signed in to too often waits, and no other")
  func signIn_accountTooOften_waits() async throws {
    var ground = try AuthStage.Ground()
    ground.settings.sourceLimits.accountSignIns = 3
    try await AuthStage.run(on: ground) { stage in
      let up = try await stage.signUp()
      _ = try await stage.signUp("eve@example.org")
      // Wrong ones use nothing up.
      for _ in 0..<4 { _ = await outcome { _ = try await stage.signIn(password: "guess guess") } }
      for _ in 0..<3 { _ = try await stage.signIn() }
      let hashes = { stage.metric("gatehouse_auth_password_hash_seconds_count") }
      _ = await stage.eventually { hashes() == 9 }
      let error = try await #require(throws: RPCError.self) { _ = try await stage.signIn() }
      #expect(error.reason == "ACCOUNT_SIGNS_IN_TOO_OFTEN")
      #expect(error.details.contains { $0.typeURL.hasSuffix("RetryInfo") })
      // Somebody who was right here before is told so without a hash.
      #expect(hashes() == 9)
      #expect(stage.metric("gatehouse_auth_account_refusals_total") == 1)
      _ = try await stage.signIn("eve@example.org")
      // What is signed in stays so.
      _ = try await stage.users.getMe(.init(), options: stage.with(up))
      stage.clock.advance(200_000)
      _ = try await stage.signIn()
      #expect(await outcome { _ = try await stage.signIn() } == tooOften)
    }
  }

  @Test("Whoever was never right is told only with the right password, and may not guess more")
  func signIn_strangerTooOften_isToldLast() async throws {
    var ground = try AuthStage.Ground()
    ground.settings.sourceLimits.accountSignIns = 1
    ground.settings.sourceLimits.trustedProxies = ["tenancy"]
    try await AuthStage.run(on: ground) { stage in
      _ = try await stage.signUp()
      _ = try await stage.signIn()
      func attempt(_ password: String, from address: String) async -> String {
        await outcome {
          _ = try await Auth_V1.AuthenticationClient(stage.tenancyChannel).signIn(
            .init(email: "ada@example.org", password: password),
            options: .init(metadata: ["client-address": address])
          )
        }
      }
      for number in 1...4 {
        #expect(await attempt("guess guess", from: "192.0.2.\(number)") == refused)
      }
      #expect(await attempt(AuthStage.password, from: "192.0.2.9") == tooOften)
      // That it was right takes back what was counted against the account.
      for number in 1...4 {
        #expect(await attempt("guess guess", from: "198.51.100.\(number)") == refused)
      }
      #expect(await attempt(AuthStage.password, from: "192.0.2.10") == tooOften)
    }
  }

  @Test("A source that signs in too often waits, whatever accounts it has")
  func signIn_sourceTooOften_waits() async throws {
    var ground = try AuthStage.Ground()
    ground.settings.sourceLimits.countsLoopback = true
    ground.settings.sourceLimits.signIns = 4
    try await AuthStage.run(on: ground) { stage in
      let device = try await stage.signUp().deviceToken
      for number in 0..<4 { _ = try await stage.signUp("eve\(number)@example.org") }
      for number in 0..<4 { _ = try await stage.signIn("eve\(number)@example.org") }
      let limited = "RESOURCE_EXHAUSTED TOO_MANY_ATTEMPTS"
      #expect(await outcome { _ = try await stage.signIn() } == limited)
      let known = await outcome {
        _ = try await stage.authentication.signIn(
          .init(email: "ada@example.org", password: AuthStage.password, deviceToken: device)
        )
      }
      #expect(known == limited)
      stage.clock.advance(150_000)
      _ = try await stage.signIn()
    }
  }

  @Test("Changing a password all the time is limited too, and uses up no sign-ins")
  func changePassword_tooOften_waits() async throws {
    var ground = try AuthStage.Ground()
    ground.settings.sourceLimits.accountSignIns = 2
    try await AuthStage.run(on: ground) { stage in
      let up = try await stage.signUp()
      let passwords = (0...2).map { "a good password \($0)" }
      try await stage.changePassword(up, to: passwords[0])
      #expect(
        await outcome { try await stage.changePassword(up, from: "wrong one", to: passwords[1]) }
          == refused
      )
      try await stage.changePassword(up, from: passwords[0], to: passwords[1])
      let limited = await outcome {
        try await stage.changePassword(up, from: passwords[1], to: passwords[2])
      }
      #expect(limited == tooOften)
      _ = try await stage.signIn(password: passwords[1])
    }
  }
}
