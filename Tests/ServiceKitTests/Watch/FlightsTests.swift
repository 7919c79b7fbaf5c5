import RPCKit
import Testing

@testable import ServiceKit

@Suite("One question at a time")
struct FlightsTests {
  private typealias Table = Flights<String, Int>
  private struct Failed: Error {}

  /// Answers when it is told to.
  private final class Answer: Sendable {
    private let stream = AsyncStream<Int>.makeStream()

    func give(_ answer: Int) { stream.continuation.yield(answer) }

    func wait() async -> Int {
      for await answer in stream.stream { return answer }
      return -1
    }
  }

  @Test("Whoever asks the same joins; whoever asks something else does not")
  func join_sameQuestion_isOneFlight() async throws {
    var flights = Table(countMax: 10)
    let answer = Answer()
    let first = try #require(flights.join("a") { _ in await answer.wait() })
    let second = try #require(
      flights.join("a") { _ in
        Issue.record("asked twice")
        return 0
      }
    )
    let other = try #require(flights.join("b") { _ in 2 })
    #expect(first == second && first != other)
    #expect(try await other.value == 2)
    answer.give(1)
    #expect(try await first.value == 1)
    #expect(try await second.value == 1)
  }

  @Test("A failure reaches all who wait, and is not kept")
  func join_failure_isForAll() async throws {
    let flights = Lock(Table(countMax: 10))
    let ask: @Sendable (Table.ID) async throws -> Int = { id in
      defer { flights.withLock { _ = $0.land("a", id) } }
      throw Failed()
    }
    let (first, second) = flights.withLock { ($0.join("a", ask), $0.join("a", ask)) }
    await #expect(throws: Failed.self) { try await first?.value }
    await #expect(throws: Failed.self) { try await second?.value }
    #expect(flights.withLock { $0.isEmpty })
    let third = flights.withLock { $0.join("a") { _ in 3 } }
    #expect(try await third?.value == 3)
  }

  @Test("A cancelled caller does not take the answer from the others")
  func join_callerCancelled_othersGetIt() async throws {
    var flights = Table(countMax: 10)
    let answer = Answer()
    let flight = try #require(flights.join("a") { _ in await answer.wait() })
    let caller = Task { try await flight.value }
    caller.cancel()
    answer.give(1)
    #expect(try await flight.value == 1)
    #expect(!flight.isCancelled)
  }

  @Test(
    "The deadline of the caller that came first is not that of the others; its trace goes along"
  )
  func join_deadline_isNotInherited() async throws {
    let scope = Lock<CallScope?>(nil)
    let flight = await CallScope.with(
      deadline: MonotonicInstant(nanoseconds: 1),
      traceparent: "00-1-1-01",
      tracestate: "vendor=1"
    ) {
      var flights = Table(countMax: 10)
      return flights.join("a") { _ in
        scope.withLock { $0 = CallScope.current }
        return 1
      }
    }
    _ = try await flight?.value
    let seen = scope.withLock { $0 }
    #expect(seen != nil && seen?.deadline == nil)
    #expect(seen?.traceparent == "00-1-1-01" && seen?.tracestate == "vendor=1")
  }

  @Test("A dropped flight is not joined any more, and learns when it lands that it is outdated")
  func drop_flight_isOutdated() async throws {
    let cases: [(name: String, drop: @Sendable (inout Table) -> Void, isDropped: Bool)] = [
      ("one", { $0.drop("a") }, true), ("another", { $0.drop("b") }, false),
      ("some", { $0.drop { $0.hasPrefix("a") } }, true),
      ("others", { $0.drop { $0.hasPrefix("b") } }, false), ("all", { $0.dropAll() }, true),
    ]
    for (name, drop, isDropped) in cases {
      let flights = Lock(Table(countMax: 10))
      let (answer, later) = (Answer(), Answer())
      let hasLanded = Lock<Bool?>(nil)
      let first = flights.withLock { table in
        table.join("a") { id in
          let answer = await answer.wait()
          hasLanded.withLock { $0 = flights.withLock { $0.land("a", id) } }
          return answer
        }
      }
      flights.withLock { drop(&$0) }
      let second = flights.withLock { $0.join("a") { _ in await later.wait() } }
      #expect((first == second) == !isDropped, "\(name)")
      answer.give(1)
      #expect(try await first?.value == 1, "those who wait get their answer")
      #expect(hasLanded.withLock { $0 } == !isDropped, "\(name)")
      // The first one must not have taken the second one's place.
      let third = flights.withLock { $0.join("a") { _ in 3 } }
      #expect((third == second) == isDropped, "\(name)")
      later.give(2)
    }
  }

  @Test("No more flights than allowed, and joining needs no place")
  func join_full_isRefused() async throws {
    let flights = Lock(Table(countMax: 2))
    let answer = Answer()
    let first = flights.withLock { table in
      table.join("a") { id in
        defer { flights.withLock { _ = $0.land("a", id) } }
        return await answer.wait()
      }
    }
    let second = flights.withLock { $0.join("b") { _ in 0 } }
    #expect(first != nil && second != nil)
    #expect(flights.withLock { $0.join("c") { _ in 0 } } == nil)
    #expect(flights.withLock { $0.join("a") { _ in 0 } } == first)
    answer.give(1)
    _ = try await first?.value
    #expect(flights.withLock { $0.join("c") { _ in 0 } } != nil)
  }
}
