import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Deleting in random forests")
struct CascadeTests {
  /// A failure is replayed with the seed that it prints.
  private static let seedVariable = "CASCADE_SEED"

  @Test(
    "What a dry run says is what goes; nothing else changes, and nothing is left without a place"
  )
  func delete_randomForest_isWhatDryRunSaid() async throws {
    let seed = SeededGenerator.seed(Self.seedVariable)
    let hint: Comment = "replay with \(Self.seedVariable)=\(seed)"
    try await TenancyStage.run { stage in
      var forest = try await StoredForest(stage, seed: seed)
      var (deletedCount, keptCount, refusedCount) = (0, 0, 0)
      for _ in 0..<60 {
        for _ in 0..<8 { try await forest.grow() }
        guard let deletion = try await forest.randomDeletion() else { continue }
        let before = try await forest.image()
        let revision = stage.service.database.revision
        let expected = before.deleting(deletion)

        let dry = try await forest.delete(deletion, isDryRun: true)
        #expect(dry.deleted == expected.counts, "\(deletion); \(hint)")
        #expect(dry.unassignedDevices == UInt64(expected.keptDevices.count), "\(deletion); \(hint)")
        #expect(dry.devicesMovedTo == expected.home, "\(deletion); \(hint)")
        if before.subtree(of: deletion.id).count > 1, deletion.type != "device" {
          let refused = try await refusal { try await forest.deleteWithoutCascade(deletion) }
          #expect(refused == Refusal(.failedPrecondition, "HAS_DEPENDENTS"), hint)
          refusedCount += 1
        }
        #expect(try await forest.image() == before, "a dry run changed something; \(hint)")
        #expect(stage.service.database.revision == revision, "or told of a change; \(hint)")

        let done = try await forest.delete(deletion, isDryRun: false)
        #expect(done.deleted == dry.deleted, "\(deletion); \(hint)")
        #expect(done.unassignedDevices == dry.unassignedDevices, "\(deletion); \(hint)")
        #expect(done.devicesMovedTo == dry.devicesMovedTo, "\(deletion); \(hint)")
        let after = try await forest.image()
        let changed = expected.keptDevices.union(expected.listing)
        #expect(after.settled(changed) == expected.after, "\(deletion); \(hint)")
        for id in changed {
          let (old, new) = (before.entities[id]?.changed, after.entities[id]?.changed)
          #expect(old != new, "\(id); \(deletion); \(hint)")
        }
        #expect(after.orphans == [], "\(deletion); \(hint)")
        try await forest.requireEngineFollows(hint)
        deletedCount += before.entities.count - after.entities.count
        keptCount += expected.keptDevices.count
      }
      #expect(deletedCount > 60 && keptCount > 10 && refusedCount > 10, hint)
    }
  }

  @Test("Whoever removes whom at the same time, a portfolio keeps an owner")
  func removeAdmin_concurrentAndRandom_keepsAnOwner() async throws {
    let seed = SeededGenerator.seed(Self.seedVariable)
    let hint: Comment = "replay with \(Self.seedVariable)=\(seed)"
    var generator = SeededGenerator(state: seed)
    try await TenancyStage.run { stage in
      let first = "usr_owner0"
      let portfolio = try await stage.portfolios.create(.init(name: "p"), options: .by(first)).id
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: "usr_super"),
        options: .byService("auth")
      )
      var lastCount = 0
      for _ in 0..<40 {
        let people = (0..<Int.random(in: 1...5, using: &generator)).map { "usr_owner\($0)" }
        for person in people {
          _ = try await stage.portfolios.addAdmin(
            .init(portfolioId: portfolio, userId: person, role: "owner"),
            options: .by("usr_super")
          )
        }
        // Some twice, and all at once.
        let victims = (people + people.filter { _ in Bool.random(using: &generator) })
          .shuffled(using: &generator)
        let refusals = try await withThrowingTaskGroup(of: Refusal?.self) { group in
          for victim in victims {
            group.addTask {
              try await refusal {
                try await stage.portfolios.removeAdmin(
                  .init(portfolioId: portfolio, userId: victim),
                  options: .by("usr_super")
                )
              }
            }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        let refused = refusals.compactMap(\.self)
        #expect(refused.allSatisfy { $0 == Refusal(.failedPrecondition, "LAST_OWNER") }, hint)
        lastCount += refused.count
        let owners = try await stage.associations.listByEntity(
          .init(entityId: portfolio, role: "owner"),
          options: .by("usr_super")
        ).associations
        #expect(!owners.isEmpty, hint)
      }
      #expect(lastCount >= 10, hint)
    }
  }
}
