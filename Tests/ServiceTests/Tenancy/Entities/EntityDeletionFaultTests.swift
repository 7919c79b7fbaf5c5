import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

/// Random histories: calls do not arrive, lose their answers or come again later, and the service is stopped
/// in between.
@Suite("Deleting trees while EntitlementService fails", .timeLimit(.minutes(10)))
struct EntityDeletionFaultTests {
  /// Histories of each kind of tree; more with the environment: `ENTITY_DELETION_SEEDS=1000`.
  private static let seedCount =
    ProcessInfo.processInfo.environment["ENTITY_DELETION_SEEDS"].flatMap { Int($0) } ?? 5
  /// Trees of one history, and runs of the service in it.
  private static let (treeCount, runCount) = (8, 3)
  private static let (owner, member) = ("usr_olga", "usr_mia")

  @Test(
    "Each deletion ends what it has to, and nothing else",
    arguments: DeletableTree.allCases
  )
  func deletions_withFaults_end(tree: DeletableTree) async throws {
    for seed in 0..<max(1, Self.seedCount) { try await run(tree, seed: UInt64(seed) + 1) }
  }

  private func run(_ tree: DeletableTree, seed: UInt64) async throws {
    var random = SimulationRandom(seed: seed)
    let faults = Lock(SimulationRandom(seed: random.next()))
    let (folder, holders) = (try TestFolder(), ScriptedHolders())
    let policy = try PolicyFile.bytes(tree.policy)
    holders.fail {
      switch faults.withLock({ $0.next() }) % 8 {
      case 0, 1, 2: .refused
      case 3, 4: .answerLost
      case 5: .repeatedLate
      default: nil
      }
    }
    var kept: [DeletableTree.Built] = []
    var gone: [(tree: DeletableTree.Built, deletion: String)] = []
    for _ in 0..<Self.runCount {
      try await TenancyStage.run(policy: policy, in: folder, holders: holders) { stage in
        stage.clock.advance(HolderEndings.pauses.upperBound)
        for _ in 0..<Self.treeCount {
          let built = try await tree.build(stage, owner: Self.owner, member: Self.member)
          guard random.next() % 3 != 0 else {
            kept.append(built)
            continue
          }
          let done = try await stage.entities.delete(
            .init(entityId: built.root, cascade: true),
            options: .by(Self.owner)
          )
          gone.append((built, done.deletionId))
          if random.next() % 2 == 0 { await stage.endHolders() }
          stage.clock.advance(Int64(random.next() % 5_000))
        }
        await stage.endHolders()
      }
    }
    holders.fail(nil)
    try await TenancyStage.run(policy: policy, in: folder, holders: holders) { stage in
      stage.clock.advance(4 * HolderEndings.pauses.upperBound)
      await stage.endHolders()
      let waiting = try await stage.waitingHolders()
      #expect(waiting == [], "seed \(seed)")
      for (_, id) in gone {
        let deletion = try await stage.entities.getDeletion(
          .init(deletionId: id),
          options: .by(Self.owner)
        )
        #expect(deletion.finishedAt != nil, "seed \(seed)")
      }
      let held = try await stage.associations.listByUser(
        .init(pageSize: 100),
        options: .by(Self.member)
      )
      #expect(Set(held.associations.map(\.entityId)) == Set(kept.map(\.root)), "seed \(seed)")
    }
    let expected = gone.reduce(into: Set<String>()) { $0.formUnion($1.tree.holders) }
    #expect(Set(holders.ended) == expected, "seed \(seed)")
  }
}
