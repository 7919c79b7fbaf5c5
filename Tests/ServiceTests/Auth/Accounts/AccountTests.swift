import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Addresses that are proven, and passwords that are forgotten")
struct AccountTests {
  private static let invalid = "INVALID_ARGUMENT MAIL_TOKEN_INVALID"
  private static let newPassword = "another battery staple horse"

  private func me(_ stage: AuthStage, _ answer: Auth_V1.SignInResponse) async throws -> Auth_V1.User
  {
    try await stage.users.getMe(.init(), options: stage.with(answer))
  }

  private func reset(
    _ stage: AuthStage,
    _ token: String,
    to password: String = AccountTests.newPassword,
    key: String = ""
  ) async -> String {
    await outcome {
      _ = try await stage.accounts.resetPassword(
        .init(token: token, newPassword: password, idempotencyKey: key)
      )
    }
  }

  private func requestReset(
    _ stage: AuthStage,
    _ email: String = "ada@example.org"
  ) async throws -> String {
    _ = try await stage.accounts.requestPasswordReset(.init(email: email))
    return try await stage.takeToken("reset-password", to: "ada@example.org")
  }

  // MARK: - Verifying

  @Test(
    "A new account is sent a mail, and its token verifies the address, as often as it is opened"
  )
  func verify_signUp_provesTheAddress() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      let mails = try await stage.takeMails()
      #expect(mails.count == 1)
      let mail = try #require(mails.first)
      #expect(mail.recipient == "<ada@example.org>")
      #expect(mail.headers["Subject"] == "Verify your e-mail address")
      // Not by a name that whoever signed up could have made a message of.
      #expect(mail.text.hasPrefix("Hello ada@example.org,"))
      let token = try #require(mail.link?.token)
      #expect(mail.link?.path == "verify-email")
      #expect(
        mail.parts["text/html"]?.contains("href=\"gatehouse://account/verify-email#\(token)\"")
          == true
      )
      #expect(try await me(stage, ada).emailVerified == false)
      for _ in 0..<2 {
        _ = try await stage.accounts.verifyEmail(.init(token: token), options: stage.with(ada))
      }
      #expect(try await me(stage, ada).emailVerified)
      #expect(try await stage.audited("email.verify") == ["email.verify \(ada.user?.id ?? "")"])
    }
  }

  @Test("A token works for its time, its purpose and its account, and the newest one only")
  func verify_wrongToken_isRefused() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      let first = try await stage.takeToken("verify-email", to: "ada@example.org")
      _ = try await stage.accounts.requestEmailVerification(.init(), options: stage.with(ada))
      let second = try await stage.takeToken("verify-email", to: "ada@example.org")
      func verify(
        _ token: String,
        as user: Auth_V1.SignInResponse? = nil,
        password: String = ""
      ) async -> String {
        await outcome {
          _ = try await stage.accounts.verifyEmail(
            .init(token: token, password: password),
            options: user.map { stage.with($0) } ?? CallOptions()
          )
        }
      }
      #expect(await verify(first) == Self.invalid)
      let changed = (second.first == "A" ? "B" : "A") + second.dropFirst()
      for token in [
        "x", "AAAA", changed, second + "=", second + "A", String(repeating: "A", count: 43),
      ] {
        #expect(await verify(token) == Self.invalid, "\(token)")
      }
      // It resets no password, and takes no change back.
      #expect(await reset(stage, second) == Self.invalid)
      for confirms in [true, false] {
        let other = await outcome {
          if confirms {
            _ = try await stage.accounts.confirmEmailChange(.init(token: second))
          } else {
            _ = try await stage.accounts.undoEmailChange(.init(token: second))
          }
        }
        #expect(other == Self.invalid)
      }
      let bob = try await stage.signUp("bob@example.org")
      #expect(await verify(second, as: bob) == Self.invalid)
      stage.clock.advance(24 * 3_600_000)
      #expect(await verify(second, password: AuthStage.password) == Self.invalid)
      stage.clock.jump(-1)
      #expect(await verify(second, password: AuthStage.password) == "OK")
    }
  }

  @Test("Mails are in the user's language, and a verified user is called by name")
  func mails_language_isTheUsers() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.authentication.signUp(
        .init(
          email: "ada@example.org",
          password: AuthStage.password,
          displayName: "Ada <b>Königin</b>",
          language: "de-AT"
        )
      )
      #expect(ada.user?.language == "de-AT")
      let mail = try #require(try await stage.takeMails().first)
      #expect(mail.text.hasPrefix("Hallo ada@example.org,"))
      let token = try #require(mail.link?.token)
      _ = try await stage.accounts.verifyEmail(.init(token: token), options: stage.with(ada))
      _ = try await stage.users.updateProfile(.init(language: "fr"), options: stage.with(ada))
      try await stage.changePassword(ada, to: Self.newPassword)
      let notice = try #require(try await stage.takeMails().first)
      #expect(notice.text.hasPrefix("Hello Ada <b>Königin</b>,"))
      #expect(notice.parts["text/html"]?.contains("Hello Ada &lt;b&gt;Königin&lt;/b&gt;,") == true)
    }
  }

  @Test("An address that hides a header gets no account")
  func signUp_hostileAddress_isRefused() async throws {
    try await AuthStage.run { stage in
      for address in ["a@b\r\nBcc:eve@example.org", "-x@example.org", "<ada@example.org>", "a\0@b"]
      {
        let refused = await outcome { _ = try await stage.signUp(address) }
        #expect(refused.hasPrefix("INVALID_ARGUMENT"), "\(refused)")
      }
      let mails = try await stage.takeMails()
      #expect(mails.isEmpty)
    }
  }

  // MARK: - Resetting

  @Test("A reset sets the password, ends all sessions and works once")
  func reset_token_worksOnce() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      try await stage.verifyAddress(of: ada)
      _ = try await stage.signIn()
      _ = try await stage.takeMails()
      let token = try await requestReset(stage, "ADA@Example.org")
      let response = try await stage.accounts.resetPassword(
        .init(token: token, newPassword: Self.newPassword)
      )
      #expect(response.revokedSessions == 2)
      #expect(
        await outcome { _ = try await me(stage, ada) } == "UNAUTHENTICATED CREDENTIALS_INVALID"
      )
      #expect(
        await outcome { _ = try await stage.signIn() } == "UNAUTHENTICATED INVALID_CREDENTIALS"
      )
      #expect(
        try await stage.takeMails().map { $0.headers["Subject"] } == ["Your password was changed"]
      )
      #expect(await reset(stage, token, to: "yet another long password") == Self.invalid)
      let again = try await stage.signIn(password: Self.newPassword)
      #expect(again.user?.emailVerified == true)
      #expect(try await stage.audited("password.reset") == ["password.reset \(ada.user?.id ?? "")"])
    }
  }

  @Test("A reset that is sent again under its key gets its answer, whatever password it has then")
  func reset_repeated_getsItsAnswer() async throws {
    try await AuthStage.run { stage in
      try await stage.verifyAddress(of: try await stage.signUp())
      let token = try await requestReset(stage)
      #expect(await reset(stage, token, key: "k") == "OK")
      #expect(await reset(stage, token, key: "k") == "OK")
      // Otherwise whoever finds a used token could try out which password was set with it.
      #expect(await reset(stage, token, to: "yet another long password", key: "k") == "OK")
      #expect(await reset(stage, token, key: "other") == Self.invalid)
      _ = try await stage.signIn(password: Self.newPassword)
      #expect(try await stage.audited("password.reset").count == 1)
    }
  }

  @Test("Two resets at once with one token set one password")
  func reset_racing_setsOne() async throws {
    try await AuthStage.run { stage in
      _ = try await stage.signUp()
      let token = try await requestReset(stage)
      let passwords = (0..<4).map { "a long password, number \($0)" }
      let outcomes = await withTaskGroup(of: (String, String).self) { group in
        for password in passwords {
          group.addTask { (password, await reset(stage, token, to: password)) }
        }
        var outcomes: [String: String] = [:]
        for await (password, outcome) in group { outcomes[password] = outcome }
        return outcomes
      }
      // One wins; others are refused before their hash or after it, or by the queue of hashes.
      let winners = passwords.filter { outcomes[$0] == "OK" }
      #expect(winners.count == 1)
      for password in passwords where outcomes[password] != "OK" {
        let refusal = outcomes[password] ?? ""
        #expect(
          [Self.invalid, "RESOURCE_EXHAUSTED TOO_MANY_SIGN_INS"].contains(refusal),
          "\(refusal)"
        )
      }
      _ = try await stage.signIn(password: try #require(winners.first))
    }
  }

  @Test("A reset ends with its time, with a newer one, and with the address it was sent to")
  func reset_outdated_isRefused() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      let first = try await requestReset(stage)
      stage.clock.advance(60_000)
      let second = try await requestReset(stage)
      #expect(await reset(stage, first) == Self.invalid)
      stage.clock.advance(30 * 60_000)
      #expect(await reset(stage, second) == Self.invalid)
      let third = try await requestReset(stage)
      #expect(await reset(stage, third, to: "password1") == "INVALID_ARGUMENT PASSWORD_COMMON")
      let bob = try await stage.signUp("bob@example.org")
      let byBob = await outcome {
        _ = try await stage.accounts.resetPassword(
          .init(token: third, newPassword: Self.newPassword),
          options: stage.with(bob)
        )
      }
      #expect(byBob == Self.invalid)
      let fresh = try await stage.signIn()
      _ = try await stage.accounts.changeEmail(
        .init(currentPassword: AuthStage.password, newEmail: "countess@example.org"),
        options: stage.with(fresh)
      )
      let change = try await stage.takeToken("confirm-email", to: "countess@example.org")
      _ = try await stage.accounts.confirmEmailChange(
        .init(token: change),
        options: stage.with(fresh)
      )
      #expect(await reset(stage, third) == Self.invalid)
      #expect(ada.user?.id == fresh.user?.id)
    }
  }

  @Test("Asking for a reset does and answers the same whether or not there is an account")
  func requestReset_unknownAddress_doesTheSame() async throws {
    try await AuthStage.run { stage in
      _ = try await stage.signUp()
      _ = try await stage.takeMails()
      let core = stage.service.core
      /// What one request leaves in the store, by table.
      func trace(_ email: String) async throws -> [String] {
        func rows() async throws -> [Int64] {
          try await core.database.read { tx in
            var counts: [Int64] = []
            for table in ["mail", "mail_token", "audit_log", "change_log"] {
              counts += try tx.query("SELECT count(*) FROM \(table)") { $0.integer(0) }
            }
            return counts
          }
        }
        let before = try await rows()
        _ = try await stage.accounts.requestPasswordReset(.init(email: email))
        let sizes = try await core.database.read { tx in
          try tx.query(
            "SELECT kind, state, length(sealed), user_id IS NULL FROM mail WHERE state = 1"
          ) {
            "\($0.text(0)) \($0.integer(1)) \($0.integer(2)) \($0.integer(3))"
          }
        }
        return zip(before, try await rows()).map { "\($1 - $0)" } + sizes
      }
      let known = try await trace("ada@example.org")
      #expect(try await stage.takeMails().count == 1)
      let unknown = try await trace("eve@example.org")
      #expect(known == unknown && known.prefix(3) == ["1", "1", "1"])
      // Found out by the outbox, long after the answer.
      #expect(try await stage.takeMails().isEmpty)
      #expect(stage.metric(#"gatehouse_auth_mail_attempts_total{outcome="dropped"}"#) == 1)
      let left = try await core.database.read { tx in
        try tx.query("SELECT count(*) FROM mail_token WHERE address_key = 'eve@example.org'") {
          $0.integer(0)
        }
      }
      #expect(left == [0])
    }
  }

  @Test("Mail goes to the address of the account, and not to one that looks like it")
  func requestReset_lookAlike_isAnotherAddress() async throws {
    try await AuthStage.run { stage in
      _ = try await stage.signUp("mike@example.org")
      _ = try await stage.takeMails()
      // A dotless i, which some systems fold to the letter (CVE-2019-19844).
      for address in ["m\u{131}ke@example.org", "mike+x@example.org", "m.ike@example.org"] {
        _ = try await stage.accounts.requestPasswordReset(.init(email: address))
      }
      #expect(try await stage.takeMails().isEmpty)
      _ = try await stage.accounts.requestPasswordReset(.init(email: "MIKE@example.org"))
      #expect(try await stage.takeMails().map(\.recipient) == ["<mike@example.org>"])
    }
  }

  // MARK: - Limits

  @Test("Mails about one address or account are few, alike for addresses without an account")
  func requests_tooMany_wait() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      let tooMany = "RESOURCE_EXHAUSTED TOO_MANY_MAILS"
      func ask(_ email: String) async -> String {
        await outcome { _ = try await stage.accounts.requestPasswordReset(.init(email: email)) }
      }
      func verification() async -> String {
        await outcome {
          _ = try await stage.accounts.requestEmailVerification(.init(), options: stage.with(ada))
        }
      }
      for email in ["ada@example.org", "eve@example.org"] {
        #expect(await ask(email) == "OK")
        #expect(await ask(email.uppercased()) == tooMany)
      }
      #expect(await verification() == "OK")
      #expect(await verification() == tooMany)
      for _ in 0..<4 {
        stage.clock.advance(60_000)
        #expect(await ask("ada@example.org") == "OK")
        #expect(await ask("eve@example.org") == "OK")
      }
      stage.clock.advance(60_000)
      // Five in an hour.
      #expect(await ask("ada@example.org") == tooMany)
      #expect(await ask("eve@example.org") == tooMany)
      #expect(await ask("mallory@example.org") == "OK")
      #expect(stage.metric(#"gatehouse_auth_mail_requests_refused_total{limit="address"}"#) == 4)
      #expect(stage.metric(#"gatehouse_auth_mail_requests_refused_total{limit="account"}"#) == 1)
    }
  }

  @Test("One source may ask for so many mails, whomever they are for")
  func requests_oneSource_waits() async throws {
    var ground = try AuthStage.Ground()
    ground.settings.sourceLimits.countsLoopback = true
    ground.settings.sourceLimits.mails = 2
    try await AuthStage.run(on: ground) { stage in
      var outcomes: [String] = []
      for number in 0..<3 {
        outcomes.append(
          await outcome {
            _ = try await stage.accounts.requestPasswordReset(.init(email: "\(number)@example.org"))
          }
        )
      }
      #expect(outcomes == ["OK", "OK", "RESOURCE_EXHAUSTED TOO_MANY_MAILS"])
      #expect(stage.metric(#"gatehouse_auth_mail_requests_refused_total{limit="source"}"#) == 1)
    }
  }
}
