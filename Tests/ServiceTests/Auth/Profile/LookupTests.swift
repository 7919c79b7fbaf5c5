import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

@Suite("Names of other people")
struct LookupTests {
  @Test("People whom TenancyService lets the caller see are named, all others are as if unknown")
  func lookup_namesVisiblePeople() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp("ada@example.com")
      let bob = try await stage.signUp("bob@example.com")
      let eve = try await stage.signUp("eve@example.com")
      let (me, other, hidden) = try (
        #require(ada.user?.id), #require(bob.user?.id), #require(eve.user?.id)
      )
      stage.peers.change { $0.visiblePeople[me] = [other, "usr_gone"] }
      let found = try await stage.users.lookup(
        .init(userIds: [other, hidden, me, other, "usr_gone", "usr_unknown"]),
        options: stage.with(ada)
      ).users
      #expect(found.map(\.id) == [other, me])
      #expect(found.map(\.displayName) == [bob.user?.displayName, ada.user?.displayName])
      #expect(found.allSatisfy { $0.version == 0 })
      let one = try await stage.users.get(.init(userId: other), options: stage.with(ada))
      #expect(one == found[0])
      var refusals: [RPCError] = []
      for id in [hidden, "usr_unknown", "usr_gone"] {
        do {
          _ = try await stage.users.get(.init(userId: id), options: stage.with(ada))
        } catch let error as RPCError {
          refusals.append(error)
        }
      }
      #expect(refusals.map(\.code) == [.notFound, .notFound, .notFound])
      #expect(Set(refusals.map(\.message)).count == 1)
    }
  }

  @Test("Oneself is named without TenancyService, nobody else is")
  func lookup_whenTenancyIsDown() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      let me = try #require(ada.user?.id)
      stage.peers.change { $0.isTenancyDown = true }
      let own = try await stage.users.lookup(.init(userIds: [me]), options: stage.with(ada)).users
      #expect(own.map(\.id) == [me])
      await #expect(throws: RPCError.self) {
        try await stage.users.lookup(.init(userIds: ["usr_other"]), options: stage.with(ada))
      }
    }
  }

  @Test("A list of a thousand and one people is refused")
  func lookup_ofTooMany() async throws {
    try await AuthStage.run { stage in
      let ada = try await stage.signUp()
      do {
        let ids = (0...1000).map { "usr_\($0)" }
        _ = try await stage.users.lookup(.init(userIds: ids), options: stage.with(ada))
        Issue.record("a lookup of 1,001 people is answered")
      } catch let error as RPCError {
        #expect(error.code == .invalidArgument)
      }
    }
  }
}
