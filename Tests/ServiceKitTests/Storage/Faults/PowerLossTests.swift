import Foundation
import RPCKitTesting
import ServiceKit
import Testing

@Suite("Losing the power in the middle of writes", .fileStores, .timeLimit(.minutes(10)))
struct PowerLossTests {
  /// More when the environment asks for it, as a nightly run does; then it also says how many.
  private static let lossCount =
    ProcessInfo.processInfo.environment["STORE_POWER_LOSSES"].flatMap { Int($0) } ?? 600

  private let recording: TemporaryFolder
  private let crashed: TemporaryFolder

  init() throws {
    recording = try TemporaryFolder()
    crashed = try TemporaryFolder()
  }

  /// Cuts the power at `count` moments spread over the history; what is wrong after each.
  private func damages(
    of history: StoreHistory,
    count: Int,
    seed: UInt64,
    limit: Int = 5
  ) async -> [String] {
    var random = SimulationRandom(seed: seed)
    var model = DiskModel(history.start)
    var damages: [String] = []
    var done = 0
    for position in 0...history.operations.count {
      // As many before this moment as its share of the history.
      let due = (position + 1) * count / (history.operations.count + 1)
      while done < due, damages.count < limit {
        let lossSeed = random.next()
        let damage = await history.damage(at: position, model: model, seed: lossSeed, in: crashed)
        if let damage { damages.append("operation \(position), seed \(lossSeed): \(damage)") }
        done += 1
      }
      guard position < history.operations.count else { break }
      model.apply(history.operations[position], &random)
    }
    return damages
  }

  @Test("No acknowledged write is lost and no write is half there, wherever the power goes")
  func store_losingPower_losesNothing() async throws {
    let roundCount = (Self.lossCount + 1999) / 2000
    for round in 0..<roundCount {
      let history = try await StoreHistory.record(in: recording, seed: UInt64(round))
      // A history of few operations, or without a log that started again, would prove little.
      #expect(history.acknowledged.count > 150)
      #expect(history.logRestartCount > 1)
      let found = await damages(
        of: history,
        count: Self.lossCount / roundCount,
        seed: UInt64(round) + 1
      )
      #expect(found.isEmpty, "round \(round): \(found.joined(separator: "\n"))")
      try recording.replaceAll(with: [:])
      print(
        "figures: store: \((round + 1) * Self.lossCount / roundCount) losses of power, none lost"
      )
    }
  }

  @Test("Nothing is lost either when the power goes again while the store recovers")
  func store_losingPowerInRecovery_losesNothing() async throws {
    let history = try await StoreHistory.record(in: recording, seed: 77)
    var random = SimulationRandom(seed: 78)
    var model = DiskModel()
    for position in 0..<history.operations.count {
      model.apply(history.operations[position], &random)
      guard random.chance(6 / Double(history.operations.count)) else { continue }
      let files = model.afterPowerLoss(&random)
      let recovery = try await history.recordRecovery(from: files, at: position + 1, in: recording)
      let found = await damages(of: recovery, count: 20, seed: random.next())
      #expect(found.isEmpty, "after operation \(position): \(found.joined(separator: "\n"))")
    }
  }

  @Test(
    "A disk that claims to have confirmed what it has not is found out: these tests can fail",
    arguments: [FaultyDisk.Role.log, .database]
  )
  func harness_onALyingDisk_findsTheLoss(_ role: FaultyDisk.Role) async throws {
    let history = try await StoreHistory.record(in: recording, lyingAbout: role, seed: 5)
    let found = await damages(of: history, count: 300, seed: 6, limit: 1)
    #expect(!found.isEmpty)
  }
}
