import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService
@testable import ServiceTesting

/// What docs/operations/services.md says of how a store grows.
@Suite("How much a change at AuthService leaves behind", .timeLimit(.minutes(5)))
struct GrowthTests {
  private func rename(
    _ user: Auth_V1.SignInResponse,
    _ number: Int,
    on stage: AuthStage
  ) async throws {
    _ = try await stage.users.updateProfile(
      .init(displayName: "Ada \(number)"),
      options: stage.with(user)
    )
  }

  @Test(
    "A changed profile leaves what the page says",
    .disabled(if: TestServer.isUsed, "counts pages of the file")
  )
  func updateProfile_growsAsDocumented() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      let bytes = try await StoreGrowth.bytes(of: stage.service.core.database) {
        for number in 0..<1000 { try await rename(ada, number, on: stage) }
      }
      let page = try StoreGrowth.documented("a profile that is changed")
      #expect((0.7...1.3).contains(bytes / 1000 / page), "profile: \(bytes / 1000)")
    }
  }

  @Test("Past the budget a profile is not changed, and each change that was done is audited")
  func updateProfile_pastTheBudget_isRefused() async throws {
    var ground = try AuthStage.Ground()
    ground.logBudget = 128 << 10
    try await AuthStage.run(on: ground) { stage in
      let ada = try await stage.signUp()
      let bob = try await stage.signUp("bob@example.org")
      let database = stage.service.core.database
      var count = 0
      var refusal = "OK"
      while refusal == "OK", count < 5000 {
        refusal = await outcome { try await rename(ada, count, on: stage) }
        if refusal == "OK" { count += 1 }
      }
      #expect(refusal == "RESOURCE_EXHAUSTED LOG_BUDGET_SPENT")
      #expect((100...1000).contains(count))
      #expect(try await StoreGrowth.records(of: "user.update", in: database) == count)
      let me = try await stage.users.getMe(.init(), options: stage.with(ada))
      #expect(me.displayName == "Ada \(count - 1)")
      // Another user has a budget of its own.
      try await rename(bob, 1, on: stage)
      stage.clock.advance(600_000)
      let again = try await stage.signIn()
      try await rename(again, count, on: stage)
    }
  }
}
