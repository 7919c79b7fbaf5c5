import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("What operators change in accounts that their users cannot reach")
struct AccountChangeTests {
  private static let hours72: Int64 = 72 * 3_600_000

  /// Two operators and a customer with a verified address and an authenticator app.
  private struct People {
    let first: Auth_V1.SignInResponse
    let second: Auth_V1.SignInResponse
    let ada: Auth_V1.SignInResponse
    var id: String { ada.user?.id ?? "" }
  }

  private func run(_ body: (AuthStage, People) async throws -> Void) async throws {
    try await AuthStage.run { stage in
      let first = try await stage.signUp("first@example.org")
      let second = try await stage.signUp("second@example.org")
      stage.peers.change { $0.operators = [first.user?.id ?? "", second.user?.id ?? ""] }
      _ = try await stage.takeMails()
      let ada = try await stage.signUp()
      try await stage.verifyAddress(of: ada)
      try await stage.enroll(ada)
      _ = try await stage.takeMails()
      try await body(stage, People(first: first, second: second, ada: ada))
    }
  }

  private func request(
    _ stage: AuthStage,
    _ people: People,
    _ kind: Auth_V1.AccountChangeKind,
    newEmail: String = ""
  ) async throws -> Auth_V1.AccountChange {
    try await Auth_V1.OperatorsClient(stage.channel).requestAccountChange(
      .init(userId: people.id, kind: kind, newEmail: newEmail, reason: "ticket 4711"),
      options: stage.with(people.first)
    )
  }

  private func approve(
    _ stage: AuthStage,
    _ change: Auth_V1.AccountChange,
    by user: Auth_V1.SignInResponse
  ) async throws -> Auth_V1.AccountChange {
    try await Auth_V1.OperatorsClient(stage.channel).approveAccountChange(
      .init(changeId: change.id),
      options: stage.with(user)
    )
  }

  private func isAlive(_ stage: AuthStage, _ user: Auth_V1.SignInResponse) async -> Bool {
    await outcome { _ = try await stage.users.getMe(.init(), options: stage.with(user)) } == "OK"
  }

  /// Lets time pass as a service that runs on sees it.
  private func wait(_ stage: AuthStage, _ milliseconds: Int64) async throws {
    stage.clock.advance(milliseconds)
    try await stage.service.maintain()
  }

  private func states(_ stage: AuthStage) async throws -> [AccountChange.State] {
    try await stage.service.core.store.read { tx in
      try AccountChangeTable.page(of: "", after: nil, limit: 10, in: tx).map(\.state)
    }
  }

  @Test(
    "A lost authenticator app goes when a second operator approves, and not by the first one alone"
  )
  func removeTotp_byTwoOperators_isDone() async throws {
    try await run { stage, people in
      let change = try await request(stage, people, .removeTotp)
      #expect(change.state == .waiting && change.dueAt != nil && change.id.hasPrefix("chg_"))
      let mail = try #require(try await stage.takeMails().first)
      #expect(mail.recipient == "<ada@example.org>" && mail.link?.path == "stop-change")
      let alone = await outcome { _ = try await approve(stage, change, by: people.first) }
      #expect(alone == "FAILED_PRECONDITION SECOND_OPERATOR_NEEDED")
      let twice = await outcome { _ = try await request(stage, people, .removeTotp) }
      #expect(twice == "ALREADY_EXISTS ACCOUNT_CHANGE_WAITS")
      #expect(await isAlive(stage, people.ada))
      let done = try await approve(stage, change, by: people.second)
      #expect(done.state == .done && done.approvedBy == people.second.user?.id)
      #expect(await !isAlive(stage, people.ada))
      #expect(try await stage.signIn().tokens != nil)
      let subjects = try await stage.takeMails().compactMap { $0.headers["Subject"] }
      #expect(subjects.contains("Your authenticator app was removed"))
      let again = await outcome { _ = try await approve(stage, change, by: people.second) }
      #expect(again == "FAILED_PRECONDITION ACCOUNT_CHANGE_CLOSED")
      let refused = await outcome {
        _ = try await stage.accounts.refuseAccountChange(.init(token: mail.link?.token ?? ""))
      }
      #expect(refused == "FAILED_PRECONDITION ACCOUNT_CHANGE_CLOSED")
    }
  }

