import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Support people, and who looked at whose account")
struct SupportTests {
  /// Sam is a support person who has signed in with a second factor, an hour ago.
  private func run(
    _ body: (AuthStage, _ sam: Auth_V1.SignInResponse) async throws -> Void
  ) async throws {
    try await AuthStage.run { stage in
      let sam = try await stage.signUp("sam@example.org")
      stage.peers.change { $0.supporters = [sam.user?.id ?? ""] }
      let proven = try await signInTwice(sam, stage)
      stage.clock.advance(360_000)
      try await body(stage, proven)
    }
  }

  /// Signs in again, with an authenticator app.
  private func signInTwice(
    _ sam: Auth_V1.SignInResponse,
    _ stage: AuthStage
  ) async throws -> Auth_V1.SignInResponse {
    let app = try await stage.enroll(sam)
    stage.clock.advance(60_000)
    let begun = try await stage.authentication.signIn(
      .init(email: "sam@example.org", password: AuthStage.password)
    )
    return try await stage.authentication.completeSignIn(
      .init(
        secondFactorToken: begun.secondFactor?.token ?? "",
        code: app.code(at: stage.clock.now)
      )
    )
  }

  @Test("A support person reads by the second factor of its sign-in, and changes by a recent one")
  func support_reads_andEndsSessions() async throws {
    try await run { stage, sam in
      let ada = try await stage.signUp()
      let id = ada.user?.id ?? ""
      let operators = Auth_V1.OperatorsClient(stage.channel)
      let options = stage.with(sam)
      let found = try await operators.listUsers(.init(text: "ada@"), options: options)
      #expect(found.users.map(\.id) == [id])
      #expect(try await operators.getUser(.init(userId: id), options: options).id == id)
      _ = try await operators.listUserSessions(.init(userId: id), options: options)
      _ = try await operators.listUserAudit(.init(userId: id), options: options)
      _ = try await operators.getUserFactors(.init(userId: id), options: options)
      _ = try await operators.searchAudit(.init(), options: options)
      _ = try await operators.listMails(.init(), options: options)
      _ = try await operators.listAccountChanges(.init(userId: id), options: options)
      _ = try await Auth_V1.ImportsClient(stage.channel).listImports(.init(), options: options)
      _ = try await Auth_V1.DeletionsClient(stage.channel).listDeletions(.init(), options: options)
      let late = await outcome {
        _ = try await operators.endSessions(.init(userId: id), options: options)
      }
      #expect(late == "UNAUTHENTICATED STEP_UP_REQUIRED")
      let disable = await outcome {
        _ = try await operators.disableUser(.init(userId: id, reason: "none"), options: options)
      }
      #expect(disable == "UNAUTHENTICATED STEP_UP_REQUIRED")
      let access = try await stage.users.listAccess(.init(), options: stage.with(ada))
      #expect(
        access.records.map(\.action) == [
          "account.list_changes", "user.get_factors", "audit.list", "session.list", "user.get",
        ]
      )
      #expect(access.records.allSatisfy { $0.operatorId == sam.user?.id })
      #expect(access.records.first?.operatorName == sam.user?.displayName)
      // Users who act on their own accounts are not listed.
      #expect(try await stage.users.listAccess(.init(), options: options).records.isEmpty)
    }
  }

  @Test("A support person without a second factor reads nothing")
  func support_withPasswordAlone_readsNothing() async throws {
    try await AuthStage.run { stage in
      let sam = try await stage.signUp("sam@example.org")
      stage.peers.change { $0.supporters = [sam.user?.id ?? ""] }
      let refused = await outcome {
        _ = try await Auth_V1.OperatorsClient(stage.channel).listUsers(
          .init(),
          options: stage.with(sam)
        )
      }
      #expect(refused == "UNAUTHENTICATED STEP_UP_REQUIRED")
    }
  }

  @Test("A support person ends sessions and forces resets, but of no operator, and disables nobody")
  func support_changes_spareOperators() async throws {
    try await AuthStage.run { stage in
      let sam = try await stage.signUp("sam@example.org")
      let boss = try await stage.signUp("boss@example.org")
      let ada = try await stage.signUp()
      stage.peers.change { state in
        state.supporters = [sam.user?.id ?? ""]
        state.operators = [boss.user?.id ?? ""]
      }
      let options = stage.with(try await signInTwice(sam, stage))
      let operators = Auth_V1.OperatorsClient(stage.channel)
      let ended = try await operators.endSessions(
        .init(userId: ada.user?.id ?? ""),
        options: options
      )
      #expect(ended.revoked == 1)
      _ = try await operators.forcePasswordReset(
        .init(userId: ada.user?.id ?? "", reason: "lost phone"),
        options: options
      )
      let bossID = boss.user?.id ?? ""
      for refused in [
        await outcome {
          _ = try await operators.endSessions(.init(userId: bossID), options: options)
        },
        await outcome {
          _ = try await operators.forcePasswordReset(
            .init(userId: bossID, reason: "lost phone"),
            options: options
          )
        },
      ] {
        #expect(refused == "FAILED_PRECONDITION OPERATOR_ACCOUNT")
      }
      let disable = await outcome {
        _ = try await operators.disableUser(
          .init(userId: ada.user?.id ?? "", reason: "none"),
          options: options
        )
      }
      #expect(disable == "PERMISSION_DENIED CALLER_NOT_ALLOWED")
      // Of two operators one may end the other's.
      let other = try await stage.signUp("eve@example.org")
      stage.peers.change { $0.operators.insert(other.user?.id ?? "") }
      _ = try await operators.endSessions(.init(userId: bossID), options: stage.with(other))
    }
  }
}
