import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Accounts that operators disable, and passwords that they have replaced")
struct DisablingTests {
  private static let refused = "UNAUTHENTICATED INVALID_CREDENTIALS"
  private static let ended = "UNAUTHENTICATED CREDENTIALS_INVALID"
  private static let newPassword = "another battery staple horse"

  private func run(
    _ body: (AuthStage, _ boss: Auth_V1.SignInResponse) async throws -> Void
  ) async throws {
    try await AuthStage.run { stage in
      let boss = try await stage.signUp("boss@example.org")
      stage.peers.change { $0.operators = [boss.user?.id ?? ""] }
      _ = try await stage.takeMails()
      try await body(stage, boss)
    }
  }

  private func disable(
    _ user: Auth_V1.SignInResponse,
    on stage: AuthStage,
    by boss: Auth_V1.SignInResponse,
    key: String = ""
  ) async throws -> Auth_V1.Account {
    try await stage.operators.disableUser(
      .init(userId: user.user?.id ?? "", reason: "ticket 4711", idempotencyKey: key),
      options: stage.with(boss)
    )
  }

  private func enable(
    _ user: Auth_V1.SignInResponse,
    on stage: AuthStage,
    by boss: Auth_V1.SignInResponse
  ) async throws -> Auth_V1.Account {
    try await stage.operators.enableUser(
      .init(userId: user.user?.id ?? "", reason: "settled"),
      options: stage.with(boss)
    )
  }

  private func me(_ stage: AuthStage, _ answer: Auth_V1.SignInResponse) async -> String {
    await outcome { _ = try await stage.users.getMe(.init(), options: stage.with(answer)) }
  }

  @Test("Nothing works from then on, whatever somebody has: a token, the password or a mail")
  func disable_everything_endsAtOnce() async throws {
    try await run { stage, boss in
      let (ada, other) = (try await stage.signUp(key: "made"), try await stage.signIn())
      let verification = try await stage.takeToken("verify-email", to: "ada@example.org")
      _ = try await stage.accounts.requestPasswordReset(.init(email: "ada@example.org"))
      let reset = try await stage.takeToken("reset-password", to: "ada@example.org")
      stage.clock.advance(61_000)

      let account = try await disable(ada, on: stage, by: boss)
      #expect(account.state == .disabled && account.disabledReason == "ticket 4711")
      #expect(account.disabledBy == "user:\(boss.user?.id ?? "")" && account.disabledAt != nil)
      #expect(stage.metric("gatehouse_auth_sessions_revoked_total") == 2)

      for answer in [ada, other] {
        #expect(await me(stage, answer) == Self.ended)
        let refreshed = await outcome {
          _ = try await stage.authentication.refresh(
            .init(refreshToken: answer.tokens?.refreshToken ?? "")
          )
        }
        #expect(refreshed == "UNAUTHENTICATED REFRESH_TOKEN_INVALID")
      }
      #expect(await outcome { _ = try await stage.signIn() } == Self.refused)
      // A repeated sign-up is a sign-in.
      #expect(await outcome { _ = try await stage.signUp(key: "made") } == Self.refused)
      for isReset in [true, false] {
        let mailed = await outcome {
          if isReset {
            _ = try await stage.accounts.resetPassword(
              .init(token: reset, newPassword: Self.newPassword)
            )
          } else {
            _ = try await stage.accounts.verifyEmail(.init(token: verification))
          }
        }
        #expect(mailed == "INVALID_ARGUMENT MAIL_TOKEN_INVALID")
      }
      // The answer to a request for a reset tells nothing, and no mail is sent.
      _ = try await stage.accounts.requestPasswordReset(.init(email: "ada@example.org"))
      #expect(try await stage.takeMails().isEmpty)
    }
  }