  @Test("An operator is told what is so: no app to remove, and a deletion that has begun")
  func request_withoutObject_saysWhatIsSo() async throws {
    try await run { stage, people in
      let ask = { (kind: Auth_V1.AccountChangeKind) -> RPCError? in
        do {
          _ = try await request(stage, people, kind)
          return nil
        } catch let error as RPCError {
          return error
        }
      }
      let change = try await request(stage, people, .delete)
      _ = try await approve(stage, change, by: people.second)
      let twice = try await ask(.delete)
      #expect(twice?.code == .failedPrecondition && twice?.reason == "DELETION_BEGUN")
      #expect(twice?.message.contains("can still cancel it") == true)
      try await stage.service.core.store.writeOwn { tx in
        try tx.execute("UPDATE deletion SET step = 'blocked'")
        try TotpTable.delete(people.id, in: tx)
      }
      let blocked = try await ask(.delete)
      #expect(blocked?.reason == "DELETION_BEGUN")
      #expect(blocked?.message.contains("give them to another user") == true)
      let missing = try await ask(.removeTotp)
      #expect(missing?.reason == "TOTP_NOT_ENROLLED")
      #expect(missing?.message.contains("enroll") == false)
      try await stage.service.core.store.writeOwn { tx in
        try tx.execute("UPDATE deletion SET step = 'tenancy'")
      }
      #expect(try await ask(.delete)?.reason == "DELETION_UNDER_WAY")
    }
  }

  @Test("Without a second operator it is done after 72 hours, and not before")
  func removeTotp_byOneOperator_waits() async throws {
    try await run { stage, people in
      _ = try await request(stage, people, .removeTotp)
      try await wait(stage, Self.hours72 - 1000)
      #expect(try await states(stage) == [.waiting])
      #expect(try await stage.signIn().secondFactor != nil)
      try await wait(stage, 1000)
      #expect(try await states(stage) == [.done])
      #expect(try await stage.signIn().tokens != nil)
      #expect(try await stage.audited("account.change") == ["account.change \(people.id)"])
    }
  }

  @Test("The account's address stops it in that time")
  func removeTotp_refusedByTheAddress_isNotDone() async throws {
    try await run { stage, people in
      _ = try await request(stage, people, .removeTotp)
      let token = try await stage.takeToken("stop-change", to: "ada@example.org")
      for _ in 0..<2 { _ = try await stage.accounts.refuseAccountChange(.init(token: token)) }
      try await wait(stage, Self.hours72)
      #expect(try await states(stage) == [.refused])
      #expect(try await stage.signIn().secondFactor != nil)
    }
  }

  @Test("An account without an address has nobody to stop it, and waits for a second operator")
  func removeTotp_withoutAddress_waitsForTheSecond() async throws {
    try await AuthStage.run { stage in
      let first = try await stage.signUp("first@example.org")
      let second = try await stage.signUp("second@example.org")
      stage.peers.change { $0.operators = [first.user?.id ?? "", second.user?.id ?? ""] }
      _ = try await stage.takeMails()
      let people = People(first: first, second: second, ada: try await stage.signUp())
      try await stage.enroll(people.ada)
      let token = try await stage.takeToken("verify-email", to: "ada@example.org")
      let waiting = try await request(stage, people, .removeTotp)
      // Taken off after it was asked for, and before.
      _ = try await stage.accounts.disownEmail(.init(token: token))
      let later = try await request(stage, people, .delete)
      #expect(waiting.dueAt != nil && later.dueAt == nil)
      try await wait(stage, 10 * Self.hours72)
      #expect(try await states(stage) == [.waiting, .waiting])
    }
  }

