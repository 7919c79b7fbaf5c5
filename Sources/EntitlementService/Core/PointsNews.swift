internal import RPCKit
internal import ServiceKit

/// The holders whose points changed last, for those who watch.
///
/// In memory alone, so that earning writes nothing for it: for a watcher with a place of another process, or one that
/// is too far behind, the points of all may have changed.
final class PointsNews: Sendable {
  private struct State {
    var holders: [String] = []
    /// The number of the first of them.
    var first: UInt64 = 0

    var next: UInt64 { first + UInt64(holders.count) }
  }

  /// The kind of the entry in the change log, where other programs serve the store too.
  static let changeKind = "points"

  /// Holders that are remembered.
  private static let countMax = 4096
  /// Bits of a place that count changes; those above tell processes apart.
  private static let numberBitCount: UInt64 = 40

  private let epoch: UInt64
  private let state = Lock(State())
  private let signal = WakeSignal()

  init(random: any RandomSource) { epoch = (random.number() | 1) << Self.numberBitCount }

  /// The place behind all changes; never 0.
  var end: UInt64 { state.withLock { epoch | $0.next } }

  /// Counts the changes, to wait for the next.
  var version: UInt64 { signal.version }

  /// The points of a holder changed; call it once they have.
  func note(_ holder: String) {
    state.withLock { state in
      state.holders.append(holder)
      // Half as many again, so that the rest is not moved up at each change.
      guard state.holders.count > Self.countMax * 3 / 2 else { return }
      let surplus = state.holders.count - Self.countMax
      state.holders.removeFirst(surplus)
      state.first += UInt64(surplus)
    }
    signal.announce()
  }

  /// The holders after a place, each once, and where they end; nil when some are no longer known.
  func holders(after place: UInt64) -> (holders: [String], end: UInt64)? {
    state.withLock { state in
      let number = place ^ epoch
      guard number >= state.first, number <= state.next else { return nil }
      var seen: Set<String> = []
      let holders = state.holders[Int(number - state.first)...].filter { seen.insert($0).inserted }
      return (holders, epoch | state.next)
    }
  }

  func wait(past version: UInt64) async { await signal.wait(past: version) }
}
