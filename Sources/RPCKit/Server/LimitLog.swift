internal import Synchronization

/// Says in the log which limits are reached, each at most once in ten seconds, with how often.
///
/// Safe from any thread. Under attack the same limit is reached thousands of times in a second, so
/// all but one of these cost an addition and a look at the clock.
final class LimitLog: Sendable {
  /// Between two lines about one limit.
  static let interval = Duration.seconds(10)

  private final class Entry: Sendable {
    let count = Atomic<Int>(0)
    let next = Atomic<Int64>(.min)
  }

  private let logger: Logger?
  private let now: @Sendable () -> Int64
  private let entries = LimitName.allCases.map { _ in Entry() }

  /// Makes a log; without a logger nothing is said.
  ///
  /// `now` is in nanoseconds.
  init(
    _ logger: Logger?,
    now: @escaping @Sendable () -> Int64 = { Syscall.monotonicNanoseconds() }
  ) {
    self.logger = logger
    self.now = now
  }

  /// Notes that a limit was reached, by `source` if somebody can be named.
  func reached(_ limit: LimitName, at index: Int, source: String?) {
    guard let logger else { return }
    let entry = entries[index]
    entry.count.wrappingAdd(1, ordering: .relaxed)
    let time = now()
    let next = entry.next.load(ordering: .relaxed)
    guard time >= next else { return }
    let (isFirst, _) = entry.next.compareExchange(
      expected: next,
      desired: time + Self.interval.nanosecondsSaturated,
      ordering: .relaxed
    )
    guard isFirst else { return }
    let count = entry.count.exchange(0, ordering: .relaxed)
    var fields: LogFields = ["limit": .string(limit.rawValue), "count": .integer(Int64(count))]
    if let source { fields = fields.merging(["source": .string(source)]) }
    logger.warning("limit reached", fields)
  }
}
