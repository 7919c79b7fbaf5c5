import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import AccessEngine
@testable import TenancyService

@Suite("Entities that count against limits")
struct LimitTests {
  private static let owner = LimitedFarm.owner

  @Test("The sixth horse of five is refused with the limit, the count and what would allow it")
  func create_atLimit_isRefused() async throws {
    try await LimitedFarm.run { farm in
      for _ in 0..<5 { try await farm.addHorse() }
      let refused = await farm.refusal()
      #expect(
        refused?.limit == [
          "limit": "maxHorses", "maximum": "5", "count": "5", "requested": "1",
          "unlocked_by_tier": "standard",
        ]
      )
      #expect(
        refused?.message
          == "another horse would exceed maxHorses: 5 of 5 are used; buy the tier standard"
      )
      let second = await #expect(throws: RPCError.self) {
        try await farm.stage.create("stable", under: farm.id, by: Self.owner)
      }
      #expect(second?.limit?["limit"] == "maxStables" && second?.limit?["maximum"] == "1")
      #expect(
        try await farm.counters() == ["maxHorses \(farm.id)": 5, "maxStables \(farm.id)": 1]
      )
      // Others have limits of their own.
      let other = try await farm.another()
      try await other.addHorse()
    }
  }

  @Test("Neither an operator nor a repeated request passes a limit, and none is counted twice")
  func create_repeatedOrByOperator_isCountedOnce() async throws {
    try await LimitedFarm.run(horses: 2) { farm in
      let request = Tenancy_V1.CreateEntityRequest(
        entity: .init(type: "horse", parentId: farm.stable, name: "Bella"),
        idempotencyKey: "bella"
      )
      let options = CallOptions.by(Self.owner)
      let first = try await farm.stage.entities.create(request, options: options)
      #expect(try await farm.stage.entities.create(request, options: options).id == first.id)
      try await farm.addHorse()
      try await farm.stage.makeOperator("usr_root")
      #expect(await farm.refusal(by: "usr_root")?.limit?["count"] == "2")
      // A user without the right to create one learns nothing of limits.
      #expect(await farm.refusal(by: "usr_stranger")?.reason == "NOT_FOUND")
      try await farm.counters()
    }
  }

  @Test("A deletion makes room, of one and of a stable with all in it")
  func delete_makesRoom() async throws {
    try await LimitedFarm.run(horses: 3, stables: 2) { farm in
      let horse = try await farm.addHorse()
      let south = try await farm.stage.create("stable", under: farm.id, by: Self.owner).id
      for _ in 0..<2 { try await farm.addHorse(to: south) }
      #expect(await farm.refusal()?.limit?["count"] == "3")
      try await farm.delete(horse)
      #expect(await farm.refusal() == nil)
      #expect(await farm.refusal() != nil)
      try await farm.delete(south)
      #expect(
        try await farm.counters() == ["maxHorses \(farm.id)": 1, "maxStables \(farm.id)": 1]
      )
      for _ in 0..<2 { try await farm.addHorse() }
      #expect(await farm.refusal() != nil)
      try await farm.delete(farm.id)
      #expect(try await farm.counters().isEmpty)
    }
  }

  @Test("After a downgrade all stay and creation is refused; after an upgrade there is room")
  func limit_changes_countForCreationAlone() async throws {
    try await LimitedFarm.run(horses: nil) { farm in
      for _ in 0..<4 { try await farm.addHorse() }
      // Nobody counted while it was unlimited.
      #expect(try await farm.counters()["maxHorses \(farm.id)"] == nil)
      farm.entitlement.set(limits: ["maxHorses": 2, "maxStables": 1], of: farm.id)
      let isRefused = await farm.stage.eventually { await farm.refusal() != nil }
      #expect(isRefused)
      let found = try await farm.stage.entities.list(
        .init(type: "horse"),
        options: .by(Self.owner)
      ).entities
      let refused = await farm.refusal()?.limit
      #expect(refused?["maximum"] == "2" && refused?["count"] == "\(found.count)")
      #expect(found.count >= 4)
      // What is there can be changed, moved inside of the organization, and deleted.
      for horse in found.dropFirst(1) { try await farm.delete(horse.id) }
      try await farm.addHorse()
      #expect(try await farm.counters()["maxHorses \(farm.id)"] == 2)
      farm.entitlement.set(limits: ["maxHorses": nil, "maxStables": 1], of: farm.id)
      let isBack = await farm.stage.eventually { await farm.refusal() == nil }
      #expect(isBack)
      try await farm.addHorse()
      // A count that is there stays true while it is unlimited.
      #expect(try await farm.counters()["maxHorses \(farm.id)"] ?? 0 >= 4)
    }
  }

  @Test("A batch past the limit is refused whole, and names the first element that does not fit")
  func batchCreate_pastLimit_namesElement() async throws {
    try await LimitedFarm.run { farm in
      for _ in 0..<3 { try await farm.addHorse() }
      func batch(_ count: Int) -> Tenancy_V1.BatchCreateEntitiesRequest {
        .init(
          entities: (0..<count).map {
            .init(type: "horse", parentId: farm.stable, name: "Horse \($0)")
          }
        )
      }
      let refused = await #expect(throws: RPCError.self) {
        try await farm.stage.entities.batchCreate(batch(4), options: .by(Self.owner))
      }
      #expect(
        refused?.limit == [
          "limit": "maxHorses", "maximum": "5", "count": "3", "requested": "4",
          "field": "entities[2]", "unlocked_by_tier": "standard",
        ]
      )
      #expect(refused?.message.hasPrefix("entities[2]: 4 more of type horse would exceed") == true)
      #expect(try await farm.counters()["maxHorses \(farm.id)"] == 3)
      // More than any tier has.
      let many = await #expect(throws: RPCError.self) {
        try await farm.stage.entities.batchCreate(batch(38), options: .by(Self.owner))
      }
      #expect(many?.limit?["unlocked_by_tier"] == nil && many?.limit?["requested"] == "38")
      let two = try await farm.stage.entities.batchCreate(batch(2), options: .by(Self.owner))
      #expect(two.entityIds.count == 2)
      #expect(try await farm.counters()["maxHorses \(farm.id)"] == 5)
    }
  }

  @Test("Where the limit was never heard nothing is created, and nothing is counted")
  func limit_neverHeard_isUnavailable() async throws {
    try await LimitedFarm.run { farm in
      let silent = try await farm.stage.create("organization", by: Self.owner).id
      farm.entitlement.setDown(true)
      let refused = await #expect(throws: RPCError.self) {
        try await farm.stage.create("stable", under: silent, by: Self.owner)
      }
      #expect(refused?.code == .unavailable && refused?.reason == "ENTITLEMENTS_UNAVAILABLE")
      #expect(refused?.retryDelay != nil)
      // Back again, it has no stables at all.
      farm.entitlement.setDown(false)
      let none = await #expect(throws: RPCError.self) {
        try await farm.stage.create("stable", under: silent, by: Self.owner)
      }
      #expect(none?.limit?["maximum"] == "0" && none?.limit?["count"] == "0")
    }
  }

  @Test("Without an EntitlementService nothing is limited")
  func limit_withoutPeer_doesNotApply() async throws {
    try await TenancyStage.run(policy: PolicyFile.bytes("equestrian")) { stage in
      let farm = try await stage.create("organization", by: Self.owner).id
      for _ in 0..<2 {
        let stable = try await stage.create("stable", under: farm, by: Self.owner).id
        for _ in 0..<4 { _ = try await stage.create("horse", under: stable, by: Self.owner) }
      }
    }
  }

  @Test("A horse that moves to another organization needs room there and leaves it here")
  func move_acrossHolders_isCounted() async throws {
    try await LimitedFarm.run(horses: 2) { farm in
      let other = try await farm.another(horses: 1, stables: 2)
      let (bella, dan) = (try await farm.addHorse(), try await farm.addHorse())
      try await farm.move(bella, under: other.stable)
      #expect(
        try await farm.counters() == [
          "maxHorses \(farm.id)": 1, "maxHorses \(other.id)": 1, "maxStables \(farm.id)": 1,
          "maxStables \(other.id)": 1,
        ]
      )
      let refused = await #expect(throws: RPCError.self) {
        try await farm.move(dan, under: other.stable)
      }
      #expect(refused?.limit?["count"] == "1" && refused?.limit?["maximum"] == "1")
      try await farm.addHorse()
      // Inside of a full organization it may go anywhere.
      let north = try await farm.stage.create("stable", under: other.id, by: Self.owner).id
      try await farm.move(bella, under: north)
      try await farm.delete(bella)
      try await farm.move(dan, under: other.stable)
      try await farm.counters()
    }
  }

  @Test("A policy that counts otherwise begins to count anew")
  func reload_otherLimits_countsAnew() async throws {
    let text = String(decoding: try PolicyFile.bytes("equestrian"), as: UTF8.self)
    let counts = #""counts": { "limit": "maxHorses", "of": "organization" },"#
    try #require(text.contains(counts))
    func policy(_ version: Int, _ text: String) -> [UInt8] {
      [UInt8](text.replacing(#""version": 4"#, with: #""version": \#(version)"#).utf8)
    }
    try await LimitedFarm.run(horses: 2, stables: 1) { farm in
      try await farm.addHorse()
      try await farm.stage.service.reload { policy(4, text.replacing(counts, with: "")) }
      for _ in 0..<2 { try await farm.addHorse() }
      try await farm.stage.service.reload { policy(5, text) }
      #expect(await farm.refusal()?.limit?["count"] == "3")
      // Another edition with the same limits goes on counting.
      for horse in try await farm.stage.entities.list(
        .init(type: "horse"),
        options: .by(Self.owner)
      ).entities.prefix(2) { try await farm.delete(horse.id) }
      try await farm.addHorse()
      let counters = try await farm.counters()
      try await farm.stage.service.reload { policy(6, text) }
      #expect(try await farm.counters() == counters)
    }
  }
}
