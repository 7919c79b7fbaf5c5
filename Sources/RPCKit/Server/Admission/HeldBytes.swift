internal import Synchronization

/// The kinds of bytes that connections hold for their peers, each bounded over all of them together.
package enum HeldSort: Int, Sendable, CaseIterable {
  /// Input that waits for its end: frames and requests that are not complete, with the fields of their heads.
  case assembly
  /// Output that peers have not taken.
  case output
  /// The memory of connections themselves: the state of TLS and of HTTP/2.
  case sessions

  /// The name of its bound in metrics and the log.
  package var limitName: LimitName {
    switch self {
    case .assembly: .assemblyBytes
    case .output: .outputTotalBytes
    case .sessions: .sessionBytes
    }
  }
}

/// A number of bytes for each kind.
package struct HeldByteCounts {
  private var assembly = 0
  private var output = 0
  private var sessions = 0

  package init() {}

  package subscript(sort: HeldSort) -> Int {
    get {
      switch sort {
      case .assembly: assembly
      case .output: output
      case .sessions: sessions
      }
    }
    set {
      switch sort {
      case .assembly: assembly = newValue
      case .output: output = newValue
      case .sessions: sessions = newValue
      }
    }
  }
}

/// How many bytes all connections of a server hold, against the bounds on that.
///
/// Safe from any thread; updated by changes only, so that a connection whose frames arrive whole and
/// whose output leaves at once costs nothing.
package final class HeldBytes: Sendable {
  /// The consequence of a change.
  package enum Consequence {
    case nothing
    /// The bound is passed: connections have to go. Said once, until `shedEnded`.
    case shed
    /// Much was held and little is left: memory can go back to the system. Said once for each time.
    case giveBack
  }

  private final class Sum: Sendable {
    let byteCountMax: Int
    let total = Atomic<Int>(0)
    let peak = Atomic<Int>(0)
    let isShedding = Atomic<Bool>(false)

    init(_ byteCountMax: Int) { self.byteCountMax = byteCountMax }
  }

  private let assembly: Sum
  private let output: Sum
  private let sessions: Sum

  init(_ limits: Limits) {
    assembly = Sum(limits.assemblyByteCountMax)
    output = Sum(limits.outputTotalByteCountMax)
    sessions = Sum(limits.sessionByteCountMax)
  }

  private func sum(_ sort: HeldSort) -> Sum {
    switch sort {
    case .assembly: assembly
    case .output: output
    case .sessions: sessions
    }
  }

  /// The bytes that all connections hold now.
  package func byteCount(_ sort: HeldSort) -> Int { sum(sort).total.load(ordering: .relaxed) }

  /// The bytes they may hold after shedding: less than the bound, so that it does not have to begin again
  /// with the next byte.
  func byteCountAfterShedding(_ sort: HeldSort) -> Int { sum(sort).byteCountMax / 4 * 3 }

  /// Adds to what is held, or takes from it.
  func change(_ sort: HeldSort, by change: Int) -> Consequence {
    let sum = sum(sort)
    let total = sum.total.wrappingAdd(change, ordering: .relaxed).newValue
    if change > 0 {
      _ = sum.peak.max(total, ordering: .relaxed)
      guard total > sum.byteCountMax else { return .nothing }
      return sum.isShedding.exchange(true, ordering: .relaxed) ? .nothing : .shed
    }
    guard total < sum.byteCountMax / 16, sum.peak.load(ordering: .relaxed) > sum.byteCountMax / 4
    else { return .nothing }
    return sum.peak.exchange(total, ordering: .relaxed) > sum.byteCountMax / 4
      ? .giveBack : .nothing
  }

  /// Every loop has shed its part.
  func shedEnded(_ sort: HeldSort) { sum(sort).isShedding.store(false, ordering: .relaxed) }
}
