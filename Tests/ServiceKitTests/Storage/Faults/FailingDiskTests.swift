import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@Suite("A disk that fails", .fileStores, .timeLimit(.minutes(5)))
struct FailingDiskTests {
  private let folder: TemporaryFolder
  private let disk = FaultyDisk()

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder.file("pairs.db") }

  /// Which writes were acknowledged, and what the others met.
  private struct Outcome {
    var acknowledged: Set<Int64> = []
    var failures: [StoreError] = []
  }

  private func write(
    _ numbers: Range<Int64>,
    to database: Database,
    byteCount: Int = 3000
  ) async throws -> Outcome {
    var outcome = Outcome()
    for number in numbers {
      do {
        try await PairStore.write(number, to: database, byteCount: byteCount)
        outcome.acknowledged.insert(number)
      } catch let error as StoreError {
        outcome.failures.append(error)
      }
    }
    return outcome
  }

  private func isUnavailable(_ error: StoreError) -> Bool {
    if case .unavailable = error { true } else { false }
  }

  private func isBroken(_ database: Database) -> Bool {
    if case .broken = database.condition { true } else { false }
  }

  /// Opens the store on a good disk, as after a restart: everything acknowledged is whole there.
  private func expectWhole(_ acknowledged: Set<Int64>, _ comment: Comment) async throws {
    let database: Database
    do {
      database = try await PairStore.open(path)
    } catch {
      Issue.record("\(comment): \(error)")
      return try folder.replaceAll(with: [:])
    }
    let contents = try await PairStore.contents(of: database)
    #expect(acknowledged.isSubset(of: contents.numbers), comment)
    #expect(contents.contradictions == [], comment)
    try await PairStore.write(1_000_000, to: database)
    await database.close()
    try folder.replaceAll(with: [:])
  }

  @Test(
    "After a failed fsync nothing more is written, reads go on, and a restart has what was answered",
    arguments: [FaultyDisk.Role.log, .database]
  )
  func store_failingToSynchronize_isBrokenUntilRestarted(_ role: FaultyDisk.Role) async throws {
    var number = 1
    while true {
      let database = try await PairStore.open(path, on: disk)
      disk.plan(.sync(role, number: number))
      let first = try await write(0..<60, to: database)
      guard disk.firedCount > 0 else {
        await database.close()
        break
      }
      let comment: Comment = "synchronization \(number) of \(role)"
      #expect(isBroken(database), comment)
      #expect(!database.readinessCheck.isReady, comment)
      #expect(first.failures.count == 60 - first.acknowledged.count, comment)
      #expect(first.failures.allSatisfy(isUnavailable), comment)
      let read = try await PairStore.contents(of: database)
      #expect(read.numbers == first.acknowledged && read.contradictions == [], comment)
      // The disk works again, and is not believed.
      let later = try await write(200..<203, to: database)
      #expect(later.acknowledged.isEmpty && later.failures.allSatisfy(isUnavailable), comment)
      await database.close()
      let after = disk.operations.drop { if case .failedSync = $0 { false } else { true } }
      let changes = after.dropFirst().filter { !$0.isHarmless }
      #expect(changes.isEmpty, "written after it: \(comment)")
      try await expectWhole(first.acknowledged, comment)
      try await expectWholeAfterPowerLoss(first.acknowledged, comment, seed: UInt64(number))
      // The later ones in growing steps, which meet commits and checkpoints alike.
      number += max(1, number / 8)
      disk.forget()
    }
    #expect(number > (role == .log ? 50 : 1))
  }

  /// What the failed synchronization has lost is worked out by the model.
  private func expectWholeAfterPowerLoss(
    _ acknowledged: Set<Int64>,
    _ comment: Comment,
    seed: UInt64
  ) async throws {
    var random = SimulationRandom(seed: seed)
    var model = DiskModel()
    for operation in disk.operations { model.apply(operation, &random) }
    try folder.replaceAll(with: model.afterPowerLoss(&random))
    try await expectWhole(acknowledged, "with the power lost: \(comment)")
  }

  @Test(
    "A full disk makes writes fail, whole or in the middle, and they succeed as soon as there is room",
    arguments: [FaultyDisk.Role.log, .database],
    [false, true]
  )
  func store_onAFullDisk_recoversByItself(_ role: FaultyDisk.Role, writesHalf: Bool) async throws {
    // The last of the steps is past the number of writes that there are.
    for number in [1, 2, 3, 5, 8, 21, 55, 144, 377, 610] {
      let comment: Comment = "write \(number) to \(role)"
      let database = try await PairStore.open(path, on: disk)
      var fault = FaultyDisk.Fault.full(role, number: number, isLasting: true)
      fault.writesHalf = writesHalf
      disk.plan(fault)
      let first = try await write(0..<100, to: database)
      #expect(first.failures.allSatisfy(isUnavailable), comment)
      if role == .log, disk.firedCount > 0 {
        guard case .failing = database.condition else {
          Issue.record("condition \(database.condition) at \(comment)")
          return
        }
        #expect(database.readinessCheck.isReady, comment)
      }
      let read = try await PairStore.contents(of: database)
      #expect(read.numbers == first.acknowledged && read.contradictions == [], comment)
      disk.heal()
      let second = try await write(200..<240, to: database)
      #expect(second.failures == [], comment)
      #expect(database.condition == .working, comment)
      await database.close()
      try await expectWhole(first.acknowledged.union(second.acknowledged), comment)
    }
  }

  @Test(
    "Any single failure, at any time, is an error and no more: what was answered is there",
    arguments: [
      (FaultyDisk.Kind.write, FaultyDisk.Role.log, Int32(778)), (.write, .database, 778),
      (.write, .other, 778), (.read, .log, 266), (.read, .database, 266), (.open, .log, 14),
      (.open, .database, 14), (.open, .other, 14), (.truncate, .log, 1546), (.delete, .log, 2570),
      (.delete, .other, 2570), (.sync, .other, 1034), (.map, .database, 5386),
    ]
  )
  func store_withOneFailure_losesNothing(
    _ kind: FaultyDisk.Kind,
    _ role: FaultyDisk.Role,
    _ code: Int32
  ) async throws {
    var number = 1
    while number < 2000 {
      disk.plan(FaultyDisk.Fault(kind: kind, role: role, number: number, code: code))
      let comment: Comment = "\(kind) \(number) of \(role)"
      var acknowledged: Set<Int64> = []
      do {
        let database = try await PairStore.open(path, on: disk)
        do {
          let outcome = try await write(0..<30, to: database)
          acknowledged = outcome.acknowledged
          #expect(outcome.failures.allSatisfy(isUnavailable), comment)
          #expect(outcome.failures.count <= 1 || isBroken(database), comment)
          _ = try await PairStore.contents(of: database)
        } catch let error as StoreError {
          #expect(isUnavailable(error), comment)
        }
        await database.close()
      } catch let error as StoreError {
        #expect(error.isOfTheDisk, "\(error) at \(comment)")
      }
      let hasFired = disk.firedCount > 0
      disk.heal()
      try await expectWhole(acknowledged, comment)
      disk.forget()
      guard hasFired else { break }
      // Writes and reads are many: the later ones in growing steps.
      number += max(1, number / 4)
    }
    #expect(number > 1, "nothing of the kind ever happens")
  }
}

extension DiskOperation {
  /// Changes nothing that a disk would have to keep.
  fileprivate var isHarmless: Bool {
    switch self {
    case .open: true
    // As part of the commit that failed, SQLite cuts off what lies behind it in the log, which is old.
    case .truncate(let path, _): path.hasSuffix("-wal")
    default: false
    }
  }
}

extension StoreError {
  /// Says that the disk is the reason, and not the file.
  fileprivate var isOfTheDisk: Bool {
    switch self {
    case .unavailable, .cannotOpen: true
    default: false
    }
  }
}
