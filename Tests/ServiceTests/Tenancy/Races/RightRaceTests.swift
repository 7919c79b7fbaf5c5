import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

/// Every write that needs a right against every change that takes it.
///
/// Each race is one world, in which every deed is done once and the right is lost once. So a race of a
/// loss is one of each pair (deed, loss). `RACE_COUNT` says how many there are for each loss, and
/// `RACE_SEED` repeats the order of a failure.
@Suite("Writes that race with what takes the right to them")
struct RightRaceTests {
  private static let raceCount =
    ProcessEnvironment.variables["RACE_COUNT"].flatMap { Int($0) } ?? 100
  /// So few that all calls of a batch can wait without one being shed.
  private static let worldsPerBatch = 10

  /// What is queued: a deed, or the loss, of one world.
  private struct Move: Sendable {
    let world: RaceWorld
    /// Nil for the loss.
    let deed: WriteKind?
  }

  private func build(_ worlds: [RaceWorld], _ stage: RaceStage) async throws {
    let policy = stage.core.policy
    try await stage.database.write { tx in
      for world in worlds { try world.build(policy, tx) }
    }
  }

  private func moves(_ worlds: [RaceWorld], _ random: inout SeededGenerator) -> [Move] {
    worlds.flatMap { world in
      WriteKind.allCases.map { Move(world: world, deed: $0) } + [Move(world: world, deed: nil)]
    }.shuffled(using: &random)
  }

  private func lose(_ world: RaceWorld, _ stage: RaceStage) async throws {
    let (core, endings) = (stage.core, stage.endings)
    try await stage.database.write { tx in try world.lose(core, endings, tx) }
  }

  @Test(
    "Writes of one commit are decided in their order, wherever between them the right is lost",
    arguments: Loss.allCases
  )
  func writes_queued_areDecidedInOrder(loss: Loss) async throws {
    let seed = SeededGenerator.seed("RACE_SEED")
    var random = SeededGenerator(state: seed)
    try await RaceStage.run { stage in
      var done = 0
      while done < Self.raceCount {
        let worlds = (done..<done + Self.worldsPerBatch).map { RaceWorld(index: $0, loss: loss) }
        done += worlds.count
        try await build(worlds, stage)
        let database = stage.database
        let hold = await WriterHold(database)
        var lost: Set<Int> = []
        var waiting: [(Move, expected: Refusal?, Task<Refusal?, Never>)] = []
        for move in moves(worlds, &random) {
          if move.deed == nil { lost.insert(move.world.index) }
          let task = await WriterHold.queue(in: database) { () -> Refusal? in
            if let deed = move.deed { return await move.world.attempt(deed, stage) }
            do {
              try await lose(move.world, stage)
              return nil
            } catch {
              return Refusal(.unknown, "\(error)")
            }
          }
          let isRefused = move.deed != nil && lost.contains(move.world.index)
          waiting.append((move, isRefused ? loss.refusal : nil, task))
          // Here and there a commit ends.
          guard random.next() % 16 == 0 else { continue }
          _ = await WriterHold.queue(in: database) {
            try? await database.write { tx in try tx.relyOnEverything() }
          }
        }
        try await hold.end()
        for (move, expected, task) in waiting {
          let outcome = await task.value
          #expect(
            outcome == expected,
            "\(loss) \(move.deed?.rawValue ?? "loss") in world \(move.world.index), seed \(seed)"
          )
        }
      }
      try await expectNothingAfterLosses(loss, stage, "seed \(seed)")
    }
  }

  @Test(
    "Nothing is done after the right is lost when everybody writes at once",
    arguments: Loss.allCases
  )
  func writes_concurrent_endWithTheRight(loss: Loss) async throws {
    let seed = SeededGenerator.seed("RACE_SEED")
    var random = SeededGenerator(state: seed)
    try await RaceStage.run { stage in
      let worlds = (0..<Self.raceCount).map { RaceWorld(index: $0, loss: loss) }
      try await build(worlds, stage)
      let moves = moves(worlds, &random)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<16 {
          group.addTask {
            for move in moves where move.world.index % 16 == writer || move.deed == nil {
              guard let deed = move.deed else {
                if move.world.index % 16 == (writer + 1) % 16 { try await lose(move.world, stage) }
                continue
              }
              let outcome = await move.world.attempt(deed, stage)
              #expect(outcome == nil || outcome == loss.refusal, "\(loss) \(deed), seed \(seed)")
            }
          }
        }
        try await group.waitForAll()
      }
      try await expectNothingAfterLosses(loss, stage, "seed \(seed)")
    }
  }

  /// The audit log has the order of commits: no manager does anything after the loss.
  private func expectNothingAfterLosses(
    _ loss: Loss,
    _ stage: RaceStage,
    _ comment: Comment
  ) async throws {
    let records = try await stage.database.read { tx in
      try tx.query("SELECT actor, action, object, outcome FROM audit_log ORDER BY sequence") {
        (actor: $0.text(0), action: $0.text(1), object: $0.text(2), outcome: $0.text(3))
      }
    }
    var lost: Set<String> = []
    var doneCount = 0
    for record in records {
      if record.actor == RaceWorld.loser {
        lost.insert("user:\(record.object)")
      } else if record.outcome == AuditRecord.Outcome.done.rawValue {
        doneCount += 1
        #expect(!lost.contains(record.actor), "\(record.action) after \(loss): \(comment)")
      }
    }
    #expect(lost.count == Self.raceCount && doneCount > 0)
  }
}
