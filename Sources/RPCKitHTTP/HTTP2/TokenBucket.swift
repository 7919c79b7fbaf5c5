internal import RPCKit

/// Counts what a peer may do a number of times at once and then so often a second.
struct TokenBucket {
  private let rate: CellRate
  /// When all tokens are back, in nanoseconds of the monotonic clock.
  private var settled: Int64

  init(capacity: Int, perSecond: Int, now: MonotonicInstant) {
    rate = CellRate(count: Int64(capacity), interval: 1_000_000_000 / Int64(perSecond))
    settled = now.nanoseconds
  }

  /// Takes tokens out; false if there were too few.
  mutating func take(_ count: Int, at now: MonotonicInstant) -> Bool {
    count <= 0 || rate.take(&settled, Int64(count), now: now.nanoseconds) == nil
  }

  /// Puts tokens back, up to what the bucket holds.
  mutating func giveBack(_ count: Int) { rate.giveBack(&settled, Int64(count)) }
}
