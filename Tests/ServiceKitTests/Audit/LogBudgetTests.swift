import PeerContracts
import TestingContracts
import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("How much log a user may leave")
struct LogBudgetTests {
  private static let window = LogBudget.window

  /// Serves a method that leaves a record for each call, in a store whose users have a budget of a mebibyte.
  private func serving(
    _ body: (CallStage, Database, ManualClock, MetricRegistry) async throws -> Void
  ) async throws {
    let clock = ManualClock()
    let metrics = MetricRegistry()
    let folder = try TemporaryFolder()
    var configuration = Notes.configuration(folder)
    configuration.logBudgetByteCount = 1 << 20
    let database = try await Database.open(
      configuration,
      migrations: Notes.migrations,
      clock: clock
    )
    let store = ServiceStore(
      database,
      of: "test",
      identifiers: IdentifierFactory(clock: clock, random: SystemRandomSource()),
      metrics: metrics
    )
    try await CallStage.run { request, call in
      try await store.write(call, once: call.metadata["key"] ?? "", request.protobufBytes) { tx in
        for place in 0..<50 {
          try tx.audit("note.put", object: "\(place)", detail: String(repeating: "x", count: 1500))
        }
        return CallStage.Response(allowed: true)
      }
    } _: { stage in
      try await body(stage, database, clock, metrics)
    }
    await database.close()
    withExtendedLifetime(folder) {}
  }

  private func recordCount(_ database: Database) async throws -> Int64 {
    try await database.read { tx in
      try tx.first("SELECT count(*) FROM audit_log") { $0.integer(0) } ?? -1
    }
  }

  @Test("Past the budget a change is refused before it is begun, and it comes back with time")
  func write_pastTheBudget_isRefused() async throws {
    try await serving { stage, database, clock, metrics in
      var count: Int64 = 0
      var refusal: RPCError?
      while refusal == nil, count < 100 {
        refusal = try await stage.error(["test-user": "usr_1", "key": "k\(count)"])
        if refusal == nil { count += 1 }
      }
      let error = try #require(refusal)
      #expect(error.code == .resourceExhausted && error.reason == "LOG_BUDGET_SPENT")
      #expect(error.errorInfo?.domain == "gatehouse.test")
      #expect(error.hasDetail(Google_Rpc.RetryInfo.self))
      // A mebibyte of records of about 1.7 kB each.
      #expect((11...14).contains(count))
      #expect(try await recordCount(database) == count * 50)
      // The refusal is no answer that a key keeps, and others have budgets of their own.
      #expect(try await stage.error(["test-user": "usr_2"]) == nil)
      clock.advance(Self.window / 5)
      #expect(try await stage.error(["test-user": "usr_1", "key": "k\(count)"]) == nil)
      let text = String(decoding: metrics.render(), as: UTF8.self)
      #expect(text.contains(#"gatehouse_service_store_refusals_total{reason="log"} 1"#))
    }
  }

  @Test("Repeated answers, other services and callers without an account spend nothing")
  func write_ofOthers_isNotCounted() async throws {
    try await serving { stage, database, _, metrics in
      for _ in 0..<100 {
        #expect(try await stage.error(["test-user": "usr_1", "key": "same"]) == nil)
      }
      #expect(try await recordCount(database) == 50)
      for _ in 0..<20 {
        #expect(try await stage.error(["test-service": "auth"]) == nil)
        #expect(try await stage.error([:]) == nil)
      }
      #expect(try await recordCount(database) == 41 * 50)
      let text = String(decoding: metrics.render(), as: UTF8.self)
      let line = try #require(
        text.split(separator: "\n").first {
          $0.hasPrefix("gatehouse_service_store_log_bytes_total ")
        }
      )
      let logged = try #require(Double(line.split(separator: " ")[1]))
      #expect(logged > 3_000_000)
      guard !TestServer.isUsed else { return }
      // What is counted is what the file grows by, or a little more.
      let size = StoreFile.byteCount(database.configuration.path) ?? 0
      let log = StoreFile.byteCount(database.configuration.path + "-wal") ?? 0
      #expect(Double(size + log) < logged * 2.5)
      #expect(text.contains("gatehouse_service_store_bytes "))
    }
  }

  @Test("A clock that is set back, or far ahead, refuses nobody for longer than the budget takes")
  func limit_clockJumps_areSurvived() {
    let limit = SpendingLimit(amount: 1000, window: 10_000)
    let now: Int64 = 1_700_000_000_000
    #expect(limit.wait(of: "a", now: now) == nil)
    limit.spend(999, by: "a", now: now)
    #expect(limit.wait(of: "a", now: now) == nil)
    limit.spend(501, by: "a", now: now)
    #expect(limit.wait(of: "a", now: now) == 5001)
    #expect(limit.wait(of: "b", now: now) == nil)
    #expect(limit.wait(of: "a", now: now + 5001) == nil)
    #expect(limit.wait(of: "a", now: now - 1_000_000_000) == nil)
    limit.spend(-501, by: "a", now: now)
    #expect(limit.wait(of: "a", now: now) == nil)
  }
}
