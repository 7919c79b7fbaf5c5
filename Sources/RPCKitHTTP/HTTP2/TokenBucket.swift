internal import RPCKit

/// Counts what a peer may do a number of times at once and then so often a second.
struct TokenBucket {
  private let capacity: Int
  private let perSecond: Int
  private var level: Int
  private var refilled: MonotonicInstant

  init(capacity: Int, perSecond: Int, now: MonotonicInstant) {
    self.capacity = capacity
    self.perSecond = perSecond
    level = capacity
    refilled = now
  }

  /// Takes tokens out; false if there were too few.
  mutating func take(_ count: Int, at now: MonotonicInstant) -> Bool {
    guard count > 0 else { return true }
    refill(now)
    level -= count
    return level >= 0
  }

  /// Puts tokens back, up to what the bucket holds.
  mutating func giveBack(_ count: Int) {
    level = min(capacity, level + count)
  }

  private mutating func refill(_ now: MonotonicInstant) {
    guard level < capacity else {
      refilled = now
      return
    }
    let nanosecondsPerToken = 1_000_000_000 / Int64(perSecond)
    let count = refilled.nanoseconds(to: now) / nanosecondsPerToken
    guard count > 0 else { return }
    level = Int(min(Int64(capacity), Int64(level) + count))
    refilled = refilled.advanced(byNanoseconds: count * nanosecondsPerToken)
  }
}
