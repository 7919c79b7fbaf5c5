import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Signing up again with an idempotency key")
struct SignUpReplayTests {
  private let refused = "UNAUTHENTICATED INVALID_CREDENTIALS"

  @Test("It signs in to the same account, and gets a session of its own")
  func signUp_sameKey_isASignIn() async throws {
    try await AuthStage.run { stage in
      let first = try await stage.signUp(key: "k1")
      let again = try await stage.signUp(key: "k1")
      #expect(again.user?.id == first.user?.id)
      #expect(again.tokens?.sessionId != first.tokens?.sessionId)
      _ = try await stage.users.getMe(.init(), options: stage.with(first))
      _ = try await stage.users.getMe(.init(), options: stage.with(again))
      // Signed out, it is a way in like any other.
      _ = try await stage.authentication.signOut(.init(), options: stage.with(first))
      _ = try await stage.signUp(key: "k1")
      #expect(stage.metric(#"gatehouse_auth_sign_ins_total{outcome="done"}"#) == 2)
    }
  }

  @Test("Another request under the key gets nothing, and another key no second account")
  func signUp_otherRequestOrKey_isRefused() async throws {
    try await AuthStage.run { stage in
      _ = try await stage.signUp(key: "k1")
      let other = await outcome { _ = try await stage.signUp("eve@example.org", key: "k1") }
      #expect(other == "ALREADY_EXISTS IDEMPOTENCY_KEY_REUSED")
      for _ in 0..<2 {
        let taken = await outcome { _ = try await stage.signUp(key: "k2") }
        #expect(taken == "ALREADY_EXISTS EMAIL_TAKEN")
      }
    }
  }

  @Test("What is remembered holds no token, and nothing that a password could be guessed from")
  func signUp_remembered_holdsNoSecret() async throws {
    try await AuthStage.run { stage in
      let answer = try await stage.signUp(key: "k1")
      let remembered = try await stage.service.core.database.read { tx in
        try tx.query("SELECT response, request_digest FROM idempotency_key WHERE is_refusal = 0") {
          ($0.blob(0), $0.blob(1))
        }
      }
      #expect(remembered.count == 1)
      let response = try #require(remembered.first?.0)
      let user = try Auth_V1.User(protobuf: response.span, limits: MessageLimits())
      #expect(user == .init(id: try #require(answer.user?.id)))
      for password in [AuthStage.password, ""] {
        let plain = IdempotencyKey(
          caller: "",
          key: "k1",
          method: "auth.v1.Authentication/SignUp",
          request: Auth_V1.SignUpRequest(
            email: "ada@example.org",
            password: password,
            displayName: "Ada",
            device: .init(name: "Ada's phone"),
            idempotencyKey: "k1"
          )
        )
        #expect(remembered.first?.1 != plain.requestDigest)
      }
    }
  }

  @Test("After the password was changed the old one opens nothing, and the new one does")
  func signUp_passwordChanged_isRefused() async throws {
    try await AuthStage.run { stage in
      let first = try await stage.signUp(key: "k1")
      try await stage.changePassword(first, to: "another good password")
      #expect(await outcome { _ = try await stage.signUp(key: "k1") } == refused)
      let new = try await stage.signUp(password: "another good password", key: "k1")
      #expect(new.user?.id == first.user?.id)
      // Its tokens are not those of the session that changed the password.
      #expect(new.tokens?.sessionId != first.tokens?.sessionId)
    }
  }

  @Test("Guesses are counted for the account, like those of a sign-in, and wait as these do")
  func signUp_guesses_areCounted() async throws {
    try await AuthStage.run { stage in
      _ = try await stage.signUp(key: "k1")
      for number in 0..<5 {
        let guess = await outcome {
          _ = try await stage.signUp(password: "a guess \(number)", key: "k1")
        }
        #expect(guess == refused)
      }
      // Right, and too early: either way.
      #expect(await outcome { _ = try await stage.signUp(key: "k1") } == refused)
      #expect(await outcome { _ = try await stage.signIn() } == refused)
      stage.clock.advance(1000)
      _ = try await stage.signUp(key: "k1")
      for _ in 0..<5 { _ = await outcome { _ = try await stage.signIn(password: "guess") } }
      #expect(await outcome { _ = try await stage.signUp(key: "k1") } == refused)
    }
  }

  @Test("Guesses are counted for their source, like those of a sign-in")
  func signUp_guesses_areCountedForTheSource() async throws {
    var ground = try AuthStage.Ground()
    ground.settings.sourceLimits.countsLoopback = true
    ground.settings.sourceLimits.failures = 3
    try await AuthStage.run(on: ground) { stage in
      _ = try await stage.signUp(key: "k1")
      for _ in 0..<3 {
        #expect(
          await outcome { _ = try await stage.signUp(password: "guess guess", key: "k1") }
            == refused
        )
      }
      let limited = await outcome { _ = try await stage.signUp(key: "k1") }
      #expect(limited == "RESOURCE_EXHAUSTED TOO_MANY_ATTEMPTS")
    }
  }

  @Test("A wrong password, a changed one and an account that waits: one answer, the same work")
  func signUp_everyFailure_looksTheSame() async throws {
    try await AuthStage.run { stage in
      let first = try await stage.signUp(key: "k1")
      _ = try await stage.signUp("eve@example.org", key: "k2")
      func work(_ email: String, _ password: String, _ key: String) async -> [String] {
        func counts() -> [Int] {
          [
            stage.metric("gatehouse_auth_password_hash_seconds_count"),
            stage.metric(#"gatehouse_service_store_transactions_total{kind="write"}"#),
            stage.metric(#"gatehouse_service_store_transactions_total{kind="read"}"#),
          ]
        }
        let before = counts()
        let answer = await outcome {
          _ = try await stage.signUp(email, password: password, key: key)
        }
        return [answer] + zip(counts(), before).map { "\($0 - $1)" }
      }
      let wrong = await work("ada@example.org", "not the password", "k1")
      // A hash for the account that might have been new, one for the one that was there.
      #expect(wrong == [refused, "2", "2", "0"])
      try await stage.changePassword(first, to: "another good password")
      #expect(await work("ada@example.org", AuthStage.password, "k1") == wrong)
      for _ in 0..<5 {
        _ = await outcome { _ = try await stage.signIn("eve@example.org", password: "guess") }
      }
      #expect(await work("eve@example.org", AuthStage.password, "k2") == wrong)
    }
  }

  @Test("A refresh that is repeated within its grace gets nothing after the password was changed")
  func refresh_passwordChangedInGrace_isRefused() async throws {
    try await AuthStage.run { stage in
      let here = try await stage.signUp()
      let there = try #require(try await stage.signIn().tokens)
      _ = try await stage.authentication.refresh(.init(refreshToken: there.refreshToken))
      try await stage.changePassword(here, to: "another good password")
      let repeated = await outcome {
        _ = try await stage.authentication.refresh(.init(refreshToken: there.refreshToken))
      }
      #expect(repeated == "UNAUTHENTICATED REFRESH_TOKEN_INVALID")
    }
  }
}
