import PeerContracts
import RPCKit
import ServiceKit
import TenancyContracts
import Testing

@testable import TenancyService

@Suite("Uses of limits are news for other systems")
struct LimitEventTests {
  /// The events about limits: limit and percentage, with the tenant that they belong to.
  private func told(_ farm: LimitedFarm) async throws -> [String] {
    try await farm.stage.service.core.database.read { tx in
      try EventTable.list(after: 0, limit: 1000, in: tx)
        .filter { $0.type == "limit.reached" && $0.object == farm.id && $0.scope == farm.id }
        .map(\.data)
    }
  }

  @Test("Four fifths and the whole of a limit are events, once each, also after room was made")
  func entities_reachLimit_areTold() async throws {
    try await LimitedFarm.run(stables: 10, webhooks: WebhookFixture()) { farm in
      for _ in 0..<3 { try await farm.addHorse() }
      #expect(try await told(farm).isEmpty)
      let fourth = try await farm.addHorse()
      let most = #"{"limit":"maxHorses","percent":"80","maximum":"5"}"#
      #expect(try await told(farm) == [most])
      try await farm.addHorse()
      let whole = #"{"limit":"maxHorses","percent":"100","maximum":"5"}"#
      #expect(try await told(farm) == [most, whole])
      #expect(await farm.refusal() != nil)
      #expect(try await told(farm) == [most, whole])
      try await farm.delete(fourth)
      try await farm.addHorse()
      #expect(try await told(farm) == [most, whole, whole])
    }
  }

  @Test("Those who may list the roles see how much of each limit is used, and nobody else")
  func usage_isWhatLimitsCount() async throws {
    try await LimitedFarm.run(stables: 10, members: 3) { farm in
      func usage(_ user: String) async throws -> [String] {
        try await farm.stage.entities.getUsage(.init(entityId: farm.id), options: .by(user)).limits
          .map { "\($0.limit) \($0.used) \($0.types.joined(separator: ","))" }
      }
      let before = try await usage(LimitedFarm.owner)
      let horse = try await farm.addHorse()
      try await farm.addHorse()
      try await farm.stage.grant("groom", on: farm.id, to: "usr_gina", by: LimitedFarm.owner)
      let after = try await usage(LimitedFarm.owner)
      #expect(before.contains("maxMembers 1 ") && after.contains("maxMembers 2 "))
      #expect(before.contains("maxHorses 0 horse") && after.contains("maxHorses 2 horse"))
      try await farm.delete(horse)
      #expect(try await usage(LimitedFarm.owner).contains("maxHorses 1 horse"))
      let stranger = try await refusal { try await usage("usr_stranger") }
      #expect(stranger?.code == .notFound)
    }
  }

  @Test("Members count too, and so does an address that is invited")
  func members_reachLimit_areTold() async throws {
    try await LimitedFarm.run(stables: 10, members: 2, webhooks: WebhookFixture()) { farm in
      #expect(try await told(farm).isEmpty)
      try await farm.stage.grant("groom", on: farm.id, to: "usr_gina", by: LimitedFarm.owner)
      #expect(
        try await told(farm) == [#"{"limit":"maxMembers","percent":"100","maximum":"2"}"#]
      )
    }
  }
}
