import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("What TenancyService is told of accounts")
struct AccountReportTests {
  private static let hour: Int64 = 3_600_000

  private func run(
    graceHours: Int64 = 24,
    _ body: (AuthStage, _ boss: Auth_V1.SignInResponse, _ ada: Auth_V1.SignInResponse) async throws
      -> Void
  ) async throws {
    var ground = try AuthStage.Ground()
    ground.settings.deletion.grace = graceHours * Self.hour
    try await AuthStage.run(on: ground) { stage in
      let boss = try await stage.signUp("boss@example.org")
      stage.peers.change { $0.operators = [boss.user?.id ?? ""] }
      try await body(stage, boss, try await stage.signUp())
    }
  }

  private func told(
    _ answer: Auth_V1.SignInResponse,
    _ stage: AuthStage
  ) -> Tenancy_V1.SetAccountStateRequest? {
    stage.peers.read { $0.accountStates[answer.user?.id ?? ""] }
  }

  private func deletions(_ stage: AuthStage) -> Auth_V1.DeletionsClient { .init(stage.channel) }

  private func dueCount(_ stage: AuthStage) async throws -> Int {
    try await stage.service.core.database.read { tx in
      try tx.query("SELECT 1 FROM account_report WHERE due_at IS NOT NULL") { _ in }.count
    }
  }

  @Test("It knows before the answer that an account is disabled or enabled, to be deleted or kept")
  func changes_areToldBeforeTheAnswer() async throws {
    try await run { stage, boss, ada in
      let id = ada.user?.id ?? ""
      _ = try await stage.operators.disableUser(
        .init(userId: id, reason: "ticket"),
        options: stage.with(boss)
      )
      #expect(told(ada, stage)?.disabled == true && told(ada, stage)?.deletionBegun == false)
      _ = try await stage.operators.enableUser(
        .init(userId: id, reason: "settled"),
        options: stage.with(boss)
      )
      #expect(told(ada, stage)?.disabled == false)
      let again = try await stage.signIn()
      _ = try await deletions(stage).deleteAccount(.init(), options: stage.with(again))
      #expect(told(ada, stage)?.deletionBegun == true && told(ada, stage)?.refuseLast == true)
      #expect(try await dueCount(stage) == 0)
      let third = try await stage.signIn()
      _ = try await deletions(stage).cancelDeletion(.init(), options: stage.with(third))
      #expect(told(ada, stage)?.deletionBegun == false)
      #expect(try await dueCount(stage) == 0)
    }
  }

  /// What eight calls at once are told.
  private func deletedAtOnce(
    _ user: Auth_V1.SignInResponse,
    key: String,
    _ stage: AuthStage
  ) async -> [String] {
    await withTaskGroup(of: String.self) { group in
      for _ in 0..<8 {
        group.addTask {
          await outcome {
            _ = try await deletions(stage).deleteAccount(
              .init(idempotencyKey: key),
              options: stage.with(user)
            )
          }
        }
      }
      var answers: [String] = []
      for await answer in group { answers.append(answer) }
      return answers
    }
  }

