import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Lists of members by name", .timeLimit(.minutes(5)))
struct MemberListTests {
  /// Display names on all pages.
  private func names(
    _ request: Tenancy_V1.ListRolesByEntityRequest,
    by user: String,
    _ stage: TenancyStage
  ) async throws -> [String] {
    var (request, names) = (request, [String]())
    repeat {
      let page = try await stage.roles.listByEntity(request, options: .by(user))
      names += page.associations.map(\.displayName)
      request.pageToken = page.nextPageToken
    } while !request.pageToken.isEmpty
    return names
  }

  /// A unit whose tenants have names of their own.
  private func tenants(
    _ names: [String],
    _ users: SmallUsersService,
    _ stage: TenancyStage
  ) async throws -> Building {
    let home = try await Building(stage, name: "a")
    _ = try await stage.units.removeTenant(
      .init(unitId: home.unit, userId: home.tenant),
      options: .by(home.manager)
    )
    for (number, name) in names.enumerated() {
      users.names.withLock { $0["usr_\(number)"] = PersonName(name, version: 1) }
      _ = try await stage.units.addTenant(
        .init(unitId: home.unit, userId: "usr_\(number)"),
        options: .by(home.manager)
      )
    }
    try await stage.service.names.drain()
    return home
  }

  @Test("By name, by time and the other way round, whatever the size of a page")
  func list_isSorted() async throws {
    let users = SmallUsersService()
    try await TenancyStage.run(users: users) { stage in
      // Two of one name, and one that differs in case alone.
      let given = ["Zoë", "ada", "Bert", "Ada", "ada", "Émile", "carl"]
      let home = try await tenants(given, users, stage)
      let sorted = ["ada", "Ada", "ada", "Bert", "carl", "Zoë", "Émile"]
      for size in [1, 2, 3, 50] as [UInt32] {
        for (order, expected) in [
          ("", given), ("created_at", given), ("-createdAt", given.reversed()),
          ("name", sorted), ("-name", sorted.reversed()),
        ] {
          let found = try await names(
            .init(entityId: home.unit, pageSize: size, sortBy: order),
            by: home.owner,
            stage
          )
          #expect(found == expected, "\(order) by \(size)")
        }
        let numbered = try await stage.roles.listByEntity(
          .init(entityId: home.unit, pageSize: 2, sortBy: "name", page: 2),
          options: .by(home.owner)
        )
        #expect(numbered.associations.map(\.displayName) == ["ada", "Bert"])
      }
      let tenants = try await stage.units.listTenants(
        .init(unitId: home.unit, pageSize: 2, sortBy: "-name"),
        options: .by(home.owner)
      )
      #expect(tenants.tenants.map(\.displayName) == ["Émile", "Zoë"])
    }
  }

