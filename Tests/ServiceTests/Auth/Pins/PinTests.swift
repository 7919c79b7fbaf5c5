import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("PINs")
struct PinTests {
  private static let pin = "482915"
  private static let wrongPin = "482916"
  private static let purpose = "family.enter_parent_mode"

  /// A user with a PIN; their session is refreshed when time has passed.
  private final class Holder: Sendable {
    let stage: AuthStage
    private let tokens: Lock<Auth_V1.Tokens>

    init(_ stage: AuthStage, _ answer: Auth_V1.SignInResponse) throws {
      self.stage = stage
      tokens = Lock(try #require(answer.tokens))
    }

    var call: CallOptions { stage.with(tokens.withLock { $0 }) }

    /// Lets time pass.
    func wait(_ seconds: Int64) async throws {
      stage.clock.advance(seconds * 1000)
      let refreshToken = tokens.withLock { $0.refreshToken }
      let renewed = try await stage.authentication.refresh(.init(refreshToken: refreshToken))
      tokens.withLock { $0 = renewed }
    }

    func set(_ pin: String) async throws {
      _ = try await stage.stepUp.setPin(.init(pin: pin), options: call)
    }

    func verify(_ pin: String, for purpose: String = PinTests.purpose) async throws -> String {
      let response = try await stage.stepUp.verifyPin(
        .init(pin: pin, purpose: purpose),
        options: call
      )
      return try #require(response.token?.token)
    }

    /// The outcome of an attempt.
    func tried(_ pin: String) async -> String { await outcome { _ = try await verify(pin) } }
  }

  private func run(
    digits: Int = 6,
    _ body: (AuthStage, Holder) async throws -> Void
  ) async throws {
    var ground = try AuthStage.Ground()
    ground.settings.pin.digitCount = digits
    try await AuthStage.run(on: ground) { stage in
      try await body(stage, Holder(stage, try await stage.signUp()))
    }
  }

  @Test("The right PIN gives a token for one purpose and five minutes, of the same session")
  func verify_right_givesElevatedToken() async throws {
    try await run { stage, ada in
      try await ada.set(Self.pin)
      try await ada.wait(400)
      let text = try await ada.verify(Self.pin)
      let verifier = AccessTokenVerifier(issuer: "gatehouse", audience: "gatehouse")
      let keys = stage.service.core.ring.keys
      let claims = try verifier.verify(text, keys: keys, now: stage.clock.now)
      #expect(claims.acr == "pin")
      #expect(claims.methods == ["pin"])
      #expect(claims.purpose == Self.purpose)
      #expect(claims.authenticated == stage.clock.now / 1000 * 1000)
      #expect(claims.expires - claims.issued == 300_000)
      let elevated = CallOptions(metadata: ["authorization": "Bearer \(text)"])
      let me = try await stage.users.getMe(.init(), options: elevated)
      #expect(me.id == claims.userID)
      #expect(try await stage.audited("session.elevate") == ["session.elevate \(claims.sessionID)"])
      // A PIN is no fresh sign-in: it does not change itself, not even for that purpose.
      let other = try await ada.verify(Self.pin, for: "auth.v1.StepUp/SetPin")
      for text in [text, other] {
        let refused = await outcome {
          _ = try await stage.stepUp.setPin(
            .init(pin: "730284"),
            options: CallOptions(metadata: ["authorization": "Bearer \(text)"])
          )
        }
        #expect(refused == "UNAUTHENTICATED STEP_UP_REQUIRED")
      }
      // It ends with the session.
      _ = try await stage.authentication.signOut(.init(), options: ada.call)
      let ended = await outcome { _ = try await stage.users.getMe(.init(), options: elevated) }
      #expect(ended == "UNAUTHENTICATED CREDENTIALS_INVALID")
    }
  }

  @Test("Wrong PINs wait longer and longer, and the tenth disables the PIN until the next sign-in")
  func verify_wrong_isDisabled() async throws {
    try await run { stage, ada in
      try await ada.set(Self.pin)
      for (index, wait) in [0, 0, 0, 0, 30, 60, 300, 900, 3600].enumerated() {
        #expect(await ada.tried(Self.wrongPin) == "INVALID_ARGUMENT PIN_INVALID", "\(index)")
        guard wait > 0 else { continue }
        // The right one too, or a guess would be told from a wait.
        #expect(await ada.tried(Self.pin) == "RESOURCE_EXHAUSTED TOO_MANY_PIN_ATTEMPTS")
        try await ada.wait(Int64(wait))
      }
      #expect(await ada.tried(Self.wrongPin) == "INVALID_ARGUMENT PIN_INVALID")
      try await ada.wait(7200)
      #expect(await ada.tried(Self.pin) == "FAILED_PRECONDITION PIN_DISABLED")
      let state = try await stage.stepUp.getPin(.init(), options: ada.call)
      #expect(state.isSet && state.disabled)
      // On the user's own phone; the child's device has its session still.
      _ = try await stage.signIn()
      #expect(try await !stage.stepUp.getPin(.init(), options: ada.call).disabled)
      _ = try await ada.verify(Self.pin)
      #expect(stage.metric(#"gatehouse_auth_step_ups_total{method="pin",outcome="refused"}"#) == 10)
      #expect(stage.metric(#"gatehouse_auth_step_ups_total{method="pin",outcome="limited"}"#) == 6)
      #expect(stage.metric(#"gatehouse_auth_step_ups_total{method="pin",outcome="done"}"#) == 1)
    }
  }

