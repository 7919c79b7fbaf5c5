import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import AuthService

@Suite("What operators do with accounts")
struct OperatorTests {
  private func run(
    _ body: (AuthStage, _ boss: Auth_V1.SignInResponse) async throws -> Void
  ) async throws {
    try await AuthStage.run { stage in
      let boss = try await stage.signUp("boss@example.org")
      stage.peers.change { $0.operators = [boss.user?.id ?? ""] }
      try await body(stage, boss)
    }
  }

  private func audit(_ stage: AuthStage, _ action: String) async throws -> [String] {
    try await stage.service.core.database.read { tx in
      try tx.query(
        "SELECT actor, object, detail FROM audit_log WHERE action = ? ORDER BY sequence",
        .text(action)
      ) { "\($0.text(0)) \($0.text(1)) \($0.text(2))" }
    }
  }

  private func end(
    _ user: Auth_V1.SignInResponse,
    on stage: AuthStage,
    by boss: Auth_V1.SignInResponse,
    key: String = ""
  ) async throws -> UInt32 {
    try await Auth_V1.OperatorsClient(stage.channel).endSessions(
      .init(userId: user.user?.id ?? "", note: "lost phone", idempotencyKey: key),
      options: stage.with(boss)
    ).revoked
  }

  @Test("All sessions of a user end, and its sign-ins that are under way")
  func endSessions_ofSomebody_endsAll() async throws {
    try await run { stage, boss in
      let (first, other) = (try await stage.signUp(), try await stage.signIn())
      let pool = stage.service.core.pool
      let late = try await pool.whileHeld(threadCount: 2) { release in
        async let late = outcome { _ = try await stage.signIn() }
        #expect(await stage.eventually { pool.waitingCount == 1 })
        let ended = try await end(first, on: stage, by: boss)
        #expect(ended == 2)
        release()
        return await late
      }
      #expect(late == "UNAUTHENTICATED SESSION_ENDED")
      for answer in [first, other] {
        let refused = await outcome {
          _ = try await stage.users.getMe(.init(), options: stage.with(answer))
        }
        #expect(refused == "UNAUTHENTICATED CREDENTIALS_INVALID")
      }
      _ = try await stage.users.getMe(.init(), options: stage.with(boss))
      #expect(try await end(first, on: stage, by: boss) == 0)
      let (bossID, id) = (boss.user?.id ?? "", first.user?.id ?? "")
      #expect(
        try await audit(stage, "session.end_all") == [
          "user:\(bossID) \(id) 2 sessions; lost phone",
          "user:\(bossID) \(id) 0 sessions; lost phone",
        ]
      )
      #expect(stage.metric("gatehouse_auth_sessions_revoked_total") == 2)
    }
  }

  @Test("A repeated request ends nothing that began since")
  func endSessions_repeated_endsNoMore() async throws {
    try await run { stage, boss in
      let first = try await stage.signUp()
      #expect(try await end(first, on: stage, by: boss, key: "k") == 1)
      let second = try await stage.signIn()
      #expect(try await end(first, on: stage, by: boss, key: "k") == 1)
      _ = try await stage.users.getMe(.init(), options: stage.with(second))
    }
  }

  @Test("Only operators may, as TenancyService says now, and nobody when it cannot be asked")
  func calls_ofOthers_areRefused() async throws {
    try await run { stage, boss in
      let ada = try await stage.signUp()
      let operators = Auth_V1.OperatorsClient(stage.channel)
      func outcomes(_ caller: Auth_V1.SignInResponse) async -> [String] {
        [
          await outcome { _ = try await operators.listUsers(.init(), options: stage.with(caller)) },
          await outcome { _ = try await end(ada, on: stage, by: caller) },
        ]
      }
      let refused = [String](repeating: "PERMISSION_DENIED CALLER_NOT_ALLOWED", count: 2)
      #expect(await outcomes(ada) == refused)
      #expect(try await audit(stage, "user.list") == [])
      #expect(try await audit(stage, "session.end_all") == [])
      stage.peers.change { $0.operators = [] }
      #expect(await outcomes(boss) == refused)
      stage.peers.change { $0.isTenancyDown = true }
      #expect(await outcomes(boss).allSatisfy { $0.hasPrefix("UNAVAILABLE") })
      let unknown = await outcome {
        stage.peers.change { state in
          state.isTenancyDown = false
          state.operators = [boss.user?.id ?? ""]
        }
        _ = try await operators.endSessions(
          .init(userId: "usr_unknown"),
          options: stage.with(boss)
        )
      }
      #expect(unknown == "NOT_FOUND USER_NOT_FOUND")
    }
  }

  @Test("Pages are complete, newest first, and go on where they ended whoever comes in between")
  func listUsers_pages_areStable() async throws {
    try await run { stage, boss in
      let names = (0..<25).map { "user\($0)" }
      for name in names { try await insert(name, stage) }
      let operators = Auth_V1.OperatorsClient(stage.channel)
      var (found, page): ([String], String) = ([], "")
      repeat {
        let answer = try await operators.listUsers(
          .init(pageSize: 10, pageToken: page),
          options: stage.with(boss)
        )
        found += answer.users.map(\.displayName)
        page = answer.nextPageToken
        try await insert("late\(found.count)", stage)
      } while !page.isEmpty
      #expect(found == names.reversed() + ["Ada"])
      #expect(try await audit(stage, "user.list").count == 3)
      // Three whose addresses begin with the one that is asked for, which comes first in either order.
      for number in 0..<3 { try await insert("user2@example.net.\(number)", stage) }
      for text in ["", "user2", "user2@example.net"] {
        try await ListProbe.check("-createdAt", "createdAt") { sortBy, size, page, token in
          let answer = try await operators.listUsers(
            .init(text: text, pageSize: size, pageToken: token, page: page, sortBy: sortBy),
            options: stage.with(boss)
          )
          let isFirst = page < 2 && token.isEmpty
          #expect((answer.users.first?.email == text) == (isFirst && text.contains("@")))
          return (answer.users.map(\.email).filter { $0 != text }, answer.nextPageToken)
        }
      }
    }
  }

  /// Makes an account, a moment after the last one.
  private func insert(_ name: String, last: String = "", _ stage: AuthStage) async throws {
    stage.clock.advance(1)
    let core = stage.service.core
    let user = UserRecord(
      id: core.identifiers.make(.user),
      email: "\(name)@example.net",
      isEmailVerified: false,
      displayName: name,
      firstName: "",
      lastName: last,
      defaults: UserDefaults(),
      created: core.clock.now,
      updated: core.clock.now
    )
    try await core.database.write { tx in try UserTable.insert(user, password: "", in: tx) }
  }

  @Test(
    "A text finds addresses and names that begin with it, and nothing else is taken for a pattern"
  )
  func listUsers_text_isAPrefix() async throws {
    try await run { stage, boss in
      for (name, last) in [("Grace", "Hopper"), ("hopscotch", ""), ("Bob", "Ahop"), ("h%p", "")] {
        try await insert(name, last: last, stage)
      }
      func found(_ text: String) async throws -> [String] {
        try await Auth_V1.OperatorsClient(stage.channel).listUsers(
          .init(text: text),
          options: stage.with(boss)
        ).users.map(\.displayName)
      }
      #expect(try await found("hop") == ["hopscotch", "Grace"])
      #expect(try await found("GRACE@EXAMPLE") == ["Grace"])
      #expect(try await found("h%") == ["h%p"])
      #expect(try await found("_") == [])
      #expect(try await audit(stage, "user.list").last?.hasSuffix("0 beginning with \"_\"") == true)
    }
  }

  @Test("A page token is good for its caller and its text alone, and tells nothing")
  func listUsers_pageToken_isSealed() async throws {
    try await run { stage, boss in
      let other = try await stage.signUp()
      stage.peers.change { $0.operators.insert(other.user?.id ?? "") }
      let operators = Auth_V1.OperatorsClient(stage.channel)
      let first = try await operators.listUsers(.init(pageSize: 1), options: stage.with(boss))
      let token = first.nextPageToken
      let bytes = Base64URL.decode(token) ?? []
      #expect(!bytes.isEmpty && !String(decoding: bytes, as: UTF8.self).contains("usr_"))
      for (text, caller) in [("a", boss), ("", other)] {
        let refused = await outcome {
          _ = try await operators.listUsers(
            .init(text: text, pageToken: token),
            options: stage.with(caller)
          )
        }
        #expect(refused == "INVALID_ARGUMENT PAGE_TOKEN_INVALID")
      }
      let madeUp = await outcome {
        _ = try await operators.listUsers(.init(pageToken: "AAAA"), options: stage.with(boss))
      }
      #expect(madeUp == "INVALID_ARGUMENT PAGE_TOKEN_INVALID")
      // No size is the size as before.
      let second = try await operators.listUsers(
        .init(pageToken: token),
        options: stage.with(boss)
      )
      // Accounts of one millisecond have no order.
      let listed = (first.users + second.users).map(\.id)
      #expect(listed.count == 2 && Set(listed) == [boss.user?.id ?? "", other.user?.id ?? ""])
      #expect(second.users.count == 1 && second.nextPageToken.isEmpty)
    }
  }
}
