import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Signing up and in")
struct SignInTests {
  @Test("Who signs up is signed in, and what other services know is in the answer")
  func signUp_new_isSignedInWithContext() async throws {
    try await AuthStage.run { stage in
      let up = try await stage.signUp("Ada@Example.org")
      #expect(up.token == up.tokens?.accessToken)
      let user = try #require(up.user)
      #expect(user.email == "Ada@Example.org")
      #expect(user.displayName == "Ada")
      #expect(user.roleAssociations.isEmpty)
      for number in 1...5 { stage.peers.give(user.id, "owner", on: "prt_\(number)", "portfolio") }
      stage.peers.change { $0.features[user.id] = ["compliancePack"] }
      let back = try #require(try await stage.signIn("ada@example.ORG").user)
      #expect(back.id == user.id)
      #expect(back.roleAssociations.map(\.entityId) == (1...5).map { "prt_\($0)" })
      #expect(back.defaultPortfolioId == "prt_1")
      #expect(back.defaultUnitId == "")
      #expect(back.hasCompliancePack)
      #expect(back.plan == "free")
      #expect(back.missingContext.isEmpty)
      let me = try await stage.users.getMe(.init(), options: stage.with(up))
      #expect(me == back)
    }
  }

  @Test("roleAssociations has the roles in force that applications know, and roles has all")
  func roles_thatApplicationsKnow_areApart() async throws {
    try await AuthStage.run { stage in
      let up = try await stage.signUp()
      let id = try #require(up.user?.id)
      let now = stage.clock.now
      let hours = Tenancy_V1.RecurringWindow(from: "08:00", until: "17:00", timeZone: "UTC")
      func role(
        _ name: String,
        _ change: (inout Tenancy_V1.RoleAssociation) -> Void = { _ in }
      ) -> Tenancy_V1.RoleAssociation {
        var role = Tenancy_V1.RoleAssociation(
          id: "asc_\(name)",
          userId: id,
          entityType: "unit",
          entityId: "unt_\(name)",
          role: "tenant",
          displayName: "Ada",
          inApp: true
        )
        change(&role)
        return role
      }
      let all = [
        role("known"), role("foreign") { $0.inApp = false },
        role("later") { $0.validFrom = .init(milliseconds: now + 60_000) },
        role("ended") { $0.validUntil = .init(milliseconds: now) },
        role("closed") { $0.recurring = hours },
        role("open") {
          $0.recurring = hours
          $0.recurringOpen = true
        },
      ]
      stage.peers.change { $0.associations[id] = all }
      let seen = [
        try #require(try await stage.signIn().user),
        try await stage.users.getMe(.init(), options: stage.with(up)),
        try await stage.users.updateProfile(.init(firstName: "Ada"), options: stage.with(up)),
      ]
      for user in seen {
        #expect(user.roleAssociations.map(\.id) == ["asc_known", "asc_open"])
        #expect(user.roles == all)
        #expect(user.uid == id && user.isEmailVerified == user.emailVerified)
      }
    }
  }

  @Test(
    "The plans are those of the subscribers that the policy names, whatever their types are called"
  )
  func plans_areThoseOfSubscribers() async throws {
    try await AuthStage.run { stage in
      let up = try await stage.signUp()
      let id = try #require(up.user?.id)
      func role(_ type: String, _ entity: String, _ kind: String) -> Tenancy_V1.RoleAssociation {
        .init(
          id: "asc_\(entity)",
          userId: id,
          entityType: type,
          entityId: entity,
          role: "member",
          holdsFeaturesAs: kind
        )
      }
      let all = [
        role("club", "clb_1", "organization"), role("organization", "org_1", ""),
        role("household", "hsh_1", "family"), role("club", "clb_1", "organization"),
        role("estate", "est_1", "portfolio"),
      ]
      stage.peers.change { $0.associations[id] = all }
      let plans = try await stage.users.getMe(.init(), options: stage.with(up)).plans
      let subjects = plans.compactMap(\.subject)
      #expect(subjects.map(\.kind) == [.organization, .family, .portfolio])
      #expect(subjects.map(\.id) == ["clb_1", "hsh_1", "est_1"])
    }
  }

