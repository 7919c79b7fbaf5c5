import Foundation
import RPCKitTesting
import ServiceKit

/// A recorded life of a store, and what it acknowledged when.
struct StoreHistory: Sendable {
  /// The files before the first operation.
  var start: [String: [UInt8]] = [:]
  var operations: [DiskOperation] = []
  /// Each write that was acknowledged, and how many operations had happened by then.
  var acknowledged: [Int64: Int] = [:]

  /// Opens a store, has eight writers write for a while, and closes it.
  static func record(
    in folder: TemporaryFolder,
    lyingAbout lie: FaultyDisk.Role? = nil,
    seed: UInt64
  ) async throws -> StoreHistory {
    let disk = FaultyDisk()
    defer { withExtendedLifetime(disk) {} }
    if let lie { disk.lie(about: lie) }
    let database = try await PairStore.open(folder.file("pairs.db"), on: disk)
    var history = StoreHistory()
    try await withThrowingTaskGroup(of: [Int64: Int].self) { group in
      for writer in 0..<8 {
        group.addTask {
          var random = SimulationRandom(seed: seed &* 8 &+ UInt64(writer))
          var acknowledged: [Int64: Int] = [:]
          for turn in 0..<25 {
            let number = Int64(turn * 8 + writer)
            do {
              try await PairStore.write(
                number,
                to: database,
                byteCount: random.skewedNumber(in: 0...12_000),
                isRefused: random.chance(0.1)
              )
              acknowledged[number] = disk.position
            } catch is PairStore.Refusal {}
          }
          return acknowledged
        }
      }
      for try await acknowledged in group {
        history.acknowledged.merge(acknowledged) { old, _ in old }
      }
    }
    await database.close()
    history.operations = disk.operations
    return history
  }

  /// Opens what a loss of power behind `position` operations has left, writes a little, and closes
  /// it: the history of that, in which everything acknowledged before must survive from the start.
  func recordRecovery(
    from files: [String: [UInt8]],
    at position: Int,
    in folder: TemporaryFolder
  ) async throws -> StoreHistory {
    try folder.replaceAll(with: files)
    var recovery = StoreHistory(start: try folder.storeFiles())
    recovery.acknowledged = acknowledged.filter { $0.value <= position }.mapValues { _ in 0 }
    let disk = FaultyDisk()
    defer { withExtendedLifetime(disk) {} }
    let database = try await PairStore.open(folder.file("pairs.db"), on: disk)
    for number in Int64(1_000_000)..<1_000_005 {
      try await PairStore.write(number, to: database, byteCount: 5000)
      recovery.acknowledged[number] = disk.position
    }
    await database.close()
    recovery.operations = disk.operations
    return recovery
  }

  /// How often the log began again from its start.
  var logRestartCount: Int {
    operations.count { operation in
      guard case .write(let name, offset: 0, _) = operation else { return false }
      return name.hasSuffix("-wal")
    }
  }

  /// What is wrong after a loss of power behind `position` operations; nil when nothing is.
  ///
  /// The store is opened again on a good disk, as a service would.
  func damage(
    at position: Int,
    model: DiskModel,
    seed: UInt64,
    in folder: TemporaryFolder
  ) async -> String? {
    var random = SimulationRandom(seed: seed)
    let files = model.afterPowerLoss(&random)
    do {
      try folder.replaceAll(with: files)
      let database = try await PairStore.open(folder.file("pairs.db"))
      let contents = try await PairStore.contents(of: database)
      await database.close()
      let lost = acknowledged.filter { $0.value <= position && !contents.numbers.contains($0.key) }
      guard lost.isEmpty else { return "lost: \(lost.keys.sorted())" }
      return contents.contradictions.isEmpty ? nil : "\(contents.contradictions)"
    } catch {
      return "\(error)"
    }
  }
}

extension TemporaryFolder {
  /// Makes the files of a disk that this folder, or another, stood for the only ones in it.
  func replaceAll(with files: [String: [UInt8]]) throws {
    let manager = FileManager.default
    for name in try manager.contentsOfDirectory(atPath: path) {
      try manager.removeItem(atPath: file(name))
    }
    for (name, bytes) in files {
      let url = URL(fileURLWithPath: name)
      try Data(bytes).write(to: URL(fileURLWithPath: file(url.lastPathComponent)))
    }
  }

  /// The files of a store in it, by path.
  func storeFiles() throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      // The lock and the shared memory do not outlive a machine.
      guard !name.hasSuffix(".lock"), !name.hasSuffix("-shm") else { continue }
      files[file(name)] = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(name))))
    }
    return files
  }
}
