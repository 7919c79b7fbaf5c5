import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("What owners of accounts are told")
struct NoticeTests {
  private func subjects(_ stage: AuthStage) async throws -> [String] {
    try await stage.takeMails().compactMap { $0.headers["Subject"] }.sorted()
  }

  @Test("A sign-in without the account's device token is told of, one with it is not")
  func signIn_newDevice_isToldOf() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      _ = try await stage.takeMails()
      _ = try await stage.authentication.signIn(
        .init(email: "ada@example.org", password: AuthStage.password, deviceToken: ada.deviceToken)
      )
      #expect(try await subjects(stage) == [])
      _ = try await stage.authentication.signIn(
        .init(
          email: "ada@example.org",
          password: AuthStage.password,
          device: .init(name: "<i>Eve's</i> phone", model: "X1")
        )
      )
      let mails = try await stage.takeMails()
      #expect(mails.count == 1)
      #expect(mails.first?.text.contains("Device: <i>Eve's</i> phone, X1") == true)
      #expect(
        mails.first?.parts["text/html"]?.contains("Device: &lt;i&gt;Eve&#39;s&lt;/i&gt; phone, X1")
          == true
      )
      // Five in an hour; the sign-ins themselves go on.
      for _ in 0..<6 { _ = try await stage.signIn() }
      #expect(try await stage.takeMails().count == 4)
      // Nothing is told of one that fails.
      stage.clock.advance(3_600_000)
      _ = await outcome { _ = try await stage.signIn(password: "wrong password") }
      #expect(try await subjects(stage) == [])
    }
  }

  @Test("A repeated sign-up is no new device")
  func signUp_repeated_tellsNothing() async throws {
    try await AuthStage.run { stage in
      for _ in 0..<2 { _ = try await stage.signUp(key: "k") }
      #expect(try await subjects(stage) == ["Verify your e-mail address"])
    }
  }

  @Test("A changed password is told of, once for a repeated request")
  func changePassword_done_isToldOf() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      _ = try await stage.takeMails()
      for _ in 0..<2 {
        _ = try await stage.users.changePassword(
          .init(
            currentPassword: AuthStage.password,
            newPassword: "another battery staple horse",
            idempotencyKey: "k"
          ),
          options: stage.with(ada)
        )
      }
      #expect(try await subjects(stage) == ["Your password was changed"])
    }
  }

  @Test("Many wrong passwords are told to the owner once, and do the same for nobody")
  func signIn_manyFailures_areToldOf() async throws {
    try await AuthStage.run { stage in
      _ = try await stage.signUp()
      _ = try await stage.takeMails()
      for email in ["ada@example.org", "nobody@example.org"] {
        for _ in 0..<12 {
          _ = await outcome { _ = try await stage.signIn(email, password: "wrong password") }
          stage.clock.advance(AttemptCounter.waitMax)
        }
      }
      let mails = try await stage.takeMails()
      #expect(mails.map(\.recipient) == ["<ada@example.org>"])
      #expect(mails.first?.headers["Subject"] == "Many failed attempts to sign in")
      #expect(
        stage.metric(#"gatehouse_auth_mails_queued_total{kind="sign_ins_refused"}"#) == 2
      )
    }
  }
}
