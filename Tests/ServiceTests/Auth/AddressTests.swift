import Contracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Users by the address of their account")
struct AddressTests {
  private func resolve(
    _ stage: AuthStage,
    _ emails: [String],
    for user: Auth_V1.SignInResponse? = nil
  ) async throws -> [String] {
    try await Auth_V1.UsersClient(stage.tenancyChannel).resolveEmails(
      .init(emails: emails),
      options: user.map { stage.with($0) } ?? CallOptions()
    ).userIds
  }

  @Test("Each address gets its user in its place, in whatever case it is written")
  func resolve_addresses_inOrder() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      let bob = try await stage.signUp("bob@example.org")
      let ids = try await resolve(
        stage,
        ["BOB@Example.ORG", "nobody@example.org", "ada@example.org"],
        for: ada
      )
      #expect(ids == [try #require(bob.user?.id), "", try #require(ada.user?.id)])
      // Not for users, however they got to know of the method.
      let asUser = await outcome {
        _ = try await stage.users.resolveEmails(
          .init(emails: ["bob@example.org"]),
          options: stage.with(ada)
        )
      }
      #expect(asUser == "PERMISSION_DENIED CALLER_NOT_ALLOWED")
    }
  }

  @Test("Each address is told with whether its account has verified it")
  func resolve_addresses_saysWhichAreVerified() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      _ = try await stage.signUp("bob@example.org")
      let id = try #require(ada.user?.id)
      try await stage.service.core.store.writeOwn { tx in
        _ = try tx.execute("UPDATE user SET email_verified = 1 WHERE id = ?", .text(id))
      }
      let response = try await Auth_V1.UsersClient(stage.tenancyChannel).resolveEmails(
        .init(emails: ["bob@example.org", "Ada@example.org", "nobody@example.org"])
      )
      #expect(response.verified == [false, true, false])
    }
  }

  @Test("Whoever asks for too many unknown addresses waits, alone, and known ones cost nothing")
  func resolve_unknown_isLimitedForEachUser() async throws {
    var ground = try AuthStage.Ground()
    ground.settings.sourceLimits.unknownAddresses = 3
    try await AuthStage.run(on: ground) { stage in
      let ada = try await stage.signUp()
      let bob = try await stage.signUp("bob@example.org")
      func ask(_ user: Auth_V1.SignInResponse?, _ emails: [String]) async -> String {
        await outcome { _ = try await resolve(stage, emails, for: user) }
      }
      let tooMany = "RESOURCE_EXHAUSTED TOO_MANY_UNKNOWN_ADDRESSES"
      for _ in 0..<5 { #expect(await ask(ada, ["bob@example.org"]) == "OK") }
      // The fourth unknown one makes the whole answer too much, the known one in it included.
      let unknown = (0..<4).map { "nobody\($0)@example.org" }
      #expect(await ask(ada, ["bob@example.org"] + unknown) == tooMany)
      #expect(await ask(ada, [unknown[0]]) == tooMany)
      #expect(await ask(ada, ["bob@example.org"]) == "OK")
      #expect(await ask(bob, [unknown[0]]) == "OK")
      #expect(await ask(nil, [unknown[0]]) == "OK")
      #expect(stage.metric("gatehouse_auth_address_look_ups_total{outcome=\"refused\"}") == 2)
      #expect(stage.metric("gatehouse_auth_address_look_ups_total{outcome=\"unknown\"}") == 5)
      stage.clock.advance(ground.settings.sourceLimits.window / 3)
      #expect(await ask(ada, [unknown[0]]) == "OK")
      #expect(await ask(ada, [unknown[0]]) == tooMany)
    }
  }

  @Test("TenancyService alone is told the address of an account, and whether it is verified")
  func getAddress_ofUser_saysWhetherItIsVerified() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp("Ada@Example.org")
      let id = try #require(ada.user?.id)
      let users = Auth_V1.UsersClient(stage.tenancyChannel)
      let fresh = try await users.getAddress(.init(userId: id))
      #expect(fresh.email == "Ada@Example.org")
      #expect(!fresh.emailVerified)
      try await stage.service.core.database.write { tx in
        _ = try tx.execute("UPDATE user SET email_verified = 1 WHERE id = ?", .text(id))
      }
      #expect(try await users.getAddress(.init(userId: id)).emailVerified)
      let unknown = await outcome { _ = try await users.getAddress(.init(userId: "usr_1")) }
      #expect(unknown == "NOT_FOUND USER_NOT_FOUND")
      let asUser = await outcome {
        _ = try await stage.users.getAddress(.init(userId: id), options: stage.with(ada))
      }
      #expect(asUser == "PERMISSION_DENIED CALLER_NOT_ALLOWED")
    }
  }
}
