internal import RPCKit

/// Random numbers that are the same for the same seed, on every machine and in every release.
///
/// `SplitMix64` is good enough to explore interleavings.
public struct SimulationRandom: RandomNumberGenerator, Sendable {
  private var generator: SplitMix64

  /// Starts a sequence; each seed has its own.
  public init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
  }

  /// The next number of the sequence.
  public mutating func next() -> UInt64 { generator.next() }

  /// A number from `range`.
  ///
  /// Written out and not taken from the standard library, whose way of narrowing a number may
  /// change between releases and would change every recorded seed with it.
  public mutating func number(in range: ClosedRange<Int>) -> Int {
    let span = UInt64(range.upperBound - range.lowerBound) &+ 1
    guard span != 0 else { return Int(truncatingIfNeeded: next()) }
    return range.lowerBound + Int(next() % span)
  }

  /// A number from `range` that is small more often than large: every order of magnitude is as
  /// likely as the next.
  public mutating func skewedNumber(in range: ClosedRange<Int>) -> Int {
    let span = range.upperBound - range.lowerBound
    guard span > 0 else { return range.lowerBound }
    let bitCount = Int.bitWidth - span.leadingZeroBitCount
    let bits = number(in: 0...bitCount)
    return range.lowerBound + min(span, Int(next() & ((1 << UInt64(bits)) - 1)))
  }

  /// True with the given probability.
  public mutating func chance(_ probability: Double) -> Bool {
    guard probability > 0 else { return false }
    return generator.unitInterval() < probability
  }

  /// A span of time from `range`.
  public mutating func duration(in range: ClosedRange<Duration>) -> Duration {
    let nanoseconds =
      Int(range.lowerBound.simulatedNanoseconds)...Int(range.upperBound.simulatedNanoseconds)
    return .nanoseconds(skewedNumber(in: nanoseconds))
  }

  /// One of the elements; the collection must not be empty.
  public mutating func element<Element>(of elements: [Element]) -> Element {
    elements[number(in: 0...elements.count - 1)]
  }
}

extension Duration {
  /// Whole nanoseconds; simulated spans are far below the 292 years that fit.
  var simulatedNanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