  @Test(
    "Of several deletions at once each succeeds, with one key or with none",
    arguments: [true, false]
  )
  func deletions_atOnce_succeed(hasKey: Bool) async throws {
    try await run { stage, _, ada in
      let answers = await deletedAtOnce(ada, key: hasKey ? "twice" : "", stage)
      // Those that come when the sessions have ended already are refused at the door.
      #expect(
        answers.allSatisfy { $0 == "OK" || $0.hasPrefix("UNAUTHENTICATED") },
        "\(answers)"
      )
      #expect(answers.contains("OK"))
      await stage.service.deletions.reports.workOff()
      #expect(told(ada, stage)?.deletionBegun == true)
      let due = try await dueCount(stage)
      #expect(due == 0)
    }
  }

  @Test("An account is disabled also when it cannot be told, which happens as soon as it can")
  func disable_untold_isToldLater() async throws {
    try await run { stage, boss, ada in
      stage.peers.change { $0.areReportsRefused = true }
      _ = try await stage.operators.disableUser(
        .init(userId: ada.user?.id ?? "", reason: "ticket"),
        options: stage.with(boss)
      )
      #expect(told(ada, stage) == nil)
      await stage.service.deletions.reports.workOff()
      #expect(try await dueCount(stage) == 1)
      stage.peers.change { $0.areReportsRefused = false }
      stage.clock.advance(30_000)
      await stage.service.deletions.reports.workOff()
      #expect(told(ada, stage)?.disabled == true)
      #expect(try await dueCount(stage) == 0)
    }
  }

  @Test("A deletion that TenancyService refuses or cannot be told of does not begin")
  func deletion_refused_doesNotBegin() async throws {
    try await run { stage, _, ada in
      let id = ada.user?.id ?? ""
      // As if the other owner had left between the question and the announcement.
      let reports = stage.service.deletions.reports
      stage.peers.change { $0.soleHoldings[id] = ["prt_home"] }
      let refused = await #expect(throws: RPCError.self) {
        _ = try await reports.announceDeletion(of: id, refusingLast: true)
      }
      #expect(refused?.reason == "MUST_HAND_OVER")
      #expect(refused?.errorInfo?.metadata["entities"] == "prt_home")
      stage.peers.change {
        $0.soleHoldings[id] = []
        $0.isTenancyDown = true
      }
      let away = await outcome {
        _ = try await deletions(stage).deleteAccount(.init(), options: stage.with(ada))
      }
      #expect(away == "UNAVAILABLE CONTEXT_UNAVAILABLE")
      // The call has no such field.
      let advice = await #expect(throws: RPCError.self) {
        _ = try await deletions(stage).deleteAccount(.init(), options: stage.with(ada))
      }
      #expect(advice?.message.contains("allow_partial_context") == false)
      stage.peers.change { $0.isTenancyDown = false }
      await stage.service.deletions.reports.workOff()
      #expect(told(ada, stage)?.deletionBegun != true)
      #expect(try await dueCount(stage) == 0)
      _ = try await stage.users.getMe(.init(), options: stage.with(ada))
    }
  }

  @Test("An announcement whose write never comes is taken back after half a minute")
  func announcement_withoutWrite_isTakenBack() async throws {
    try await run { stage, _, ada in
      let id = ada.user?.id ?? ""
      let reports = stage.service.deletions.reports
      _ = try await reports.announceDeletion(of: id, refusingLast: true)
      #expect(told(ada, stage)?.deletionBegun == true)
      await reports.workOff()
      #expect(told(ada, stage)?.deletionBegun == true)
      stage.clock.advance(30_000)
      await reports.workOff()
      #expect(told(ada, stage)?.deletionBegun == false)
      // A store from a backup goes on counting where TenancyService is.
      stage.peers.change { $0.accountStates[id]?.version = 1_000 }
      let outdated = await #expect(throws: RPCError.self) {
        _ = try await reports.announceDeletion(of: id, refusingLast: true)
      }
      #expect(outdated?.code == .aborted)
      _ = try await reports.announceDeletion(of: id, refusingLast: true)
      #expect(told(ada, stage)?.version ?? 0 > 1_000)
    }
  }

  @Test("The last owner may ask all the same, and waits for a successor or an operator")
  func deletion_evenIfLast_isBlocked() async throws {
    try await run(graceHours: 1) { stage, _, ada in
      let id = ada.user?.id ?? ""
      stage.peers.change { $0.soleHoldings[id] = ["prt_home"] }
      let begun = try await deletions(stage).deleteAccount(
        .init(evenIfLast: true),
        options: stage.with(ada)
      )
      #expect(begun.state == .waiting)
      #expect(told(ada, stage)?.deletionBegun == true && told(ada, stage)?.refuseLast == false)
      stage.clock.advance(Self.hour)
      await stage.service.deletions.workOff()
      let blocked = try await deletions(stage).getDeletion(.init(deletionId: begun.id))
      #expect(blocked.state == .blocked)
      #expect(stage.sink.lines.contains { $0.contains("prt_home") })
      stage.peers.change { $0.soleHoldings[id] = [] }
      stage.clock.advance(24 * Self.hour)
      await stage.workOffDeletions()
      let done = try await deletions(stage).getDeletion(.init(deletionId: begun.id))
      #expect(done.state == .done)
      #expect(
        try await stage.service.core.database.read { tx in
          try tx.query("SELECT 1 FROM account_report WHERE user_id LIKE ?", .text(id)) { _ in }
            .count
        } == 0
      )
    }
  }

  @Test("Nothing of a tenant is told of a suspended user, and its defaults come back")
  func suspended_context_isEmpty() async throws {
    try await run { stage, _, ada in
      let id = ada.user?.id ?? ""
      stage.peers.give(id, "owner", on: "prt_home", "portfolio")
      let before = try await stage.users.getMe(.init(), options: stage.with(ada))
      #expect(before.defaultPortfolioId == "prt_home" && before.roleAssociations.count == 1)
      stage.peers.change { $0.suspended = [id] }
      for seen in [
        try await stage.users.getMe(.init(), options: stage.with(ada)),
        try #require(try await stage.signIn().user),
      ] {
        #expect(seen.defaultPortfolioId == "" && seen.roleAssociations.isEmpty)
      }
      stage.peers.change { $0.suspended = [] }
      let after = try await stage.users.getMe(.init(), options: stage.with(ada))
      #expect(after.defaultPortfolioId == "prt_home" && after.roleAssociations.count == 1)
    }
  }
}
