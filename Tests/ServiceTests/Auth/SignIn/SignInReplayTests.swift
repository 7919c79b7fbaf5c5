import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Signing in, and changing a password, again with an idempotency key")
struct SignInReplayTests {
  private let refused = "UNAUTHENTICATED INVALID_CREDENTIALS"
  private static let new = "another good password"

  private func signIn(
    _ stage: AuthStage,
    _ email: String = "ada@example.org",
    password: String = AuthStage.password,
    device: String = "",
    key: String = "k"
  ) async throws -> Auth_V1.SignInResponse {
    try await stage.authentication.signIn(
      .init(
        email: email,
        password: password,
        device: .init(name: device),
        idempotencyKey: key
      )
    )
  }

  private func change(
    _ stage: AuthStage,
    _ session: Auth_V1.SignInResponse,
    from old: String = AuthStage.password,
    to new: String = SignInReplayTests.new,
    key: String = "k"
  ) async throws -> UInt32 {
    try await stage.users.changePassword(
      .init(currentPassword: old, newPassword: new, idempotencyKey: key),
      options: stage.with(session)
    ).revokedSessions
  }

  @Test("A repeated sign-in gets the same session, with tokens that work")
  func signIn_sameKey_getsTheSameSession() async throws {
    try await AuthStage.run { stage in
      let up = try await stage.signUp()
      let first = try await signIn(stage)
      stage.clock.advance(5_000)
      let again = try await signIn(stage)
      #expect(again.tokens?.sessionId == first.tokens?.sessionId)
      #expect(again.tokens?.refreshToken == first.tokens?.refreshToken)
      #expect(again.deviceToken == first.deviceToken)
      _ = try await stage.users.getMe(.init(), options: stage.with(again))
      let sessions = try await stage.sessions.list(.init(), options: stage.with(up)).sessions
      #expect(sessions.count == 2)
      // Other keys, no key and other accounts have nothing to do with it.
      _ = try await stage.signUp("bob@example.org")
      var ids: Set<String?> = [first.tokens?.sessionId]
      for (email, key) in [("ada", "other"), ("ada", ""), ("ada", ""), ("bob", "k")] {
        ids.insert(try await signIn(stage, "\(email)@example.org", key: key).tokens?.sessionId)
      }
      #expect(ids.count == 5)
    }
  }

  @Test("The password is checked and counted each time, before the key says anything")
  func signIn_sameKey_needsThePassword() async throws {
    try await AuthStage.run { stage in
      let up = try await stage.signUp()
      _ = try await signIn(stage)
      let wrong = await outcome { _ = try await signIn(stage, password: "wrong password") }
      #expect(wrong == refused)
      #expect(stage.metric(#"gatehouse_auth_sign_ins_total{outcome="refused"}"#) == 1)
      let other = await outcome { _ = try await signIn(stage, device: "other") }
      #expect(other == "ALREADY_EXISTS IDEMPOTENCY_KEY_REUSED")
      _ = try await change(stage, up, key: "")
      #expect(await outcome { _ = try await signIn(stage) } == refused)
    }
  }

  @Test("A session that is in use or over is not given out again, and no other one begins")
  func signIn_sessionUsedOrOver_isRefused() async throws {
    try await AuthStage.run { stage in
      let up = try await stage.signUp()
      let used = try await signIn(stage, key: "used")
      _ = try await stage.authentication.refresh(
        .init(refreshToken: used.tokens?.refreshToken ?? "")
      )
      let inUse = await outcome { _ = try await signIn(stage, key: "used") }
      #expect(inUse == "ALREADY_EXISTS SESSION_IN_USE")
      let over = try await signIn(stage, key: "over")
      _ = try await stage.authentication.signOut(.init(), options: stage.with(over))
      let ended = await outcome { _ = try await signIn(stage, key: "over") }
      #expect(ended == "UNAUTHENTICATED SESSION_ENDED")
      let sessions = try await stage.sessions.list(.init(), options: stage.with(up)).sessions
      #expect(sessions.count == 2)
    }
  }

  @Test("A repeated change of the password gets its answer, and ends nothing that began since")
  func changePassword_sameKey_repeatsTheAnswer() async throws {
    try await AuthStage.run { stage in
      let up = try await stage.signUp()
      _ = try await stage.signIn()
      #expect(try await change(stage, up) == 1)
      let since = try await stage.signIn(password: Self.new)
      for _ in 0..<8 { #expect(try await change(stage, up) == 1) }
      _ = try await stage.users.getMe(.init(), options: stage.with(since))
      // Without its key it is a wrong password.
      #expect(await outcome { _ = try await change(stage, up, key: "") } == refused)
      let log = try await stage.service.core.database.read { tx in
        try tx.query("SELECT 1 FROM audit_log WHERE action = 'password.change'") { $0.integer(0) }
      }
      #expect(log.count == 1)
    }
  }

  @Test("A key is no way to guess: whoever knows neither password learns nothing, and is counted")
  func changePassword_sameKey_needsAPassword() async throws {
    try await AuthStage.run { stage in
      let up = try await stage.signUp()
      #expect(try await change(stage, up) == 0)
      // The account has the new password, and the key was never used: no repetition.
      let unused = await outcome {
        _ = try await change(stage, up, from: "wrong password", key: "unused")
      }
      #expect(unused == refused)
      let other = await outcome {
        _ = try await change(stage, up, from: Self.new, to: "a third one")
      }
      #expect(other == "ALREADY_EXISTS IDEMPOTENCY_KEY_REUSED")
      for _ in 0..<3 {
        let wrong = await outcome {
          _ = try await change(stage, up, from: "wrong password", to: "a wrong one, too")
        }
        #expect(wrong == refused)
      }
      // Six wrong guesses of this session: it has to wait, even with the right one.
      #expect(await outcome { _ = try await change(stage, up, from: Self.new, key: "") } == refused)
      stage.clock.advance(60_000)
      #expect(try await change(stage, up, from: Self.new, to: "a third one", key: "new") == 0)
    }
  }
}
