import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceTesting
import Testing

@testable import AuthService

@Suite("Events of accounts for other systems", .timeLimit(.minutes(2)))
struct AccountEventTests {
  @Test("The rules of events fit their schemas")
  func rules_fitTheirSchemas() throws {
    #expect(try EventSchemaFile.mistakes(in: AuthEvents.rules) == [])
  }

  @Test("Sign-up, sign-in, another password and a sign-out are events that TenancyService reads")
  func account_tells() async throws {
    var ground = try AuthStage.Ground()
    ground.keepsEvents = true
    try await AuthStage.run(on: ground) { stage in
      let first = try await stage.signUp()
      let user = try #require(first.user?.id)
      let second = try await stage.signIn()
      try await stage.changePassword(second, to: "another correct horse")
      _ = try await stage.authentication.signOut(.init(), options: stage.with(second))
      let client = Event_V1.EventsClient(stage.tenancyChannel)
      let answer = try await client.list(.init())
      #expect(answer.isKept && !answer.hasGap)
      let found = answer.events.map { "\($0.type) \($0.userId == user)" }
      #expect(
        Set(found) == [
          "user.created true", "session.created true", "credential.changed true",
          "session.ended true",
        ]
      )
      #expect(answer.events.map(\.sequence) == answer.events.map(\.sequence).sorted())
      let created = try #require(answer.events.first { $0.type == "user.created" })
      #expect(created.object == user && created.data == #"{"by":"sign_up"}"#)
      let rest = try await client.list(.init(after: created.sequence, limit: 1))
      #expect(rest.events.count == 1 && rest.events[0].sequence > created.sequence)
      #expect(!"\(answer)".contains("ada@example.org") && !"\(answer)".contains("Ada"))
      // Users have none of it.
      await #expect(throws: RPCError.self) {
        _ = try await Event_V1.EventsClient(stage.channel).list(
          .init(),
          options: stage.with(second)
        )
      }
    }
  }

  @Test("Without the setting nothing is kept")
  func withoutTheSetting_nothingIsKept() async throws {
    try await AuthStage.run { stage in
      _ = try await stage.signUp()
      let answer = try await Event_V1.EventsClient(stage.tenancyChannel).list(.init())
      #expect(!answer.isKept && answer.events.isEmpty)
    }
  }
}
