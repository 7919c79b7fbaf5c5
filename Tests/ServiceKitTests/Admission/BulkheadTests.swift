import RPCKit
import Testing

@testable import ServiceKit

/// Work that runs on threads of its own.
@Suite("Bulkheads", .timeLimit(.minutes(1)))
struct BulkheadTests {
  private struct Failed: Error {}

  /// A job that blocks its thread until it is let go, and says when it has begun.
  private final class Gate: Sendable {
    private let began = WorkSignal()
    private let opened = WorkSignal()

    func pass() {
      began.post()
      opened.wait()
    }

    func open() { opened.post() }

    /// Blocks: for a thread that has nothing else to do.
    func waitUntilReached() { began.wait() }
  }

  private let registry = MetricRegistry()

  private func bulkhead(_ placeCount: Int, perOwner: Int) throws -> Bulkhead {
    try Bulkhead(
      name: "test",
      threadCount: 1,
      placeCount: placeCount,
      placeCountPerOwner: perOwner,
      metrics: registry
    )
  }

  private func shed(_ reason: String) -> String {
    let name = "gatehouse_service_bulkhead_shed_total{work=\"test\",reason=\"\(reason)\"} "
    let lines = String(decoding: registry.render(), as: UTF8.self).split(separator: "\n")
    return lines.first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) } ?? "none"
  }

  @Test("results and errors come back, and the place is free then")
  func run_returnsAndThrows() async throws {
    let bulkhead = try bulkhead(4, perOwner: 1)
    defer { bulkhead.stop() }
    for number in 0..<50 {
      #expect(try await bulkhead.run(for: .user("a")) { number * 2 } == number * 2)
      await #expect(throws: Failed.self) {
        try await bulkhead.run(for: .user("a")) { throw Failed() }
      }
    }
    #expect(bulkhead.count == 0)
  }

  @Test("whoever has too much waiting is refused, and others are not")
  func run_ownerIsFull_isRefusedAlone() async throws {
    let bulkhead = try bulkhead(8, perOwner: 2)
    defer { bulkhead.stop() }
    let gate = Gate()
    try await withThrowingTaskGroup(of: Int.self) { group in
      group.addTask {
        try await bulkhead.run(for: .user("a")) {
          gate.pass(); return 0
        }
      }
      gate.waitUntilReached()
      group.addTask { try await bulkhead.run(for: .user("a")) { 1 } }
      while bulkhead.count < 2 { await Task.yield() }
      let error = await #expect(throws: RPCError.self) {
        try await bulkhead.run(for: .user("a")) { 2 }
      }
      #expect(error?.code == .resourceExhausted && error?.reason == "TOO_MUCH_WAITING")
      group.addTask { try await bulkhead.run(for: .user("b")) { 3 } }
      while bulkhead.count < 3 { await Task.yield() }
      gate.open()
      var results: Set<Int> = []
      for try await result in group { results.insert(result) }
      #expect(results == [0, 1, 3])
    }
    #expect(shed("owner") == "1" && shed("full") == "0" && bulkhead.count == 0)
  }

  @Test("callers without credentials leave half of the places to others")
  func run_anonymousFlood_leavesHalf() async throws {
    let bulkhead = try bulkhead(8, perOwner: 8)
    defer { bulkhead.stop() }
    let gate = Gate()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await bulkhead.run(for: .user("a")) { gate.pass() } }
      gate.waitUntilReached()
      for number in 0..<4 {
        group.addTask { try await bulkhead.run(for: .anonymous("\(number)")) {} }
      }
      while bulkhead.count < 5 { await Task.yield() }
      let error = await #expect(throws: RPCError.self) {
        try await bulkhead.run(for: .anonymous("9")) {}
      }
      #expect(error?.code == .resourceExhausted && shed("full") == "1")
      group.addTask { try await bulkhead.run(for: .user("b")) {} }
      while bulkhead.count < 6 { await Task.yield() }
      gate.open()
      try await group.waitForAll()
    }
    #expect(bulkhead.count == 0)
  }

  @Test("after its end it refuses what comes, and may be ended again")
  func stop_twice_refusesWork() async throws {
    let bulkhead = try bulkhead(2, perOwner: 1)
    try await bulkhead.run(for: .user("a")) {}
    bulkhead.stop()
    bulkhead.stop()
    let error = await #expect(throws: RPCError.self) {
      try await bulkhead.run(for: .user("a")) {}
    }
    #expect(error?.code == .unavailable)
  }

  @Test("a caller that goes away keeps its place until its job has run")
  func run_cancelled_keepsItsPlace() async throws {
    let bulkhead = try bulkhead(2, perOwner: 1)
    defer { bulkhead.stop() }
    let gate = Gate()
    let caller = Task { try await bulkhead.run(for: .user("a")) { gate.pass() } }
    gate.waitUntilReached()
    caller.cancel()
    await #expect(throws: RPCError.self) { try await bulkhead.run(for: .user("a")) {} }
    gate.open()
    try await caller.value
    try await bulkhead.run(for: .user("a")) {}
  }
}