  @Test(
    "Enabled again, the account is as it was, with its roles and password, without its sessions"
  )
  func enable_disabled_canBeSignedInTo() async throws {
    try await run { stage, boss in
      let ada = try await stage.signUp()
      let id = ada.user?.id ?? ""
      _ = try await disable(ada, on: stage, by: boss)
      #expect(await outcome { _ = try await stage.signIn() } == Self.refused)
      let account = try await enable(ada, on: stage, by: boss)
      #expect(account.state == .active && account.disabledReason.isEmpty)
      #expect(account.disabledAt == nil && account.disabledBy.isEmpty)
      #expect(try await stage.signIn().user?.id == id)
      #expect(await me(stage, ada) == Self.ended)
      // Both say what they found.
      _ = try await enable(ada, on: stage, by: boss)
      _ = try await disable(ada, on: stage, by: boss)
      _ = try await disable(ada, on: stage, by: boss)
      #expect(
        try await stage.details("user.").filter { !$0.hasPrefix("user.sign_up") } == [
          "user.disable 1 sessions; ticket 4711", "user.enable settled",
          "user.enable was active; settled", "user.disable 1 sessions; ticket 4711",
          "user.disable was disabled; ticket 4711",
        ]
      )
    }
  }

  @Test("A sign-in whose password is being checked as the account is disabled is refused")
  func disable_signInUnderWay_isRefused() async throws {
    try await run { stage, boss in
      let ada = try await stage.signUp()
      let pool = stage.service.core.pool
      let late = try await pool.whileHeld(threadCount: 2) { release in
        async let late = outcome { _ = try await stage.signIn() }
        #expect(await stage.eventually { pool.waitingCount == 1 })
        _ = try await disable(ada, on: stage, by: boss)
        release()
        return await late
      }
      #expect(late == Self.refused)
    }
  }

  @Test("Nobody disables their own account, and of two who disable each other one stays")
  func disable_operators_neverAll() async throws {
    try await run { stage, boss in
      let own = await outcome { _ = try await disable(boss, on: stage, by: boss) }
      #expect(own == "FAILED_PRECONDITION CANNOT_DISABLE_SELF")
      let other = try await stage.signUp("other@example.org")
      stage.peers.change { $0.operators.insert(other.user?.id ?? "") }
      async let first = outcome { _ = try await disable(other, on: stage, by: boss) }
      async let second = outcome { _ = try await disable(boss, on: stage, by: other) }
      let outcomes = await [first, second]
      #expect(outcomes.filter { $0 == "OK" }.count == 1, "\(outcomes)")
      #expect(outcomes.filter { $0.hasPrefix("UNAUTHENTICATED") }.count == 1, "\(outcomes)")
    }
  }

  @Test("A repeated request disables nobody who was enabled since")
  func disable_repeated_changesNothing() async throws {
    try await run { stage, boss in
      let ada = try await stage.signUp()
      _ = try await disable(ada, on: stage, by: boss, key: "k")
      _ = try await enable(ada, on: stage, by: boss)
      #expect(try await disable(ada, on: stage, by: boss, key: "k").state == .disabled)
      _ = try await stage.signIn()
    }
  }

  @Test("Every call of operators needs a reason where it changes something, and a recent sign-in")
  func calls_withoutReasonOrFreshness_areRefused() async throws {
    try await run { stage, boss in
      let (ada, operators) = (try await stage.signUp(), stage.operators)
      let id = ada.user?.id ?? ""
      func outcomes(_ reason: String) async -> [String] {
        [
          await outcome {
            _ = try await operators.disableUser(
              .init(userId: id, reason: reason),
              options: stage.with(boss)
            )
          },
          await outcome {
            _ = try await operators.enableUser(
              .init(userId: id, reason: reason),
              options: stage.with(boss)
            )
          },
          await outcome {
            _ = try await operators.forcePasswordReset(
              .init(userId: id, reason: reason),
              options: stage.with(boss)
            )
          },
        ]
      }
      let unexplained = await outcomes("")
      #expect(unexplained.allSatisfy { $0.hasPrefix("INVALID_ARGUMENT") }, "\(unexplained)")
      #expect(await me(stage, ada) == "OK")
      stage.clock.advance(5 * 60_000 + 1)
      let reads = [
        await outcome { _ = try await operators.listUsers(.init(), options: stage.with(boss)) },
        await outcome {
          _ = try await operators.getUser(.init(userId: id), options: stage.with(boss))
        },
        await outcome {
          _ = try await operators.listUserSessions(.init(userId: id), options: stage.with(boss))
        },
        await outcome {
          _ = try await operators.listUserAudit(.init(userId: id), options: stage.with(boss))
        },
        await outcome {
          _ = try await operators.endSessions(.init(userId: id), options: stage.with(boss))
        },
        await outcome { _ = try await operators.listMails(.init(), options: stage.with(boss)) },
      ]
      let stale = await outcomes("too late") + reads
      #expect(stale.allSatisfy { $0 == "UNAUTHENTICATED STEP_UP_REQUIRED" }, "\(stale)")
      #expect(try await stage.audited("user.disable") == [])
      #expect(await me(stage, ada) == "OK")
    }
  }

  @Test("A forced reset ends the password and all sessions; only the mail helps")
  func forceReset_password_stopsWorking() async throws {
    try await run { stage, boss in
      let ada = try await stage.signUp()
      try await stage.verifyAddress(of: ada)
      _ = try await stage.takeMails()
      _ = try await stage.accounts.requestPasswordReset(.init(email: "ada@example.org"))
      let stolen = try await stage.takeToken("reset-password", to: "ada@example.org")
      let ended = try await stage.operators.forcePasswordReset(
        .init(userId: ada.user?.id ?? "", reason: "a leak"),
        options: stage.with(boss)
      )
      #expect(ended.revoked == 1)
      #expect(await me(stage, ada) == Self.ended)
      #expect(await outcome { _ = try await stage.signIn() } == Self.refused)
      #expect(await outcome { _ = try await stage.signIn(password: "") } != "OK")
      let mail = try #require(
        try await stage.takeMails().first { $0.link?.path == "reset-password" }
      )
      // What holds after a reset that the user asked for would be untrue here.
      #expect(mail.headers["Subject"] == "Your password no longer works")
      #expect(!mail.text.contains("stays as it is") && mail.text.contains("was made invalid"))
      let token = try #require(mail.link?.token)
      func reset(_ token: String) async -> String {
        await outcome {
          _ = try await stage.accounts.resetPassword(
            .init(token: token, newPassword: Self.newPassword)
          )
        }
      }
      #expect(await reset(stolen) == "INVALID_ARGUMENT MAIL_TOKEN_INVALID")
      #expect(await reset(token) == "OK")
      _ = try await stage.signIn(password: Self.newPassword)
      #expect(
        try await stage.details("password.force") == ["password.force_reset 1 sessions; a leak"]
      )

      _ = try await disable(ada, on: stage, by: boss)
      let disabled = await outcome {
        _ = try await stage.operators.forcePasswordReset(
          .init(userId: ada.user?.id ?? "", reason: "a leak"),
          options: stage.with(boss)
        )
      }
      #expect(disabled == "FAILED_PRECONDITION USER_DISABLED")
    }
  }

  // MARK: - Finding and reading

  @Test("Lists are of one state if asked, and the exact address comes first")
  func listUsers_stateAndAddress_areFilters() async throws {
    try await run { stage, boss in
      let ada = try await stage.signUp()
      stage.clock.advance(1)
      let longer = try await stage.signUp("ada@example.org.uk")
      let ids = [ada, longer].map { $0.user?.id ?? "" }
      _ = try await disable(longer, on: stage, by: boss)
      func found(
        _ text: String = "",
        _ state: Auth_V1.AccountState = .unspecified,
        pageSize: UInt32 = 0
      ) async throws -> [String] {
        var (found, token): ([String], String) = ([], "")
        repeat {
          let page = try await stage.operators.listUsers(
            .init(text: text, pageSize: pageSize, pageToken: token, state: state),
            options: stage.with(boss)
          )
          found += page.users.map(\.id)
          token = page.nextPageToken
        } while !token.isEmpty
        return found
      }
      let bossID = boss.user?.id ?? ""
      for pageSize: UInt32 in [0, 1] {
        #expect(try await found("ADA@example.org", pageSize: pageSize) == ids)
        #expect(try await found("ada@example", pageSize: pageSize) == ids.reversed())
        #expect(try await found("", .disabled, pageSize: pageSize) == [ids[1]])
        #expect(Set(try await found("", .active, pageSize: pageSize)) == [ids[0], bossID])
        #expect(try await found("ada@", .active, pageSize: pageSize) == [ids[0]])
        #expect(try await found("ada@example.org", .disabled, pageSize: pageSize) == [ids[1]])
      }
      let listed = try await stage.details("user.list").last
      #expect(listed == #"user.list 1 beginning with "ada@example.org", disabled"#)
    }
  }

  @Test("An account is read with its state, its sessions and what is recorded, but no secret")
  func reading_aUser_tellsNoSecret() async throws {
    try await run { stage, boss in
      let (ada, _) = (try await stage.signUp(), try await stage.signIn())
      let (id, operators) = (ada.user?.id ?? "", stage.operators)
      let account = try await operators.getUser(.init(userId: id), options: stage.with(boss))
      #expect(account.email == "ada@example.org" && account.state == .active)
      let sessions = try await operators.listUserSessions(
        .init(userId: id),
        options: stage.with(boss)
      ).sessions
      #expect(sessions.count == 2 && sessions.allSatisfy { !$0.current })
      #expect(sessions.contains { $0.id == ada.tokens?.sessionId })

      var (actions, token): ([String], String) = ([], "")
      repeat {
        let page = try await operators.listUserAudit(
          .init(userId: id, pageSize: 2, pageToken: token),
          options: stage.with(boss)
        )
        actions += page.entries.map(\.action)
        token = page.nextPageToken
      } while !token.isEmpty
      // Newest first. Each page that is read is recorded, on none of the pages that follow it.
      #expect(
        actions == [
          "session.list", "user.get", "session.begin", "session.begin", "user.sign_up",
        ]
      )
      #expect(try await stage.audited("audit.list").count == 3)
      // Oldest first, pages by number stay as they are whatever is recorded.
      for (number, expected) in [
        (1, ["user.sign_up", "session.begin"]), (2, ["session.begin", "user.get"]),
      ] {
        let page = try await operators.listUserAudit(
          .init(userId: id, pageSize: 2, page: UInt32(number), sortBy: "recordedAt"),
          options: stage.with(boss)
        )
        #expect(page.entries.map(\.action) == expected)
      }
      let others = try await operators.listUserAudit(
        .init(userId: id, pageSize: 2),
        options: stage.with(boss)
      ).nextPageToken
      let borrowed = await outcome {
        _ = try await operators.listUserAudit(
          .init(userId: boss.user?.id ?? "", pageToken: others),
          options: stage.with(boss)
        )
      }
      #expect(borrowed == "INVALID_ARGUMENT PAGE_TOKEN_INVALID")
      for unknown in ["usr_unknown", id + "x"] {
        let outcomes = [
          await outcome {
            _ = try await operators.getUser(.init(userId: unknown), options: stage.with(boss))
          },
          await outcome {
            _ = try await operators.listUserSessions(
              .init(userId: unknown),
              options: stage.with(boss)
            )
          },
          await outcome {
            _ = try await operators.listUserAudit(.init(userId: unknown), options: stage.with(boss))
          },
        ]
        #expect(outcomes.allSatisfy { $0 == "NOT_FOUND USER_NOT_FOUND" }, "\(outcomes)")
      }
    }
  }
}

extension AuthStage {
  var operators: Auth_V1.OperatorsClient { .init(channel) }

  /// What the audit log has of actions that begin with a text, oldest first: `action detail`.
  fileprivate func details(_ prefix: String) async throws -> [String] {
    try await service.core.database.read { tx in
      try tx.query("SELECT action, detail FROM audit_log ORDER BY sequence") {
        "\($0.text(0)) \($0.text(1))"
      }
    }.filter { $0.hasPrefix(prefix) }
  }
}
