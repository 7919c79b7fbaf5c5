package import RPCKit

/// The answer to a question, as far as it is known.
package enum LeasedAnswer<Value> {
  /// This, and it may be used.
  case known(Value)
  /// Nothing.
  case unknown
  /// Something, but changes were not heard of for too long to use it.
  case doubtful
}

extension LeasedAnswer: Equatable where Value: Equatable {}
extension LeasedAnswer: Sendable where Value: Sendable {}

/// Answers that are kept: what each of them depends on, how many there may be, and a `Lease`.
///
/// Pure bookkeeping: no call, clock or lock.
package protocol LeasedAnswers: Sendable {
  /// The question.
  associatedtype Key: Hashable & Sendable
  /// The place in the order of changes when a call began.
  associatedtype Ticket: Sendable

  /// For a call that begins now.
  var ticket: Ticket { get }

  /// Nothing that is known need be true any longer.
  mutating func forgetAll()

  /// Changes were heard of.
  mutating func extendLease(at now: MonotonicInstant)
}

/// Answers of another service, used as long as its stream of changes is heard.
///
/// Several callers who miss the same answer make one call. Errors are not kept. A change that is pushed ends what it
/// concerns; `Answers` says what that is. `run` must be running, or nothing is kept for longer than a lease.
package final class LeasedCache<Answers: LeasedAnswers, Fetched: Sendable>: Sendable {
  @usableFromInline package struct State: Sendable {
    @usableFromInline package var answers: Answers
    var flights: Flights<Answers.Key, Fetched>
  }

  /// When a call began, by both clocks.
  package struct Beginning: Sendable {
    package let instant: MonotonicInstant
    fileprivate let date: Int64

    /// When an answer ends that lives so long, and no longer than until a date, in milliseconds since 1970.
    ///
    /// Measured from before the call, so that it is never too long.
    package func end(of lifetime: Duration, until date: Int64?) -> MonotonicInstant {
      guard let date else { return instant.advanced(by: lifetime) }
      let rest = Duration.milliseconds(max(0, date - self.date))
      return instant.advanced(by: min(lifetime, rest))
    }
  }

  /// The result of a look-up: the known answer, or the call to wait for.
  package enum Found<Known> {
    case known(Known)
    case flight(Flights<Answers.Key, Fetched>.Flight)
    /// Too many different questions are being asked.
    case refused
  }

  @usableFromInline let state: Lock<State>
  private let clock: any WallClock
  private let loop: any EventLoop
  private let metrics: LeasedCacheMetrics

  /// Keeps `answers`, and asks `flightCountMax` different questions at a time at most.
  package init(
    _ answers: Answers,
    flightCountMax: Int,
    clock: any WallClock,
    loop: any EventLoop,
    metrics: LeasedCacheMetrics
  ) {
    state = Lock(State(answers: answers, flights: Flights(countMax: flightCountMax)))
    (self.clock, self.loop, self.metrics) = (clock, loop, metrics)
  }

  /// Runs `body` with the answers to itself.
  ///
  /// Inlinable, because every hit comes through here.
  @inlinable
  package func withAnswers<Result: Sendable>(_ body: (inout Answers) -> Result) -> Result {
    state.withLock { body(&$0.answers) }
  }

  /// The answer that is known, or the call that brings it: the one under way, or a new one that runs `ask`.
  ///
  /// `known` looks once more, in the same hold of the lock. `keep` is given what was fetched, with the ticket of
  /// the beginning and whether nothing has dropped the call since.
  package func find<Known: Sendable>(
    _ key: Answers.Key,
    known: (inout Answers) -> Known?,
    ask: @escaping @Sendable (Beginning) async throws -> Fetched,
    keep: @escaping @Sendable (inout Answers, Fetched, Answers.Ticket, _ isCurrent: Bool) -> Void
  ) -> Found<Known> {
    state.withLock { state -> Found<Known> in
      if let known = known(&state.answers) { return .known(known) }
      let ticket = state.answers.ticket
      let flight = state.flights.join(key) { [self] id in
        do {
          let fetched = try await ask(Beginning(instant: loop.now, date: clock.now))
          self.state.withLock { state in
            let isCurrent = state.flights.land(key, id)
            keep(&state.answers, fetched, ticket, isCurrent)
          }
          return fetched
        } catch {
          self.state.withLock { _ = $0.flights.land(key, id) }
          throw error
        }
      }
      if let flight { return .flight(flight) }
      metrics.refused.increment()
      return .refused
    }
  }

  /// Runs `forget`, and lets nobody else wait for the calls for which `isOutdated` holds.
  package func forget(
    _ forget: (inout Answers) -> Void,
    dropping isOutdated: (Answers.Key) -> Bool
  ) {
    state.withLock { state in
      forget(&state.answers)
      state.flights.drop(where: isOutdated)
    }
  }

  /// Runs `forget`, and lets nobody else wait for the call of one question.
  package func forget(_ key: Answers.Key, _ forget: (inout Answers) -> Void) {
    state.withLock { state in
      forget(&state.answers)
      state.flights.drop(key)
    }
  }

  /// Forgets everything.
  package func forgetAll() {
    metrics.flushes.increment()
    state.withLock { state in
      state.answers.forgetAll()
      state.flights.dropAll()
    }
  }
}

/// The metrics of a cache of leased answers.
package struct LeasedCacheMetrics: Sendable {
  package let hits: Counter
  package let misses: Counter
  package let doubtful: Counter
  /// Questions beyond those that may be asked at a time.
  package let refused: Counter
  /// Times that everything was forgotten.
  package let flushes: Counter

  /// Registers two metrics, each of a name and a help text.
  package init(
    lookups: (name: String, help: String),
    flushes: (name: String, help: String),
    in registry: MetricRegistry
  ) {
    let found = registry.counters(lookups.name, help: lookups.help, labels: ["result"])
    hits = found.series("hit")
    misses = found.series("miss")
    doubtful = found.series("doubtful")
    refused = found.series("refused")
    self.flushes = registry.counter(flushes.name, help: flushes.help)
  }
}