  @Test(
    "An operator's account is never changed so, not even by two others, nor one who became one since"
  )
  func request_forOperator_isRefused() async throws {
    try await run { stage, people in
      let operators = Auth_V1.OperatorsClient(stage.channel)
      for target in [people.first, people.second] {
        let refused = await outcome {
          _ = try await operators.requestAccountChange(
            .init(userId: target.user?.id ?? "", kind: .delete, reason: "r"),
            options: stage.with(people.first)
          )
        }
        #expect(refused == "FAILED_PRECONDITION OPERATOR_ACCOUNT")
      }
      let change = try await request(stage, people, .removeTotp)
      stage.peers.change { $0.operators.insert(people.id) }
      let late = await outcome { _ = try await approve(stage, change, by: people.second) }
      #expect(late == "FAILED_PRECONDITION OPERATOR_ACCOUNT")
      try await wait(stage, Self.hours72)
      #expect(try await states(stage) == [.failed])
    }
  }

  @Test(
    "A lost address is replaced: whoever reads the new one sets a password, and the old one can undo it"
  )
  func email_byTwoOperators_movesTheAccount() async throws {
    try await run { stage, people in
      let change = try await request(stage, people, .email, newEmail: "countess@example.org")
      _ = try await stage.takeMails()
      _ = try await approve(stage, change, by: people.second)
      let mails = try await stage.takeMails()
      let undo = try #require(mails.first { $0.link?.path == "undo-email" })
      #expect(undo.recipient == "<ada@example.org>")
      let reset = try #require(mails.first { $0.link?.path == "reset-password" })
      #expect(reset.recipient == "<countess@example.org>")
      #expect(await !isAlive(stage, people.ada))
      let answer = try await stage.accounts.resetPassword(
        .init(token: reset.link?.token ?? "", newPassword: "another battery staple horse")
      )
      #expect(!answer.newAccount)
      _ = try await stage.accounts.undoEmailChange(.init(token: undo.link?.token ?? ""))
      let email = try await stage.service.core.store.read { tx in
        try UserTable.find(people.id, in: tx)?.email
      }
      #expect(email == "ada@example.org")
    }
  }

  @Test("A deletion on request begins with its grace period, and one that is taken back does not")
  func delete_approvedOrCancelled_isBegunOrNot() async throws {
    try await run { stage, people in
      let operators = Auth_V1.OperatorsClient(stage.channel)
      let first = try await request(stage, people, .delete)
      let cancelled = try await operators.cancelAccountChange(
        .init(changeId: first.id),
        options: stage.with(people.first)
      )
      #expect(cancelled.state == .cancelled)
      stage.clock.advance(1000)
      let second = try await request(stage, people, .delete)
      _ = try await approve(stage, second, by: people.second)
      let deletion = try await stage.service.core.store.read { tx in
        try DeletionTable.find(of: people.id, in: tx)
      }
      #expect(deletion?.step == .waiting)
      let listed = try await operators.listAccountChanges(
        .init(userId: people.id, pageSize: 1),
        options: stage.with(people.second)
      )
      #expect(listed.changes.map(\.id) == [second.id] && !listed.nextPageToken.isEmpty)
      let names = listed.changes.first.map {
        [$0.requestedByName, $0.approvedByName, $0.displayName]
      }
      #expect(names?.allSatisfy { !$0.isEmpty && $0 != "deleted user" } == true)
      for (sortBy, ids) in [("", [first.id]), ("requestedAt", [second.id])] {
        let page = try await operators.listAccountChanges(
          .init(userId: people.id, pageSize: 1, page: 2, sortBy: sortBy),
          options: stage.with(people.second)
        )
        #expect(page.changes.map(\.id) == ids && page.nextPageToken.isEmpty)
      }
    }
  }
}
