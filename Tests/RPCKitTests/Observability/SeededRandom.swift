import RPCKitTesting

/// Reproducible numbers, so that a failing case can be run again from its seed.
struct SeededRandom: RandomNumberGenerator {
  private var random: SimulationRandom

  init(_ seed: UInt64) { random = SimulationRandom(seed: seed) }

  mutating func next() -> UInt64 { random.next() }
}