  @Test("A first or last name stands in for the display name; one of the three is needed")
  func signUp_withoutDisplayName_isNamed() async throws {
    try await AuthStage.run { stage in
      func name(_ display: String, _ first: String, _ last: String) async throws -> String? {
        try await stage.authentication.signUp(
          .init(
            email: "x\(display)\(first.prefix(9))\(last.prefix(9))@example.org",
            password: AuthStage.password,
            displayName: display,
            firstName: first,
            lastName: last
          )
        ).user?.displayName
      }
      #expect(try await name("", "Ada", "Lovelace") == "Ada Lovelace")
      #expect(try await name("", "", "Byron") == "Byron")
      #expect(try await name("Countess", "Ada", "King") == "Countess")
      let long = try await name("", String(repeating: "a", count: 200), "B")
      #expect(long == String(repeating: "a", count: 200))
      let none = await outcome { _ = try await name("", "", "") }
      #expect(none == "INVALID_ARGUMENT NAME_REQUIRED")
    }
  }

  @Test("The Compliance Pack is a feature, whichever product or tier unlocks it")
  func hasCompliancePack_followsTheFeature() async throws {
    try await AuthStage.run { stage in
      let up = try await stage.signUp()
      let id = try #require(up.user?.id)
      func hasPack() async throws -> Bool {
        try await stage.users.getMe(.init(), options: stage.with(up)).hasCompliancePack
      }
      // Bought, and taken out of the catalogue since.
      stage.peers.change { $0.products[id] = ["com.unifiedsmarthome.compliancepack1"] }
      #expect(try await !hasPack())
      stage.peers.change { $0.features[id] = ["analytics"] }
      #expect(try await !hasPack())
      stage.peers.change { state in
        state.products[id] = ["another.product"]
        state.features[id] = ["compliancePack"]
      }
      #expect(try await hasPack())
    }
  }

  @Test("A second account with the same address is refused, whatever its case")
  func signUp_takenAddress_isRefused() async throws {
    try await AuthStage.run { stage in
      _ = try await stage.signUp()
      let again = await outcome { _ = try await stage.signUp("ADA@example.org") }
      #expect(again == "ALREADY_EXISTS EMAIL_TAKEN")
    }
  }

  @Test("Weak passwords are refused with the field that is wrong")
  func signUp_weakPassword_isRefused() async throws {
    try await AuthStage.run { stage in
      let common = await outcome { _ = try await stage.signUp(password: "Password1") }
      #expect(common == "INVALID_ARGUMENT PASSWORD_COMMON")
      let own = await outcome {
        _ = try await stage.signUp("margarethe@example.org", password: "margarethe")
      }
      #expect(own == "INVALID_ARGUMENT PASSWORD_PART_OF_EMAIL")
      let short = await outcome { _ = try await stage.signUp(password: "1234567") }
      #expect(short.hasPrefix("INVALID_ARGUMENT"))
      #expect(stage.metric("gatehouse_auth_password_hash_seconds_count") == 0)
    }
  }

