import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

/// What docs/operations/services.md says of how a store grows.
@Suite("How much a change at TenancyService leaves behind", .timeLimit(.minutes(5)))
struct GrowthTests {
  /// A store's growth with each of `count` changes.
  private func growth(
    _ stage: TenancyStage,
    of count: Int,
    _ change: () async throws -> Void
  ) async throws -> Double {
    try await StoreGrowth.bytes(of: stage.service.database, change) / Double(count)
  }

  @Test(
    "Documents, roles and entities leave what the page says",
    .disabled(if: TestServer.isUsed, "counts pages of the file")
  )
  func changes_growAsDocumented() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_01hzxw5v5m4q2k8r3t6y9b7c0d")
      func put() async throws {
        for _ in 0..<10 {
          try await ada.write((0..<200).map { ada.putting("entry-\($0)", #"{"n":1}"#) })
        }
      }
      // The documents themselves are there already.
      try await put()
      let document = try await growth(stage, of: 2000, put)
      let page = try StoreGrowth.documented("a document that is put again")
      #expect((0.7...1.3).contains(document / page), "document: \(document)")

      let home = try await Building(stage, name: "home")
      let role = try await growth(stage, of: 500) {
        for number in 0..<500 {
          try await stage.grant(
            "tenant",
            on: home.unit,
            to: "usr_01hzxw5v5m4q2k8r3t6y9b\(1000 + number)",
            by: home.owner
          )
        }
      }
      let roles = try StoreGrowth.documented("a role that is granted")
      #expect((0.7...1.5).contains(role / roles), "role: \(role)")

      let update = try await growth(stage, of: 1000) {
        for number in 0..<1000 {
          _ = try await stage.entities.update(
            .init(entityId: home.unit, name: "Unit \(number % 2)"),
            options: .by(home.owner)
          )
        }
      }
      let updates = try StoreGrowth.documented("an entity that is changed")
      #expect((0.7...1.3).contains(update / updates), "update: \(update)")

      let create = try await growth(stage, of: 1000) {
        for batch in 0..<5 {
          _ = try await stage.entities.batchCreate(
            .init(
              entities: (0..<200).map {
                .init(type: "unit", parentId: home.property, name: "Unit \(batch) \($0)")
              }
            ),
            options: .by(home.owner)
          )
        }
      }
      let creations = try StoreGrowth.documented("an entity that is created")
      #expect((0.7...1.3).contains(create / creations), "create: \(create)")
    }
  }

  @Test("Past the budget entities and documents are refused, and what was done is audited")
  func changes_pastTheBudget_areRefused() async throws {
    try await TenancyStage.run(logBudget: 256 << 10) { stage in
      let home = try await Building(stage, name: "home")
      let database = stage.service.database
      /// How many changes are done until one is refused.
      func done(_ change: (Int) async throws -> Void) async throws -> Int {
        for number in 0..<10_000 {
          do {
            try await change(number)
          } catch let error as RPCError {
            #expect(error.code == .resourceExhausted && error.reason == "LOG_BUDGET_SPENT")
            return number
          }
        }
        return .max
      }
      let before = try await StoreGrowth.records(of: "unit.update", in: database)
      let updates = try await done { number in
        _ = try await stage.entities.update(
          .init(entityId: home.unit, name: "Unit \(number)"),
          options: .by(home.owner)
        )
      }
      #expect((100...1000).contains(updates))
      let recorded = try await StoreGrowth.records(of: "unit.update", in: database) - before
      #expect(recorded == updates)
      let unit = try await stage.entities.get(
        .init(entityId: home.unit),
        options: .by(home.manager)
      )
      #expect(unit.name == "Unit \(updates - 1)")
      // Nothing else of the same user is done either, and others have budgets of their own.
      let refused = try await done { _ in
        _ = try await stage.documents(of: home.owner).put("entry", "{}")
      }
      #expect(refused == 0)
      let ada = stage.documents(of: "usr_ada")
      let documents = try await done { _ in _ = try await ada.put("entry", "{}") }
      #expect((100...2000).contains(documents))
      #expect(
        try await StoreGrowth.records(of: "document.put", in: database) == documents
      )
      // All of it is back after an hour.
      stage.clock.advance(3_600_000)
      #expect(try await done { _ in _ = try await ada.put("entry", "{}") } > 100)
    }
  }
}
