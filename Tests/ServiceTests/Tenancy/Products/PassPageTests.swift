import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import AccessEngine
@testable import TenancyService

@Suite("Pages of guest passes")
struct PassPageTests {
  @Test("A page is made of as many passes as it shows and one more, however many there are")
  func selection_ofMany_staysSmall() async throws {
    try await TenancyStage.run(treeByteCountMax: .max) { stage in
      let home = try await Building(stage, name: "home")
      var ids: [String] = []
      for number in 0..<40 {
        stage.clock.advance(1)
        ids += try await stage.guests.grant(
          .init(
            userId: "usr_visitor",
            deviceIds: [number % 2 == 0 ? home.door : home.gate],
            // The same time twice would be the same pass.
            validUntil: .init(milliseconds: stage.clock.now + 7_000_000)
          ),
          options: .by(home.manager)
        ).passes.map(\.id)
      }
      let (selected, again) = try stage.service.engine.read { forest in
        let role = try #require(forest.policy.role(named: "guest"))
        var selection = AssociationSelection(
          of: [role],
          endingAfter: .min,
          after: ids[9],
          limit: 6
        )
        var sizes: [Int] = []
        for device in [home.door, home.gate, home.door] {
          selection.offer(entity: try #require(forest.entity(device)), forest)
          sizes.append(selection.identifiers.count)
        }
        return (selection.identifiers, sizes)
      }
      #expect(selected == Array(ids[10..<16]))
      #expect(again == [6, 6, 6])
    }
  }

  @Test("Passes of addresses are looked for in the trees of the reader, wherever those move")
  func list_ofAddresses_looksInOwnTrees() async throws {
    try await TenancyStage.run { stage in
      let homes = [try await Building(stage, name: "a"), try await Building(stage, name: "b")]
      var ids: [String] = []
      for home in homes {
        // Identifiers begin with the time.
        stage.clock.advance(1)
        ids += try await stage.guests.grant(
          .init(
            deviceIds: [home.door],
            validUntil: .init(milliseconds: stage.clock.now + 7_000_000),
            email: "gus@example.com"
          ),
          options: .by(home.manager)
        ).passes.map(\.id)
      }
      for (home, id) in zip(homes, ids) {
        let listed = try await stage.guests.list(.init(), options: .by(home.manager)).passes
        #expect(listed.map(\.id).filter { ids.contains($0) } == [id])
      }
      func roots() async throws -> [String] {
        try await stage.service.database.read { tx in
          try tx.query("SELECT root_id FROM invitation ORDER BY id") { $0.text(0) }
        }
      }
      #expect(try await roots() == homes.map(\.portfolio))
      try await stage.service.database.write { tx in
        try EntityTable.setRoot(homes[0].portfolio, below: homes[1].property, in: tx)
      }
      #expect(try await roots() == [homes[0].portfolio, homes[0].portfolio])
    }
  }

  @Test(
    "Operators page through the passes of all tenants, of which memory keeps few",
    arguments: ["", "-"]
  )
  func list_ofOperator_takesTreesInTurn(_ minus: String) async throws {
    try await TenancyStage.run(treeByteCountMax: 1) { stage in
      try await stage.makeOperator("usr_boss")
      var passes: [String] = []
      for name in ["a", "b", "c", "d"] {
        // Identifiers begin with the time.
        stage.clock.advance(1)
        passes.append(try await Building(stage, name: name).pass)
      }
      var request = Tenancy_V1.ListGuestPassesRequest(pageSize: 1)
      request.sortBy = minus.isEmpty ? "" : "-created_at"
      var found: [String] = []
      repeat {
        let page = try await stage.guests.list(request, options: .by("usr_boss"))
        found += page.passes.map(\.id)
        request.pageToken = page.nextPageToken
      } while !request.pageToken.isEmpty
      #expect(found == (minus.isEmpty ? passes : passes.reversed()))
      #expect(stage.service.engine.peek { $0.heldRoots.count } <= 1)
    }
  }

  @Test("Passes that end between two pages make the others neither missing nor double")
  func list_whilePassesEnd_isComplete() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      var ids = [home.pass]
      for _ in 0..<20 {
        stage.clock.advance(1)
        ids += try await stage.guests.grant(
          .init(
            userId: "usr_visitor",
            deviceIds: [home.door, home.gate],
            validUntil: .init(milliseconds: stage.clock.now + 7_000_000)
          ),
          options: .by(home.manager)
        ).passes.map(\.id)
      }
      for user in ["usr_visitor", home.manager] {
        try await ListProbe.check("createdAt", "-createdAt") { sortBy, size, page, token in
          let page = try await stage.guests.list(
            .init(pageSize: size, pageToken: token, page: page, sortBy: sortBy),
            options: .by(user)
          )
          return (page.passes.map(\.id), page.nextPageToken)
        }
      }
      // Its own for the visitor, by right of granting for the manager, once for both.
      for user in ["usr_visitor", home.manager] {
        var listed: [String] = []
        var token = ""
        var revoked: Set<String> = []
        repeat {
          let page = try await stage.guests.list(
            .init(pageSize: 3, pageToken: token),
            options: .by(user)
          )
          listed += page.passes.map(\.id)
          token = page.nextPageToken
          // The last of this page and one of the next.
          guard revoked.count < 4, let last = page.passes.last?.id else { continue }
          let next = ids.sorted().first { $0 > last && !revoked.contains($0) }
          for pass in [last, next].compactMap(\.self) {
            revoked.insert(pass)
            _ = try await stage.guests.revoke(.init(passId: pass), options: .by(home.manager))
          }
        } while !token.isEmpty
        #expect(listed == listed.sorted())
        let expected = ids.filter {
          !revoked.contains($0) && (user != "usr_visitor" || $0 != home.pass)
        }
        #expect(Set(listed).isSuperset(of: expected) && Set(listed).count == listed.count)
        ids.removeAll { revoked.contains($0) }
      }
    }
  }
}