  @Test("The right PIN ends a row of wrong ones; time and refreshes do not")
  func verify_right_forgetsWrongOnes() async throws {
    try await run { _, ada in
      try await ada.set(Self.pin)
      for _ in 0..<4 { #expect(await ada.tried(Self.wrongPin).hasSuffix("PIN_INVALID")) }
      try await ada.wait(20 * 86_400)
      #expect(await ada.tried(Self.wrongPin).hasSuffix("PIN_INVALID"))
      #expect(await ada.tried(Self.pin).hasSuffix("TOO_MANY_PIN_ATTEMPTS"))
      try await ada.wait(30)
      _ = try await ada.verify(Self.pin)
      for _ in 0..<5 { #expect(await ada.tried(Self.wrongPin).hasSuffix("PIN_INVALID")) }
      #expect(await ada.tried(Self.wrongPin).hasSuffix("TOO_MANY_PIN_ATTEMPTS"))
    }
  }

  @Test("Guesses at once are counted before any of them is compared")
  func verify_guessesAtOnce_areCounted() async throws {
    try await run { _, ada in
      try await ada.set(Self.pin)
      let outcomes = await withTaskGroup(of: String.self) { group in
        for _ in 0..<20 { group.addTask { await ada.tried(Self.wrongPin) } }
        return await group.reduce(into: [String]()) { $0.append($1) }
      }
      // Others may have found no thread to hash on, which counts for nothing.
      let compared = outcomes.filter { $0.hasSuffix("PIN_INVALID") }.count
      #expect((1...5).contains(compared))
      for _ in compared..<5 { #expect(await ada.tried(Self.wrongPin).hasSuffix("PIN_INVALID")) }
      #expect(await ada.tried(Self.pin).hasSuffix("TOO_MANY_PIN_ATTEMPTS"))
    }
  }

  @Test("Setting a PIN takes a fresh sign-in and a PIN that is neither common nor the one before")
  func set_rules_areChecked() async throws {
    try await run { stage, ada in
      #expect(await ada.tried(Self.pin) == "FAILED_PRECONDITION PIN_NOT_SET")
      try await ada.set(Self.pin)
      func refused(_ pin: String) async -> String { await outcome { try await ada.set(pin) } }
      #expect(await refused("123456") == "INVALID_ARGUMENT PIN_COMMON")
      #expect(await refused("4829") == "INVALID_ARGUMENT PIN_LENGTH")
      #expect(await refused("48291x") == "INVALID_ARGUMENT FIELD_VIOLATIONS")
      #expect(await refused(Self.pin) == "INVALID_ARGUMENT PIN_REUSED")
      #expect(await refused("519284") == "INVALID_ARGUMENT PIN_REUSED")
      try await ada.set("730284")
      #expect(await ada.tried(Self.pin) == "INVALID_ARGUMENT PIN_INVALID")
      _ = try await ada.verify("730284")
      try await ada.wait(301)
      #expect(await refused(Self.pin) == "UNAUTHENTICATED STEP_UP_REQUIRED")
      let cleared = await outcome {
        _ = try await stage.stepUp.clearPin(.init(), options: ada.call)
      }
      #expect(cleared == "UNAUTHENTICATED STEP_UP_REQUIRED")
      let fresh = try Holder(stage, try await stage.signIn())
      try await fresh.set(Self.pin)
    }
  }

  @Test("A PIN that was cleared is gone; the owner is told of each change")
  func clear_pin_isGone() async throws {
    try await run { stage, ada in
      _ = try await stage.takeMails()
      try await ada.set(Self.pin)
      for _ in 0..<2 { _ = try await stage.stepUp.clearPin(.init(), options: ada.call) }
      #expect(await ada.tried(Self.pin) == "FAILED_PRECONDITION PIN_NOT_SET")
      #expect(try await !stage.stepUp.getPin(.init(), options: ada.call).isSet)
      // A PIN that is gone is none that a new one is compared with.
      try await ada.set(Self.pin)
      let subjects = try await stage.takeMails().map { $0.headers["Subject"] }
      #expect(subjects == Array(repeating: "Your PIN was changed", count: 3))
      #expect(
        try await stage.audited("pin.").map { $0.prefix(9) } == [
          "pin.set u", "pin.clear", "pin.set u",
        ]
      )
    }
  }

  @Test("Setting a PIN again enables one that was disabled, and short ones allow five attempts")
  func set_disabled_isEnabled() async throws {
    try await run(digits: 4) { stage, ada in
      #expect(try await stage.stepUp.getPin(.init(), options: ada.call).digits == 4)
      try await ada.set("4829")
      for wait in [0, 30, 60, 300, 0] as [Int64] {
        #expect(await ada.tried("4828") == "INVALID_ARGUMENT PIN_INVALID")
        if wait > 0 { try await ada.wait(wait) }
      }
      #expect(await ada.tried("4829") == "FAILED_PRECONDITION PIN_DISABLED")
      let fresh = try Holder(stage, try await stage.signIn())
      try await fresh.set("7302")
      _ = try await ada.verify("7302")
    }
  }

  @Test("Nobody's PIN is another's, and the store has no PIN in the clear")
  func set_pin_isPerAccountAndHashed() async throws {
    try await run { stage, ada in
      try await ada.set(Self.pin)
      let eve = try Holder(stage, try await stage.signUp("eve@example.org"))
      #expect(await eve.tried(Self.pin) == "FAILED_PRECONDITION PIN_NOT_SET")
      let records = try await stage.service.core.database.read { tx in
        try tx.query("SELECT record FROM pin") { $0.text(0) }
      }
      #expect(records.count == 1)
      #expect(records.allSatisfy { $0.contains("$argon2id$") && !$0.contains(Self.pin) })
    }
  }
}
