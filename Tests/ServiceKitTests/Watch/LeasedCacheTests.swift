import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("Answers that are kept while changes are heard")
struct LeasedCacheTests {
  /// Answers without a bound, all good as long as the lease.
  private struct Numbers: LeasedAnswers {
    typealias Key = String

    var kept: [String: Int] = [:]
    var changeCount = 0
    var lease = Lease(.seconds(10))

    var ticket: Int { changeCount }

    mutating func forgetAll() {
      kept = [:]
      changeCount += 1
    }

    mutating func extendLease(at now: MonotonicInstant) { lease.extend(at: now) }
  }

  private typealias Cache = LeasedCache<Numbers, Int>
  private struct Failed: Error {}

  /// A cache, and calls that the test ends.
  private final class Stage: Sendable {
    let simulation = Simulation(seed: 1)
    let registry = MetricRegistry()
    let metrics: LeasedCacheMetrics
    let cache: Cache
    private let gate = AsyncStream<Int>.makeStream()
    private let asked = Lock(0)

    init(flightCountMax: Int = 10) {
      metrics = LeasedCacheMetrics(
        lookups: ("lookups_total", "Look-ups."),
        flushes: ("flushes_total", "Flushes."),
        in: registry
      )
      cache = Cache(
        Numbers(),
        flightCountMax: flightCountMax,
        clock: ManualClock(),
        loop: simulation.group().loops[0],
        metrics: metrics
      )
    }

    var askedCount: Int { asked.withLock { $0 } }

    func give(_ answer: Int) { gate.continuation.yield(answer) }

    func find(_ key: String) -> Cache.Found<Int> {
      cache.find(key) {
        $0.kept[key]
      } ask: { [self] _ in
        asked.withLock { $0 += 1 }
        for await answer in gate.stream {
          guard answer >= 0 else { throw Failed() }
          return answer
        }
        return 0
      } keep: { answers, fetched, ticket, isCurrent in
        if isCurrent { answers.kept[key] = fetched * 10 + ticket }
      }
    }

    func flight(_ key: String) throws -> Flights<String, Int>.Flight {
      guard case .flight(let flight) = find(key) else { throw Failed() }
      return flight
    }
  }

  @Test("Callers who miss the same answer make one call, and the next one finds it")
  func find_manyMiss_oneCall() async throws {
    let stage = Stage()
    let flights = [try stage.flight("a"), try stage.flight("a")]
    stage.give(4)
    for flight in flights { #expect(try await flight.value == 4) }
    #expect(stage.askedCount == 1)
    guard case .known(let kept) = stage.find("a") else { throw Failed() }
    #expect(kept == 40)
  }

  @Test("An error is for all who wait, and is not kept")
  func find_error_isNotKept() async throws {
    let stage = Stage()
    let flights = [try stage.flight("a"), try stage.flight("a")]
    stage.give(-1)
    for flight in flights { await #expect(throws: Failed.self) { try await flight.value } }
    let again = try stage.flight("a")
    stage.give(5)
    #expect(try await again.value == 5)
    #expect(stage.askedCount == 2)
  }

  @Test("A change drops the calls that it concerns, whose answers say that they are not current")
  func forget_dropsCalls() async throws {
    let stage = Stage()
    let before = try stage.flight("a")
    stage.cache.forget {
      $0.changeCount += 1
    } dropping: {
      $0 == "a"
    }
    let after = try stage.flight("a")
    #expect(before != after)
    stage.give(1)
    stage.give(1)
    _ = try await (before.value, after.value)
    // That of the later call alone, with the ticket of its beginning.
    #expect(stage.cache.withAnswers { $0.kept } == ["a": 11])
  }

  @Test("Everything is forgotten at once, and counted")
  func forgetAll_countsFlush() async throws {
    let stage = Stage()
    let flight = try stage.flight("a")
    stage.cache.withAnswers { $0.kept = ["b": 1] }
    stage.cache.forgetAll()
    stage.give(1)
    _ = try await flight.value
    #expect(stage.cache.withAnswers { $0.kept.isEmpty })
    #expect(stage.metrics.flushes.value == 1)
  }

  @Test("Questions beyond those that may be asked at a time are refused, and counted")
  func find_tooMany_refuses() async throws {
    let stage = Stage(flightCountMax: 1)
    let flight = try stage.flight("a")
    guard case .refused = stage.find("b") else { throw Failed() }
    #expect(stage.metrics.refused.value == 1)
    stage.give(1)
    _ = try await flight.value
  }

  @Test("An answer lives for its lifetime or until its date, measured from before the call")
  func beginning_end() async throws {
    let stage = Stage()
    let now = stage.simulation.group().loops[0].now
    let ends = Lock<[MonotonicInstant]>([])
    let found: Cache.Found<Int> = stage.cache.find("a") { _ in
      nil
    } ask: { beginning in
      let date = ManualClock().now
      ends.withLock {
        $0 = [nil, date + 3_000, date + 9_000, date - 1].map {
          beginning.end(of: .seconds(5), until: $0)
        }
      }
      return 0
    } keep: { _, _, _, _ in
    }
    guard case .flight(let flight) = found else { throw Failed() }
    _ = try await flight.value
    let spans = ends.withLock { $0 }.map { now.duration(to: $0) }
    #expect(spans == [.seconds(5), .seconds(3), .seconds(5), .zero])
  }
}
