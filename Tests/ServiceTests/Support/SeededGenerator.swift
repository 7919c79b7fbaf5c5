import ServiceKit

/// A generator whose seed replays a failure (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  /// The seed of a random test: the value of an environment variable, to replay a failure, or else one
  /// that was never used before.
  static func seed(_ variable: String) -> UInt64 {
    ProcessEnvironment.variables[variable].flatMap { UInt64($0) } ?? .random(in: 0...(.max))
  }
}
