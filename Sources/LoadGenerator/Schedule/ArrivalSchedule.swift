internal import Glibc
internal import RPCKit

/// When calls are due, in nanoseconds from the start.
///
/// Depends on nothing but its own numbers: how the server fares cannot move an arrival.
package struct ArrivalSchedule: Sendable {
  private enum Kind {
    /// Arrival `index` of every `step` ones of an even stream; computed from its number each time,
    /// so that rounding does not add up.
    case even(index: Int64, step: Int64)
    /// Exponential gaps, which make a Poisson process; several of them together are one again.
    case poisson(SplitMix64, ratePerNanosecond: Double, elapsed: Double)
  }

  private var kind: Kind
  private let rate: Double

  /// The share of one of `shareCount` senders in `rate` arrivals per second.
  package init(rate: Double, isPoisson: Bool, share: Int, of shareCount: Int, seed: UInt64) {
    precondition(rate > 0 && share < shareCount, "a schedule needs a rate")
    self.rate = rate
    guard isPoisson else {
      kind = .even(index: Int64(share), step: Int64(shareCount))
      return
    }
    // Neighbouring seeds of this generator give unrelated sequences.
    let random = SplitMix64(seed: seed &+ UInt64(share))
    kind = .poisson(random, ratePerNanosecond: rate / Double(shareCount) / 1e9, elapsed: 0)
  }

  /// The next arrival.
  package mutating func next() -> Int64 {
    switch kind {
    case .even(let index, let step):
      kind = .even(index: index + step, step: step)
      return Int64(Double(index) / rate * 1e9)
    case .poisson(var random, let ratePerNanosecond, var elapsed):
      elapsed += -log(1 - random.unitInterval()) / ratePerNanosecond
      kind = .poisson(random, ratePerNanosecond: ratePerNanosecond, elapsed: elapsed)
      return Int64(min(elapsed, 9e18))
    }
  }
}
