import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Moving accounts in from another system")
struct ImportTests {
  private static let hash = ForeignVectors.all[2].text

  private func run(
    on ground: AuthStage.Ground? = nil,
    _ body: (AuthStage, _ boss: Auth_V1.SignInResponse) async throws -> Void
  ) async throws {
    try await AuthStage.run(on: ground) { stage in
      let boss = try await stage.signUp("boss@example.org")
      stage.peers.change { $0.operators = [boss.user?.id ?? ""] }
      _ = try await stage.takeMails()
      try await body(stage, boss)
    }
  }

  private func row(
    _ number: Int,
    sourceID: String? = nil,
    email: String? = nil,
    name: String? = nil,
    first: String = "",
    last: String = "",
    language: String = "",
    hash: String = ImportTests.hash,
    created: Int64? = nil,
    isVerified: Bool = false,
    isDisabled: Bool = false
  ) -> Auth_V1.ImportRow {
    Auth_V1.ImportRow(
      sourceId: sourceID ?? "\(number)",
      email: email ?? "user\(number)@example.org",
      emailVerified: isVerified,
      displayName: name ?? "User \(number)",
      firstName: first,
      lastName: last,
      language: language,
      passwordHash: hash,
      createdAt: created.map { .init(milliseconds: $0) },
      disabled: isDisabled
    )
  }

  private func request(
    _ rows: [Auth_V1.ImportRow],
    at position: UInt64 = 0,
    isDryRun: Bool = false,
    vouches: Bool = false
  ) -> Auth_V1.ImportUsersRequest {
    .init(
      source: "shop",
      run: "file-1",
      position: position,
      rows: rows,
      dryRun: isDryRun,
      vouchForAddresses: vouches
    )
  }

