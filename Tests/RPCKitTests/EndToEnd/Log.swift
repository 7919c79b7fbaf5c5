import Synchronization

@testable import RPCKit

/// What happened, in order, from any thread.
final class Log: Sendable {
  private let entries = Lock<[String]>([])

  func note(_ line: String) { entries.withLock { $0.append(line) } }

  var lines: [String] { entries.withLock { $0 } }
}

/// A number that many threads count up.
final class Tally: Sendable {
  private let count = Atomic<Int>(0)

  func add(_ number: Int = 1) { count.add(number, ordering: .relaxed) }

  var value: Int { count.load(ordering: .relaxed) }
}