  @Test(
    "Wrong password, unknown address, a locked account and a disabled one: same answer, same work"
  )
  func signIn_everyFailure_looksTheSame() async throws {
    try await AuthStage.run { stage in
      _ = try await stage.signUp()
      _ = try await stage.signUp("eve@example.org")
      for _ in 0..<5 {
        _ = await outcome { _ = try await stage.signIn("eve@example.org", password: "guess") }
      }
      let out = try await stage.signUp("out@example.org")
      try await stage.service.core.database.write { tx in
        try DisablementTable.insert(
          .init(userID: out.user?.id ?? "", reason: "left", actor: "user:usr_1", since: 0),
          in: tx
        )
      }
      struct Work: Equatable {
        var answer: String
        var message: String
        var hashes, writes, reads: Int
      }
      func work(_ email: String, _ password: String) async -> Work {
        func counts() -> [Int] {
          [
            stage.metric("gatehouse_auth_password_hash_seconds_count"),
            stage.metric(#"gatehouse_service_store_transactions_total{kind="write"}"#),
            stage.metric(#"gatehouse_service_store_transactions_total{kind="read"}"#),
          ]
        }
        let before = counts()
        var message = ""
        let answer = await outcome {
          do {
            _ = try await stage.signIn(email, password: password)
          } catch let error as RPCError {
            message = error.message
            throw error
          }
        }
        let after = counts()
        return Work(
          answer: answer,
          message: message,
          hashes: after[0] - before[0],
          writes: after[1] - before[1],
          reads: after[2] - before[2]
        )
      }
      let wrong = await work("ada@example.org", "not the password")
      #expect(wrong.answer == "UNAUTHENTICATED INVALID_CREDENTIALS")
      #expect(wrong.hashes == 1)
      #expect(wrong.writes == 1)
      #expect(wrong.reads == 0)
      #expect(await work("nobody@example.org", "not the password") == wrong)
      #expect(await work("eve@example.org", AuthStage.password) == wrong)
      #expect(await work("eve@example.org", "guess") == wrong)
      #expect(await work("not an address", "x") == wrong)
      #expect(await work("out@example.org", AuthStage.password) == wrong)
      #expect(await work("out@example.org", "not the password") == wrong)
    }
  }

  @Test("After five failures the right password waits too, and then works")
  func signIn_locked_opensByItself() async throws {
    try await AuthStage.run { stage in
      _ = try await stage.signUp()
      for _ in 0..<5 {
        _ = await outcome { _ = try await stage.signIn(password: "guess guess") }
      }
      let early = await outcome { _ = try await stage.signIn() }
      #expect(early == "UNAUTHENTICATED INVALID_CREDENTIALS")
      stage.clock.advance(1000)
      _ = try await stage.signIn()
      // A success forgets the failures.
      for _ in 0..<4 {
        _ = await outcome { _ = try await stage.signIn(password: "guess guess") }
      }
      _ = try await stage.signIn()
    }
  }

  @Test("Guesses that come all at once are counted before they are checked")
  func signIn_manyAtOnce_onlySomeAreChecked() async throws {
    try await AuthStage.run { stage in
      _ = try await stage.signUp()
      // In rounds, because no more than four of one account are let in at a time.
      for round in 0..<3 {
        await withTaskGroup(of: Void.self) { group in
          for number in 0..<20 {
            group.addTask {
              _ = await outcome {
                _ = try await stage.signIn(password: "guess \(round) \(number)")
              }
            }
          }
        }
      }
      let counted = try await stage.service.core.database.read { tx in
        try tx.first("SELECT failures FROM attempt") { $0.integer(0) }
      }
      // The fifth makes the clock's wait begin, and the clock stands still.
      #expect(counted == 5)
      let right = await outcome { _ = try await stage.signIn() }
      #expect(right == "UNAUTHENTICATED INVALID_CREDENTIALS")
    }
  }

  @Test("When a part of the context is down, sign-in says so instead of answering without roles")
  func signIn_peerDown_isUnavailableOrNamed() async throws {
    try await AuthStage.run { stage in
      let up = try await stage.signUp()
      stage.peers.change { $0.isTenancyDown = true }
      let refused = await outcome { _ = try await stage.signIn() }
      #expect(refused == "UNAVAILABLE CONTEXT_UNAVAILABLE")
      let partial = try await stage.authentication.signIn(
        .init(
          email: "ada@example.org",
          password: AuthStage.password,
          allowPartialContext: true
        )
      )
      #expect(partial.user?.missingContext == ["role_associations"])
      stage.peers.change { state in
        state.isTenancyDown = false
        state.isEntitlementDown = true
      }
      let me = await outcome { _ = try await stage.users.getMe(.init(), options: stage.with(up)) }
      #expect(me == "UNAVAILABLE CONTEXT_UNAVAILABLE")
      let some = try await stage.users.getMe(
        .init(allowPartialContext: true),
        options: stage.with(up)
      )
      #expect(some.missingContext == ["entitlements"])
      // Nobody is made who could not be answered for, and nobody is locked out by it.
      let new = await outcome { _ = try await stage.signUp("new@example.org") }
      #expect(new == "UNAVAILABLE CONTEXT_UNAVAILABLE")
      for _ in 0..<6 { _ = await outcome { _ = try await stage.signIn() } }
      stage.peers.change { $0.isEntitlementDown = false }
      _ = try await stage.signUp("new@example.org")
      _ = try await stage.signIn()
    }
  }

  @Test("A sign-in makes the password record anew when the cost has risen")
  func signIn_oldRecord_isRenewed() async throws {
    var ground = try AuthStage.Ground()
    func record(_ stage: AuthStage) async throws -> String? {
      try await stage.service.core.database.read { tx in
        try tx.first("SELECT password FROM credential") { $0.text(0) }
      }
    }
    let old = try await AuthStage.run(on: ground) { stage in
      _ = try await stage.signUp()
      return try await record(stage)
    }
    ground.settings.passwordCost = PasswordCost(memory: 16, passes: 1)
    let new = try await AuthStage.run(on: ground) { stage in
      _ = try await stage.signIn()
      _ = try await stage.signIn()
      return try await record(stage)
    }
    #expect(old?.contains("m=8,") == true)
    #expect(new?.contains("m=16,") == true)
  }

  @Test("More sign-ins than the threads can take are refused before the store is asked")
  func signIn_poolFull_isShed() async throws {
    try await AuthStage.run { stage in
      let places = HeldPlaces(of: stage.service.core.pool, .ordinary)
      let refused = await outcome { _ = try await stage.signIn() }
      #expect(refused == "RESOURCE_EXHAUSTED TOO_MANY_SIGN_INS")
      #expect(stage.metric(#"gatehouse_service_store_transactions_total{kind="write"}"#) == 0)
      #expect(stage.metric(#"gatehouse_auth_password_hashes_shed_total{lane="ordinary"}"#) >= 1)
      places.free()
      _ = try await stage.signUp()
    }
  }

  @Test(
    "No secret gets into a log line or lies readable in the store",
    .disabled(if: TestServer.isUsed, "reads all tables by SQLite's functions")
  )
  func secrets_everywhere_areHidden() async throws {
    try await AuthStage.run { stage in
      let password = "canary-password-7f3a"
      let up = try await stage.signUp("ada@example.org", password: password)
      let tokens = try #require(up.tokens)
      let next = try await stage.authentication.refresh(.init(refreshToken: tokens.refreshToken))
      _ = await outcome { _ = try await stage.signIn(password: "canary-wrong-91bd") }
      stage.clock.advance(60_000)
      _ = await outcome {
        _ = try await stage.authentication.refresh(.init(refreshToken: tokens.refreshToken))
      }
      _ = await outcome {
        _ = try await stage.users.getMe(
          .init(),
          options: .init(metadata: ["authorization": "Bearer \(tokens.accessToken)x"])
        )
      }
      let canaries = [
        password, "canary-wrong-91bd", tokens.refreshToken, tokens.accessToken, next.refreshToken,
        next.accessToken,
      ]
      #expect(stage.sink.lines.contains { $0.contains("used refresh token") })
      for line in stage.sink.lines {
        for canary in canaries { #expect(!line.contains(canary)) }
      }
      let stored = try await stage.service.core.database.read { tx in
        try tx.query("SELECT password FROM credential") { $0.text(0) }
          + tx.query("SELECT detail || object || action FROM audit_log") { $0.text(0) }
          + tx.query("SELECT hex(sealed) FROM signing_key") { $0.text(0) }
      }
      for canary in canaries { #expect(!stored.contains { $0.contains(canary) }) }
    }
  }
}