  /// Sends batches on one stream, each when the one before was answered.
  private func send(
    _ requests: [Auth_V1.ImportUsersRequest],
    by boss: Auth_V1.SignInResponse,
    _ stage: AuthStage
  ) async throws -> [Auth_V1.ImportUsersResponse] {
    try await stage.imports.importUsers(options: stage.with(boss)) { writer, responses in
      var answers = responses.makeAsyncIterator()
      var received: [Auth_V1.ImportUsersResponse] = []
      for request in requests {
        try await writer.write(request)
        received.append(try #require(try await answers.next()))
      }
      try await writer.finish()
      return received
    }
  }

  private func outcomes(_ response: Auth_V1.ImportUsersResponse?) -> [Auth_V1.ImportOutcome] {
    response?.results.map(\.outcome) ?? []
  }

  private func userCount(_ stage: AuthStage) async throws -> Int64 {
    let count = try await stage.service.core.database.read { tx in
      try tx.first("SELECT count(*) FROM account") { $0.integer(0) }
    }
    return try #require(count)
  }

  @Test("Rows become accounts with their passwords, states and ages, and nobody is sent a mail")
  func import_rows_areAccounts() async throws {
    try await run { stage, boss in
      let rows = [
        row(1, language: "de-AT", created: 1_500_000_000_000, isVerified: true),
        row(2, isDisabled: true), row(3, name: "", hash: "", isVerified: true),
      ]
      let answers = try await send([request(rows, vouches: true)], by: boss, stage)
      #expect(outcomes(answers.first) == [.created, .created, .created])
      #expect(answers.first?.nextPosition == 3)
      let ids = answers.first?.results.map(\.userId) ?? []

      let first = try await stage.signIn("user1@example.org", password: ForeignVectors.password)
      #expect(first.user?.id == ids[0] && first.user?.emailVerified == true)
      #expect(first.user?.createdAt == .init(milliseconds: 1_500_000_000_000))
      #expect(first.user?.language == "de-AT" && first.user?.displayName == "User 1")
      _ = try await stage.takeMails()
      let disabled = await outcome {
        _ = try await stage.signIn("user2@example.org", password: ForeignVectors.password)
      }
      #expect(disabled == "UNAUTHENTICATED INVALID_CREDENTIALS")
      let account = try await Auth_V1.OperatorsClient(stage.channel).getUser(
        .init(userId: ids[1]),
        options: stage.with(boss)
      )
      #expect(account.state == .disabled && account.disabledReason == "was disabled at shop")
      // Without a password there is a way to get one.
      for password in ["", "guess guess"] {
        let guessed = await outcome {
          _ = try await stage.signIn("user3@example.org", password: password)
        }
        #expect(guessed != "OK")
      }
      #expect(try await stage.takeMails().isEmpty)
      _ = try await stage.accounts.requestPasswordReset(.init(email: "user3@example.org"))
      let token = try await stage.takeToken("reset-password", to: "user3@example.org")
      _ = try await stage.accounts.resetPassword(
        .init(token: token, newPassword: AuthStage.password)
      )
      #expect(try await stage.signIn("user3@example.org").user?.displayName == "user3")
      #expect(try await stage.audited("user.import") == ids.map { "user.import \($0)" })
      #expect(try await stage.audited("import.batch") == ["import.batch shop"])
      #expect(stage.metric(#"gatehouse_auth_imported_rows_total{outcome="created"}"#) == 3)
    }
  }

  @Test("Nobody's word but the operator's makes an address verified")
  func import_withoutVouching_leavesAddressesUnverified() async throws {
    try await run { stage, boss in
      _ = try await send([request([row(1, isVerified: true)])], by: boss, stage)
      let user = try await stage.signIn("user1@example.org", password: ForeignVectors.password).user
      #expect(user?.emailVerified == false)
    }
  }

  @Test("Each bad row is told for what it is, and the good ones around it are imported")
  func import_badRows_areRefusedAlone() async throws {
    try await run { stage, boss in
      let long = String(repeating: "x", count: 201)
      let bad: [(Auth_V1.ImportOutcome, Auth_V1.ImportRow)] = [
        (.sourceIdInvalid, row(10, sourceID: "")),
        (.sourceIdInvalid, row(11, sourceID: String(repeating: "1", count: 129))),
        (.sourceIdInvalid, row(12, sourceID: "a\nb")), (.emailInvalid, row(13, email: "")),
        (.emailInvalid, row(14, email: "ada@example.org\r\nBcc: eve@example.org")),
        (.emailInvalid, row(15, email: "\(long)@example.org")),
        (.emailTaken, row(16, email: "BOSS@example.org")),
        (.emailTaken, row(17, email: "user1@example.org")), (.nameInvalid, row(18, name: long)),
        (.nameInvalid, row(19, first: "a\u{202E}b")), (.nameInvalid, row(20, last: "a\u{200B}b")),
        (.languageInvalid, row(21, language: "de_AT")),
        (.languageInvalid, row(22, language: "abcdefghijklmnopq")),
        (.hashUnknown, row(23, hash: "secret")),
        (.hashUnknown, row(24, hash: "$1$salt$qJH7.N4xYta3aEG/dfqo/0")),
        (.hashTooCostly, row(25, hash: "$2y$31$" + String(repeating: "a", count: 53))),
        (.createdAtInvalid, row(26, created: -1)),
        (.createdAtInvalid, row(27, created: stage.clock.now + 60_000)),
      ]
      var rows = [row(1)]
      rows += bad.map(\.1)
      rows.append(row(2))
      let answer = try #require(try await send([request(rows)], by: boss, stage).first)
      #expect(outcomes(answer) == [.created] + bad.map(\.0) + [.created])
      #expect(answer.results.filter { $0.userId.isEmpty }.count == bad.count)
      #expect(try await userCount(stage) == 3)
      let progress = try await stage.imports.getImport(
        .init(source: "shop", run: "file-1"),
        options: stage.with(boss)
      )
      #expect(progress.nextPosition == UInt64(rows.count))
      #expect(progress.created == 2 && progress.refused == UInt64(bad.count))
    }
  }

  @Test("Nobody who was deleted comes back with a list that is older than that")
  func import_erased_isRefused() async throws {
    try await run { stage, boss in
      let core = stage.service.core
      try await core.database.write { tx in
        try core.secrets.tombstones.insert(.address("user1@example.org"), in: tx)
      }
      let rows = [row(1, email: "User1@Example.org"), row(2)]
      for isDryRun in [true, false] {
        let answer = try await send([request(rows, isDryRun: isDryRun)], by: boss, stage).first
        #expect(outcomes(answer) == [.erased, .created])
      }
    }
  }

  @Test("Nobody who was imported and deleted comes back under another address")
  func import_erasedSourceID_isRefused() async throws {
    var ground = try AuthStage.Ground()
    ground.settings.deletion.grace = 0
    try await run(on: ground) { stage, boss in
      _ = try await send([request([row(1), row(2)])], by: boss, stage)
      let core = stage.service.core
      let (deletions, now) = (stage.service.deletions, stage.clock.now)
      try await core.store.writeOwn { tx in
        let user = try UserTable.holder(of: EmailAddress("user1@example.org"), in: tx)
        if let user { _ = try deletions.begin(of: user, now: now, in: tx) }
      }
      await stage.service.deletions.workOff()
      let rows = [row(1, email: "former@example.org"), row(3)]
      let answer = try await send([request(rows)], by: boss, stage).first
      #expect(outcomes(answer) == [.erased, .created])
      // Another source's names are its own.
      var foreign = request([row(1, email: "other@example.org")])
      foreign.source = "forum"
      #expect(outcomes(try await send([foreign], by: boss, stage).first) == [.created])
    }
  }

  @Test("The same rows again change nothing, whichever run; others under their names are refused")
  func import_repeated_changesNothing() async throws {
    try await run { stage, boss in
      let rows = [row(1), row(2)]
      let first = try #require(try await send([request(rows)], by: boss, stage).first)
      var other = request(rows)
      other.run = "file-2"
      for again in [request(rows), other] {
        let answer = try #require(try await send([again], by: boss, stage).first)
        #expect(outcomes(answer) == [.unchanged, .unchanged])
        #expect(answer.results.map(\.userId) == first.results.map(\.userId))
        #expect(answer.nextPosition == 2)
      }
      let changed = request([row(1, name: "Other"), row(2, hash: "")])
      let refused = try #require(try await send([changed], by: boss, stage).first)
      #expect(outcomes(refused) == [.contentDiffers, .contentDiffers])
      #expect(refused.results.map(\.userId) == first.results.map(\.userId))
      // Another source's names are its own.
      var foreign = request([row(1, email: "other@example.org")])
      foreign.source = "forum"
      #expect(outcomes(try await send([foreign], by: boss, stage).first) == [.created])
      #expect(try await userCount(stage) == 4)
    }
  }

  @Test("A dry run says what an import would do, and does nothing")
  func dryRun_rows_areReportedOnly() async throws {
    try await run { stage, boss in
      let rows = [row(1), row(2, email: "user1@example.org"), row(3, email: "x")]
      let dry = try #require(
        try await send([request(rows, isDryRun: true)], by: boss, stage).first
      )
      #expect(outcomes(dry) == [.created, .emailTaken, .emailInvalid])
      #expect(dry.results.allSatisfy { $0.userId.isEmpty } && dry.nextPosition == 0)
      #expect(try await userCount(stage) == 1)
      #expect(try await stage.audited("user.import") == [])
      #expect(try await stage.audited("import.") == ["import.rehearse shop"])
      // Anywhere in the file, too.
      _ = try await send([request([row(9)], at: 70, isDryRun: true)], by: boss, stage)
      #expect(outcomes(try await send([request(rows)], by: boss, stage).first) == outcomes(dry))
    }
  }

