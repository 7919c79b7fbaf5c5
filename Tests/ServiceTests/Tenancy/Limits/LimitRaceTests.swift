import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Limits under many callers")
struct LimitRaceTests {
  private static let owner = LimitedFarm.owner

  @Test("Of 64 who create at the same time exactly as many succeed as there is room for")
  func create_by64_isExact() async throws {
    try await LimitedFarm.run(horses: 20) { farm in
      try await farm.stage.withChannels(64) { channels in
        let outcomes = await withTaskGroup(of: String.self) { group in
          for channel in channels {
            group.addTask {
              let horse = Tenancy_V1.NewEntity(type: "horse", parentId: farm.stable, name: "Bella")
              do {
                _ = try await Tenancy_V1.EntitiesClient(channel).create(
                  .init(entity: horse),
                  options: .by(Self.owner)
                )
                return "created"
              } catch {
                return (error as? RPCError)?.reason ?? "\(error)"
              }
            }
          }
          return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(outcomes == ["created": 20, "LIMIT_EXCEEDED": 44])
      }
      #expect(try await farm.counters()["maxHorses \(farm.id)"] == 20)
    }
  }

  @Test("After any creations, batches, moves and deletions, together or not, each count is true")
  func changes_atRandom_keepCountsTrue() async throws {
    let seed = SeededGenerator.seed("LIMIT_SEED")
    try await LimitedFarm.run(horses: 12, stables: 3) { farm in
      let farms = [farm, try await farm.another(horses: 7, stables: 2)]
      for round in 0..<12 {
        var generator = SeededGenerator(state: seed &+ UInt64(round))
        let listed = try await farm.stage.entities.list(
          .init(type: "stable"),
          options: .by(Self.owner)
        ).entities.map(\.id)
        let horses = try await farm.stage.entities.list(
          .init(type: "horse"),
          options: .by(Self.owner)
        ).entities.map(\.id)
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<16 {
            let change = Int.random(in: 0..<12, using: &generator)
            let stable = listed.randomElement(using: &generator) ?? ""
            let horse = horses.randomElement(using: &generator) ?? ""
            let home = farms.randomElement(using: &generator) ?? farm
            group.addTask {
              // Refusals and what another one has deleted are a part of it.
              try? await Self.perform(change, stable, horse, home)
            }
          }
        }
        let counters = try await farm.counters()
        for (name, used) in counters where name.hasSuffix(farm.id) {
          #expect(used <= (name.hasPrefix("maxHorses") ? 12 : 3), "LIMIT_SEED \(seed)")
        }
      }
    }
  }

  private static func perform(
    _ change: Int,
    _ stable: String,
    _ horse: String,
    _ farm: LimitedFarm
  ) async throws {
    switch change {
    case 0...3: try await farm.addHorse(to: stable)
    case 4, 5:
      _ = try await farm.stage.entities.batchCreate(
        .init(
          entities: (0..<3).map { .init(type: "horse", parentId: stable, name: "\($0)") }
        ),
        options: .by(owner)
      )
    case 6...8: try await farm.move(horse, under: stable)
    case 9: try await farm.delete(horse)
    case 10: _ = try await farm.stage.create("stable", under: farm.id, by: owner)
    default: try await farm.delete(stable)
    }
  }
}
