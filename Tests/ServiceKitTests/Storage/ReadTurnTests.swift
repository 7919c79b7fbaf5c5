import PeerContracts
import TestingContracts
import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("Whose read is next", .timeLimit(.minutes(1)))
struct ReadTurnTests {
  /// Serves a method that reads and notes for whom, by the one thread that reads.
  private func serving(
    countMax: Int = 4096,
    _ body: (CallStage, Database, _ order: @Sendable () -> [String]) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let database = try await Notes.open(folder) {
      $0.readerCount = 1
      $0.waitingReadCountMax = countMax
    }
    let store = ServiceStore(
      database,
      of: "test",
      identifiers: IdentifierFactory(clock: ManualClock(), random: SystemRandomSource()),
      metrics: MetricRegistry()
    )
    let order = Lock([String]())
    try await CallStage.run { _, call in
      try await store.read { _ in order.withLock { $0.append(call.caller.description) } }
      return CallStage.Response(allowed: true)
    } _: { stage in
      try await body(stage, database) { order.withLock { $0 } }
    }
    await database.close()
    withExtendedLifetime(folder) {}
  }

  /// Begins a read and returns once it waits, or is over.
  private func queue(
    _ user: String,
    _ stage: CallStage,
    _ database: Database
  ) async -> Task<RPCError?, any Error> {
    let count = database.waitingReadCount
    let isOver = Lock(false)
    let task = Task {
      defer { isOver.withLock { $0 = true } }
      return try await stage.error(["test-user": user])
    }
    while database.waitingReadCount == count, !isOver.withLock({ $0 }) { await Task.yield() }
    return task
  }

  @Test("A user's hundred reads do not go before the one of somebody else")
  func reads_ofOneUser_waitForOthersTurns() async throws {
    try await serving { stage, database, order in
      let (held, release) = await database.holdReader()
      var reads: [Task<RPCError?, any Error>] = []
      for _ in 0..<100 { reads.append(await queue("heavy", stage, database)) }
      for user in ["b", "c"] { reads.append(await queue(user, stage, database)) }
      release.fire()
      try await held.value
      for read in reads { #expect(try await read.value == nil) }
      #expect(order().count == 102)
      #expect(order().prefix(3).contains("user:b") && order().prefix(3).contains("user:c"))
    }
  }

  @Test("A user who has an eighth of the free places is refused more, and nobody else is")
  func reads_pastTheShare_areRefusedToThatUser() async throws {
    try await serving(countMax: 64) { stage, database, _ in
      let (held, release) = await database.holdReader()
      var reads: [Task<RPCError?, any Error>] = []
      for _ in 0..<9 { reads.append(await queue("heavy", stage, database)) }
      let other = await queue("b", stage, database)
      release.fire()
      try await held.value
      let refused = try #require(try await reads[8].value)
      #expect(refused.code == .resourceExhausted && refused.reason == "STORE_OVERLOADED")
      #expect(refused.hasDetail(Google_Rpc.RetryInfo.self))
      #expect(try await other.value == nil)
      for read in reads.prefix(7) { #expect(try await read.value == nil) }
      _ = try await reads[7].value
    }
  }
}
