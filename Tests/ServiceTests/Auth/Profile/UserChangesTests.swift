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
    UserChangeWatch(stage.service.core)
  }

  private func events(
    after revision: Int64,
    _ stage: AuthStage
  ) async throws -> (events: [Auth_V1.UserChange], revision: Int64) {
    let batch = try #require(try await watch(stage).events(after: .init(revision: revision)))
    return (batch.events, batch.position.revision)
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

  @Test("A proof of an address comes once, and for a month again before a RESYNC")
  func proof_isTold() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      let user = try #require(ada.user)
      let start = stage.service.core.database.revision
      let core = stage.service.core
      func prove() async throws {
        try await core.store.writeOwn { tx in
          try UserTable.changeEmail(
            of: user.id,
            to: EmailAddress(user.email),
            isVerified: true,
            now: tx.now,
            in: tx
          )
        }
      }
      try await prove()
      let (told, revision) = try await events(after: start, stage)
      #expect(told.map(\.kind) == [.addressProven] && told.map(\.userId) == [user.id])
      // What was proven before is no news.
      try await prove()
      #expect(try await events(after: revision, stage).events == [])
      let watch = watch(stage)
      let first = try #require(try await watch.events(after: .init(revision: -1)))
      #expect(first.events.map(\.kind) == [.addressProven])
      // Those who are cut off now begin anew.
      #expect(first.events.map(\.revision) == [0])
      let second = try #require(try await watch.events(after: first.position))
      #expect(second.events.map(\.kind) == [.resync] && second.position.proofs == nil)
      #expect(try await watch.events(after: second.position)?.events == [])
      stage.clock.advance(AddressProofs.resent + 1)
      let late = try #require(try await watch.events(after: .init(revision: -1)))
      #expect(late.events.map(\.kind) == [.resync])
    }
  }

  @Test("A commit wakes watchers if it has a change of theirs, and a sign-in does not")
  func commits_wakeWatchers() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      let signal = stage.service.core.userNews.signal
      let before = signal.version
      _ = try await stage.signIn()
      #expect(signal.version == before)
      let call = stage.with(ada)
      _ = try await stage.users.updateProfile(.init(displayName: "Ada L"), options: call)
      #expect(signal.version == before + 1)
      _ = try await stage.users.updateProfile(.init(firstName: "A"), options: call)
      #expect(signal.version == before + 2)
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