  @Test("A run goes on where it was after a restart, and leaves nothing out")
  func import_interrupted_goesOn() async throws {
    let ground = try AuthStage.Ground()
    var bossAnswer: Auth_V1.SignInResponse?
    try await run(on: ground) { stage, boss in
      bossAnswer = boss
      let answers = try await send(
        [request([row(1), row(2)]), request([row(3)], at: 2)],
        by: boss,
        stage
      )
      #expect(answers.map(\.nextPosition) == [2, 3] && answers.map(\.position) == [0, 2])
      let gap = await outcome { _ = try await send([request([row(5)], at: 4)], by: boss, stage) }
      #expect(gap == "FAILED_PRECONDITION IMPORT_OUT_OF_ORDER")
    }
    let boss = try #require(bossAnswer)
    try await AuthStage.run(on: ground) { stage in
      let progress = try await stage.imports.getImport(
        .init(source: "shop", run: "file-1"),
        options: stage.with(boss)
      )
      #expect(progress.nextPosition == 3 && progress.created == 3)
      // The answer to the last batch was lost, say.
      let answers = try await send([request([row(3), row(4)], at: 2)], by: boss, stage)
      #expect(outcomes(answers.first) == [.unchanged, .created])
      #expect(answers.first?.nextPosition == 4)
      let unknown = try await stage.imports.getImport(
        .init(source: "shop", run: "file-2"),
        options: stage.with(boss)
      )
      #expect(unknown == .init())
    }
  }

