import PeerContracts
import AuthContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import AuthService

@Suite("The outbox of mails")
struct OutboxTests {
  /// Runs `body` with a user whose own mail was taken already.
  private func run(
    _ transport: any MailTransport,
    attemptCountMax: Int64 = 12,
    queueCountMax: Int = 1000,
    _ body: (OutboxStage, String) async throws -> Void
  ) async throws {
    try await AuthStage.run { stage in
      let user = try #require(try await stage.signUp().user?.id)
      _ = try await stage.takeMails()
      try await stage.service.core.store.writeOwn { tx in
        try tx.execute("DELETE FROM mail")
      }
      let box = try OutboxStage(
        stage,
        transport,
        attemptCountMax: attemptCountMax,
        queueCountMax: queueCountMax
      )
      try await body(box, user)
    }
  }

  @Test("A mail is queued with the write that causes it, or neither is")
  func queue_rolledBackWrite_leavesNoMail() async throws {
    struct Stop: Error {}
    let transport = ScriptedTransport(.sent)
    try await run(transport) { box, user in
      let outbox = box.outbox
      await #expect(throws: Stop.self) {
        try await box.core.store.writeOwn { tx in
          let order = MailOrder(.passwordChanged, to: .address("ada@example.org"), userID: user)
          try outbox.queue(order, in: tx)
          throw Stop()
        }
      }
      await box.drain()
      let rows = try await box.rows()
      #expect(rows == [])
      #expect(transport.mails == [])
    }
  }

  @Test("Many mails are handed over in parts at the same time, and each outcome is of its mail")
  func drain_inParts_areAtTheSameTime() async throws {
    let transport = PartedTransport()
    try await run(transport) { box, user in
      for number in 0..<20 { try await box.queue("ada\(number)@example.org", of: user) }
      await box.drain()
      #expect(transport.parts.withLock { $0.sorted() } == [6, 7, 7])
      let errors = try await box.core.database.read { tx in
        try MailTable.page(nil, to: "", after: nil, limit: 1000, in: tx).map { ($0.id, $0.error) }
      }
      let refused = Dictionary(uniqueKeysWithValues: errors.filter { !$0.1.isEmpty })
      #expect(refused.count == 7)
      #expect(refused == transport.refused.withLock { $0 })
      // Two are too few for a second connection.
      try await box.queue(of: user)
      try await box.queue(of: user)
      transport.wanted.withLock { $0 = 1 }
      await box.drain()
      #expect(transport.parts.withLock { $0.last } == 2)
    }
  }

  @Test("A mail that was handed over is sent once, and its text is wiped")
  func drain_sent_isOver() async throws {
    let transport = ScriptedTransport(.sent)
    try await run(transport) { box, user in
      for _ in 0..<7 { try await box.queue(of: user) }
      await box.drain()
      await box.drain()
      #expect(transport.mails.count == 7 && Set(transport.mails.map(\.id)).count == 7)
      #expect(try await box.rows() == [String](repeating: "password_changed sent 1 ", count: 7))
      let texts = try await box.core.database.read { tx in
        try tx.query("SELECT DISTINCT length(sealed) FROM mail") { $0.integer(0) }
      }
      #expect(texts == [0])
      #expect(box.metric(#"gatehouse_auth_mail_attempts_total{outcome="sent"}"#) == "7")
      #expect(box.metric("gatehouse_auth_mails_waiting") == "0")
    }
  }

  @Test("What fails is tried again later and later, with the same text, and given up in the end")
  func drain_failing_backsOff() async throws {
    let transport = ScriptedTransport(.failed("not now\r\n"))
    try await run(transport, attemptCountMax: 3) { box, user in
      try await box.queue(of: user)
      await box.drain()
      #expect(try await box.rows() == ["password_changed queued 1 not now  "])
      // Not before its time.
      box.stage.clock.advance(59_999)
      await box.drain()
      #expect(transport.mails.count == 1)
      box.stage.clock.advance(1)
      await box.drain()
      #expect(transport.mails.count == 2)
      box.stage.clock.advance(119_999)
      await box.drain()
      #expect(transport.mails.count == 2)
      box.stage.clock.advance(1)
      await box.drain()
      #expect(Set(transport.mails).count == 1 && transport.mails.count == 3)
      #expect(
        try await box.rows() == ["password_changed dead 3 3 attempts; the last: not now  "]
      )
      #expect(box.metric("gatehouse_auth_mails_dead") == "1")
      #expect(box.stage.sink.lines.contains { $0.contains("a mail was given up") })
    }
    #expect(
      [0, 1, 2, 7, 8, 11, 39].map { MailAttempts.backoff.longest(after: $0) / 60_000 } == [
        1, 2, 4, 128, 240, 240, 240,
      ]
    )
  }

  @Test("What is refused is not tried again, and the others of its batch are sent")
  func drain_refused_isGivenUp() async throws {
    let transport = ScriptedTransport(.sent, .refused("no such user"), .sent)
    try await run(transport) { box, user in
      for _ in 0..<3 { try await box.queue(of: user) }
      await box.drain()
      box.stage.clock.advance(24 * 3_600_000)
      await box.drain()
      #expect(transport.mails.count == 3)
      #expect(
        try await box.rows().sorted() == [
          "password_changed dead 1 no such user", "password_changed sent 1 ",
          "password_changed sent 1 ",
        ]
      )
    }
  }

  @Test(
    "A mail whose sender died is sent again when its lease has ended, under the same Message-ID"
  )
  func drain_afterCrash_sendsTheSameAgain() async throws {
    let transport = ScriptedTransport(.sent)
    try await run(transport) { box, user in
      try await box.queue(of: user)
      // What the store has when the process ends between handing over and saying so.
      let leaseEnd = box.core.clock.now + MailAttempts.lease
      let id = try await box.core.store.writeOwn { tx -> String in
        let mails = try MailTable.due(now: .max, horizon: .max, limit: 10, in: tx)
        let id = mails[0].mail.id
        try MailTable.begin(id, userID: user, leaseEnd: leaseEnd, in: tx)
        return id
      }
      await box.drain()
      #expect(transport.mails == [], "the lease has not ended")
      box.stage.clock.advance(MailAttempts.lease)
      await box.drain()
      #expect(transport.mails.map(\.id) == [id])
      #expect(try await box.rows() == ["password_changed sent 2 "])
    }
  }

  @Test("A program that starts makes the attempts of the one before it again at once")
  func recover_afterCrash_doesNotWaitForLeases() async throws {
    let transport = ScriptedTransport(.sent)
    try await run(transport) { box, user in
      try await box.queue(of: user)
      let leaseEnd = box.core.clock.now + MailAttempts.lease
      try await box.core.store.writeOwn { tx in
        let id = try MailTable.due(now: .max, horizon: .max, limit: 1, in: tx)[0].mail.id
        try MailTable.begin(id, userID: user, leaseEnd: leaseEnd, in: tx)
      }
      await box.outbox.recover(box.core.store)
      await box.drain()
      #expect(transport.mails.count == 1)
      #expect(try await box.rows() == ["password_changed sent 2 "])
    }
  }

  @Test("An attempt whose lease ended says nothing any more")
  func retry_staleAttempt_isIgnored() async throws {
    try await run(ScriptedTransport(.sent)) { box, user in
      try await box.queue(of: user)
      try await box.core.store.writeOwn { tx in
        let id = try MailTable.due(now: .max, horizon: .max, limit: 1, in: tx)[0].mail.id
        for _ in 0..<2 { try MailTable.begin(id, userID: user, leaseEnd: .max, in: tx) }
        try MailTable.retry(id, attempt: 1, due: 0, error: "late", in: tx)
      }
      #expect(try await box.rows() == ["password_changed sending 2 "])
    }
  }

  @Test("A clock that ran ahead does not hold mails back for longer than a pause")
  func drain_queuedInTheFuture_isSent() async throws {
    let transport = ScriptedTransport(.sent)
    try await run(transport) { box, user in
      box.stage.clock.jump(30 * 86_400_000)
      try await box.queue(of: user)
      box.stage.clock.jump(-30 * 86_400_000)
      await box.drain()
      #expect(transport.mails.count == 1)
    }
  }

  @Test("What waited for too long is given up unsent")
  func drain_expired_isGivenUp() async throws {
    let transport = ScriptedTransport(.sent)
    try await run(transport) { box, user in
      try await box.queue(of: user)
      box.stage.clock.advance(Outbox.noticeLifetime)
      await box.drain()
      #expect(transport.mails == [])
      #expect(
        try await box.rows() == ["password_changed dead 0 expired before it could be sent; "]
      )
      #expect(box.metric(#"gatehouse_auth_mail_attempts_total{outcome="expired"}"#) == "1")
    }
  }

  @Test("A full outbox takes no more notices, and refuses what is of no use without a mail")
  func queue_full_refuses() async throws {
    try await run(ScriptedTransport(.failed("down")), queueCountMax: 10) { box, user in
      var taken: [Bool] = []
      for number in 0..<11 {
        taken.append(try await box.queue(of: user, for: .account("usr_\(number)")))
      }
      #expect(taken == [Bool](repeating: true, count: 10) + [false])
      let outbox = box.outbox
      let refusal = await outcome {
        try await box.core.store.writeOwn { tx in
          let order = MailOrder(.passwordChanged, to: .address("ada@example.org"), userID: user)
          try outbox.require(order, expires: .max, in: tx)
        }
      }
      #expect(refusal == "RESOURCE_EXHAUSTED MAIL_QUEUE_FULL")
      #expect(box.metric("gatehouse_auth_mails_shed_total") == "2")
      await box.drain()
      #expect(box.metric("gatehouse_auth_mails_waiting") == "10")
    }
  }

  @Test("Who asks for many mails gets a twentieth of the outbox, and makes room for others")
  func queue_holderOfMany_makesRoom() async throws {
    try await run(ScriptedTransport(.failed("down")), queueCountMax: 60) { box, user in
      func queue(_ count: Int, for holder: PlaceHolder) async throws -> Int {
        var taken = 0
        for _ in 0..<count where try await box.queue(of: user, for: holder) { taken += 1 }
        return taken
      }
      // Twenty inviters fill it, and each of them has a share.
      for number in 0..<20 {
        #expect(try await queue(4, for: .account("inviter \(number)")) == 3)
      }
      // What was counted in memory and what the store says are the same.
      for round in 0..<2 {
        let source = SourceAddress(.ipv4([203, 0, 113, UInt8(round)], port: 0))
        #expect(try await queue(1, for: .source(source)) == 1)
        await box.drain()
        #expect(box.metric("gatehouse_auth_mails_waiting") == "60")
      }
      #expect(box.metric("gatehouse_auth_mails_shed_total") == "22")
      let counts = try await box.core.database.read { tx in
        try MailTable.holdings(in: tx).map(\.count).sorted()
      }
      #expect(counts == [1, 1, 2, 2] + [Int](repeating: 3, count: 18))
      // Callers who cannot be told apart have no share, and take nobody's only mail.
      #expect(try await queue(1, for: .source(nil)) == 1)
    }
  }

  @Test("Neither the text nor the address of a mail can be read in the store")
  func store_mails_areSealed() async throws {
    try await run(ScriptedTransport(.sent)) { box, user in
      try await box.queue("canary@example.net", of: user)
      let sealed = try await box.core.database.read { tx in
        try tx.query("SELECT sealed FROM mail") { String(decoding: $0.blob(0), as: UTF8.self) }
      }
      #expect(sealed.count == 1)
      #expect(!sealed[0].contains("canary") && !sealed[0].contains("password"))
    }
  }

  @Test("Operators see what has become of mails, page by page, and nobody else does")
  func listMails_operators_seeStates() async throws {
    try await run(ScriptedTransport(.refused("no such user"), .sent)) { box, user in
      for _ in 0..<3 {
        box.stage.clock.advance(1)
        try await box.queue(of: user)
      }
      await box.drain()
      box.stage.clock.advance(1)
      try await box.queue(of: user)
      let boss = try await box.stage.signUp("boss@example.org")
      box.stage.peers.change { $0.operators.insert(boss.user?.id ?? "") }
      try await box.core.store.writeOwn { tx in
        try tx.execute("DELETE FROM mail WHERE kind <> 'password_changed'")
      }
      let operators = Auth_V1.OperatorsClient(box.stage.channel)
      var (mails, page): ([Auth_V1.Mail], String) = ([], "")
      repeat {
        let answer = try await operators.listMails(
          .init(pageSize: 3, pageToken: page),
          options: box.stage.with(boss)
        )
        mails += answer.mails
        page = answer.nextPageToken
      } while !page.isEmpty
      #expect(mails.map(\.state) == [.queued, .sent, .sent, .dead])
      #expect(mails.map(\.attempts) == [0, 1, 1, 1])
      #expect(mails.last?.error == "no such user" && mails.last?.userId == user)
      #expect(mails.map { $0.nextAttemptAt == nil } == [false, true, true, true])
      #expect(mails.map { $0.finishedAt == nil } == [true, false, false, false])
      let dead = try await operators.listMails(.init(state: .dead), options: box.stage.with(boss))
      #expect(dead.mails.map(\.id) == [mails[3].id] && dead.nextPageToken.isEmpty)
      let names = [mails.last?.displayName, dead.mails.first?.displayName]
      #expect(names == ["Ada", "Ada"])
      for (asked, expected) in [(user, mails.map(\.id)), (boss.user?.id ?? "", [])] {
        let theirs = try await operators.listMails(
          .init(userId: asked),
          options: box.stage.with(boss)
        )
        #expect(theirs.mails.map(\.id) == expected)
      }
      let other = try await box.stage.signIn()
      let refused = await outcome {
        _ = try await operators.listMails(.init(), options: box.stage.with(other))
      }
      #expect(refused == "PERMISSION_DENIED CALLER_NOT_ALLOWED")
      #expect(try await box.stage.audited("mail.list").count == 5)
      try await ListProbe.check("-createdAt", "created_at") { sortBy, size, page, token in
        let page = try await operators.listMails(
          .init(pageSize: size, pageToken: token, page: page, sortBy: sortBy),
          options: box.stage.with(boss)
        )
        return (page.mails.map(\.id), page.nextPageToken)
      }
    }
  }
}
