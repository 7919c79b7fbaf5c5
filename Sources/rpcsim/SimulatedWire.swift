import RPCKit
import RPCKitHTTP
import RPCKitTesting

/// What the clients and servers of a workload speak.
enum SimulatedWire: String, CaseIterable {
  /// ttrpc with our extensions.
  case frames
  /// gRPC over HTTP/2.
  case grpc = "gRPC"

  /// Makes the random numbers that draw the wire others than those of the workload, which is so the same as it
  /// would be by frames.
  ///
  /// Of those that were tried it is the first with which the seeds in docs/planted-bugs.md speak frames, as they
  /// did when they were written down.
  private static let salt: UInt64 = 71 << 32

  /// The wire of a seed.
  init(seed: UInt64) {
    var random = SimulationRandom(seed: seed &+ Self.salt)
    self = random.chance(0.65) ? .frames : .grpc
  }

  /// What servers speak beside frames.
  func serverWires(_ plan: WorkloadPlan) -> [any ServerWire] {
    guard self != .frames else { return [] }
    var configuration = HTTPConfiguration(router: CallRouter())
    // The same answers every time.
    configuration.dates = HTTPDates(ManualClock())
    configuration.limits.streamCountMax = plan.streamsPerConnectionMax
    return [HTTPServerWire(configuration)]
  }

  /// The network of the clients: calls look the same to them on every wire.
  func clientNetwork(over network: SimulatedNetwork) -> any Network {
    switch self {
    case .frames: network
    case .grpc:
      GRPCNetwork(
        over: network,
        methods: PlannedCall.Method.allCases.map(SimulatedService.descriptor)
      )
    }
  }
}
