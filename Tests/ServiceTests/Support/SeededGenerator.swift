import RPCKitTesting
import ServiceKit

/// A generator whose seed replays a failure.
struct SeededGenerator: RandomNumberGenerator {
  private var random: SimulationRandom

  init(state: UInt64) { random = SimulationRandom(seed: state) }

  mutating func next() -> UInt64 { random.next() }

  /// The seed of a random test: the value of an environment variable, to replay a failure, or else one
  /// that was never used before.
  static func seed(_ variable: String) -> UInt64 {
    ProcessEnvironment.variables[variable].flatMap { UInt64($0) } ?? .random(in: 0...(.max))
  }
}
