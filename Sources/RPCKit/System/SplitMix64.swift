/// A small generator of random numbers that a seed repeats, on every machine and in every release (Steele, Lea and
/// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014); no good for secrets.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Begins the sequence of a seed.
  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to, but not including, 1.
  package mutating func unitInterval() -> Double {
    Double(next() >> 11) * 0x1p-53
  }
}
