import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Changes of users, for the service that shows them and tells their apps")
struct UserChangesTests {
  private func watch(_ stage: AuthStage) -> UserChangeWatch {
    UserChangeWatch(store: stage.service.core.store)
  }

  private func events(
    after revision: Int64,
    _ stage: AuthStage
  ) async throws -> (events: [Auth_V1.UserChange], revision: Int64) {
    let batch = try #require(try await watch(stage).events(after: revision))
    return (batch.events, batch.position)
  }

  @Test("A changed name is sent once after each position, and its version grows")
  func rename_isTold() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      let start = stage.service.core.database.revision
      let call = stage.with(ada)
      _ = try await stage.users.updateProfile(.init(displayName: "Ada L"), options: call)
      let (first, revision) = try await events(after: start, stage)
      #expect(first.map(\.kind) == [.displayName])
      #expect(first.map(\.displayName) == ["Ada L"] && first.map(\.version) == [2])
      #expect(first.map(\.userId) == [ada.user?.id])
      #expect(try await events(after: revision, stage).events == [])
      // The same name again is no change.
      _ = try await stage.users.updateProfile(.init(displayName: "Ada L"), options: call)
      #expect(try await events(after: revision, stage).events == [])
      _ = try await stage.users.updateProfile(.init(displayName: "Ada K"), options: call)
      #expect(try await events(after: revision, stage).events.map(\.version) == [3])
    }
  }

  @Test("What else a user's account shows is a change of the profile, in order with names")
  func profile_isTold() async throws {
    try await AuthStage.run { stage in
      let (ada, eve) = (try await stage.signUp(), try await stage.signUp("eve@example.com"))
      let start = stage.service.core.database.revision
      _ = try await stage.users.updateProfile(.init(firstName: "A"), options: stage.with(ada))
      _ = try await stage.users.updateProfile(.init(displayName: "Eve E"), options: stage.with(eve))
      _ = try await stage.users.updateSettings(
        .init(settings: #"{"theme": "dark"}"#),
        options: stage.with(ada)
      )
      let (told, revision) = try await events(after: start, stage)
      #expect(told.map(\.kind) == [.profile, .displayName, .profile])
      #expect(told.map(\.userId) == [ada.user?.id, eve.user?.id, ada.user?.id])
      #expect(told.map(\.revision) == told.map(\.revision).sorted())
      #expect(try await events(after: revision, stage).events == [])
      // What is set already is no change.
      _ = try await stage.users.updateProfile(.init(firstName: "A"), options: stage.with(ada))
      #expect(try await events(after: revision, stage).events == [])
    }
  }

  @Test("A position from before the log, or from a future that was undone, begins anew")
  func position_outsideTheLog_resyncs() async throws {
    try await AuthStage.run { stage in
      _ = try await stage.signUp()
      let newest = stage.service.core.database.revision
      for position in [-1, newest + 1] {
        let (told, revision) = try await events(after: position, stage)
        #expect(told.map(\.kind) == [.resync])
        #expect(revision == newest)
      }
    }
  }

  @Test("Other services get the version with a name")
  func batchGet_hasVersion() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      _ = try await stage.users.updateProfile(
        .init(displayName: "Ada L"),
        options: stage.with(ada)
      )
      let answer = try await Auth_V1.UsersClient(stage.tenancyChannel).batchGet(
        .init(userIds: [try #require(ada.user?.id)])
      )
      #expect(answer.users.map(\.displayName) == ["Ada L"])
      #expect(answer.users.map(\.version) == [2])
    }
  }
}