  @Test("Only operators import, with a recent sign-in, and not a row more once they are none")
  func import_byOthers_isRefused() async throws {
    try await run { stage, boss in
      let ada = try await stage.signUp()
      let byOther = await outcome { _ = try await send([request([row(1)])], by: ada, stage) }
      #expect(byOther == "PERMISSION_DENIED CALLER_NOT_ALLOWED")

      let dismissed = await outcome {
        try await stage.imports.importUsers(options: stage.with(boss)) { writer, responses in
          var answers = responses.makeAsyncIterator()
          try await writer.write(request([row(1)]))
          #expect(outcomes(try await answers.next()) == [.created])
          stage.peers.change { $0.operators = [] }
          try await writer.write(request([row(2)], at: 1))
          _ = try await answers.next()
        }
      }
      #expect(dismissed == "PERMISSION_DENIED CALLER_NOT_ALLOWED")
      stage.peers.change { $0.operators = [boss.user?.id ?? ""] }

      let signedOut = await outcome {
        try await stage.imports.importUsers(options: stage.with(boss)) { writer, responses in
          var answers = responses.makeAsyncIterator()
          try await writer.write(request([row(2)], at: 1))
          #expect(outcomes(try await answers.next()) == [.created])
          let again = try await stage.signIn("boss@example.org")
          _ = try await stage.sessions.revokeOthers(.init(), options: stage.with(again))
          do {
            try await writer.write(request([row(3)], at: 2))
          } catch {
            // The call has ended already; the next answer says why.
          }
          _ = try await answers.next()
        }
      }
      #expect(signedOut.hasPrefix("UNAUTHENTICATED"), "\(signedOut)")
      #expect(try await userCount(stage) == 4)

      let fresh = try await stage.signIn("boss@example.org")
      stage.clock.advance(5 * 60_000 + 1)
      let stale = await outcome { _ = try await send([request([row(3)], at: 2)], by: fresh, stage) }
      #expect(stale == "UNAUTHENTICATED STEP_UP_REQUIRED")
    }
  }

  @Test("A batch of 500 rows is taken, and one of more is refused as a whole")
  func import_largeBatch_hasALimit() async throws {
    try await run { stage, boss in
      let rows = (1...501).map { number in row(number) }
      let whole = try await send([request(Array(rows.prefix(500)))], by: boss, stage)
      #expect(outcomes(whole.first) == [Auth_V1.ImportOutcome](repeating: .created, count: 500))
      let tooMany = await outcome { _ = try await send([request(rows, at: 500)], by: boss, stage) }
      #expect(tooMany.hasPrefix("INVALID_ARGUMENT"), "\(tooMany)")
      #expect(try await userCount(stage) == 501)
    }
  }
}

extension AuthStage {
  fileprivate var imports: Auth_V1.ImportsClient { .init(channel) }
}