  @Test("A search finds parts of names, without regard to case, and takes its signs as they are")
  func list_isSearched() async throws {
    let users = SmallUsersService()
    try await TenancyStage.run(users: users) { stage in
      let given = ["Zoë Blå", "100% Al", "Al_Bert", #"back\slash"#, "Alma", "ZOË X"]
      let home = try await tenants(given, users, stage)
      for (text, expected) in [
        ("al", ["100% Al", "Al_Bert", "Alma"]), ("ZOË", ["Zoë Blå", "ZOË X"]), ("%", ["100% Al"]),
        ("l_b", ["Al_Bert"]), (#"\"#, [#"back\slash"#]), ("nobody", []),
      ] {
        for order in ["name", "created_at"] {
          let found = try await names(
            .init(entityId: home.unit, pageSize: 1, text: text, sortBy: order),
            by: home.owner,
            stage
          )
          #expect(found.sorted() == expected.sorted(), "\(text) by \(order)")
        }
      }
    }
  }

  @Test("A renamed member moves to its new place")
  func rename_moves() async throws {
    let users = SmallUsersService()
    try await TenancyStage.run(users: users) { stage in
      let home = try await tenants(["Ada", "Bert", "Carl"], users, stage)
      try await stage.take(PersonName("Zed", version: 2), of: "usr_0")
      let found = try await names(
        .init(entityId: home.unit, sortBy: "name"),
        by: home.owner,
        stage
      )
      #expect(found == ["Bert", "Carl", "Zed"])
    }
  }

  @Test("Pages named twice, out of reach, or in another order than their token are refused")
  func list_badPages_areRefused() async throws {
    let users = SmallUsersService()
    try await TenancyStage.run(users: users) { stage in
      let home = try await tenants(["Ada", "Bert", "Carl"], users, stage)
      let first = try await stage.roles.listByEntity(
        .init(entityId: home.unit, pageSize: 1, sortBy: "name"),
        options: .by(home.owner)
      )
      for (request, reason) in [
        (
          .init(
            entityId: home.unit,
            pageToken: first.nextPageToken,
            sortBy: "name",
            page: 2
          ), "PAGE_NAMED_TWICE"
        ),
        (.init(entityId: home.unit, pageSize: 1000, page: 11), "PAGE_OUT_OF_REACH"),
        (.init(entityId: home.unit, pageToken: first.nextPageToken), "PAGE_TOKEN_INVALID"),
        (
          .init(entityId: home.unit, pageToken: first.nextPageToken, text: "a", sortBy: "name"),
          "PAGE_TOKEN_INVALID"
        ), (.init(entityId: home.unit, sortBy: "role"), "FIELD_VIOLATIONS"),
      ] as [(Tenancy_V1.ListRolesByEntityRequest, String)] {
        let refused = try await refusal {
          try await stage.roles.listByEntity(request, options: .by(home.owner))
        }
        #expect(refused == Refusal(.invalidArgument, reason))
      }
    }
  }

  @Test("Of a hundred thousand members a page takes milliseconds, and a search finds the last")
  func list_ofManyMembers() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      let count = AssociationList.searchedCountMax + 10
      try await stage.service.database.write { tx in
        try tx.execute(
          """
          WITH RECURSIVE numbers (n) AS (
            SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?)
          INSERT INTO association (id, user_id, entity_id, role, granted_by, created_at, added, name_key)
          SELECT 'asc_many' || n, 'usr_many' || n, ?, 'tenant', '', 0, 1000000 + n,
            'member ' || substr(CAST(1000000 + n * 7919 % ? AS TEXT), 2) FROM numbers
          """,
          .integer(count),
          .text(home.unit),
          .integer(count)
        )
        try tx.execute(
          """
          INSERT INTO person (user_id, name, name_key, version, asked_at)
          SELECT user_id, name_key, name_key, 1, 0 FROM association WHERE added >= 1000000
          """
        )
      }
      var request = Tenancy_V1.ListRolesByEntityRequest(
        entityId: home.unit,
        pageSize: 50,
        sortBy: "name"
      )
      var slowest = Duration.zero
      for _ in 0..<10 {
        let began = ContinuousClock.now
        let page = try await stage.roles.listByEntity(request, options: .by(home.owner))
        slowest = max(slowest, began.duration(to: .now))
        #expect(page.associations.count == 50)
        request.pageToken = page.nextPageToken
      }
      let last = String("00000\(count - 1)".suffix(6))
      let began = ContinuousClock.now
      var (found, pageCount) = ([String](), 0)
      request = .init(entityId: home.unit, text: "MEMBER \(last)", sortBy: "name")
      repeat {
        let page = try await stage.roles.listByEntity(request, options: .by(home.owner))
        found += page.associations.map(\.displayName)
        request.pageToken = page.nextPageToken
        pageCount += 1
      } while !request.pageToken.isEmpty
      print(
        "figures: a page of \(count) members in at most \(slowest), a search in",
        "\(began.duration(to: .now)) on \(pageCount) pages"
      )
      #expect(found == ["member \(last)"])
      // One looks at a hundred thousand at most, the next at the rest.
      #expect(pageCount == 2)
    }
  }
}
