import TestingContracts
import RPCKit
import RPCKitHTTP
import RPCKitTesting
import Reflection

/// The wire of the clients and servers of a workload.
enum SimulatedWire: String, CaseIterable {
  /// ttrpc with our extensions.
  case frames
  /// gRPC over HTTP/2.
  case grpc = "gRPC"
  /// Connect over HTTP/1.1.
  case connect = "Connect"

  /// Makes the random numbers that draw the wire others than those of the workload, which is so the same as it
  /// would be by frames.
  ///
  /// Of those that were tried it is the first with which the seeds in docs/maintainers/planted-bugs.md speak frames, as they
  /// did when they were written down.
  private static let salt: UInt64 = 71 << 32

  /// The wire of a seed.
  init(seed: UInt64) {
    var random = SimulationRandom(seed: seed &+ Self.salt)
    if random.chance(0.65) {
      self = .frames
    } else {
      self = random.chance(0.55) ? .grpc : .connect
    }
  }

  /// The methods that can be called.
  ///
  /// HTTP/1.1 answers when the request is complete, so nothing streams both ways.
  var methods: [PlannedCall.Method] {
    PlannedCall.Method.allCases.filter { self != .connect || $0.kind != .bidirectional }
  }

  /// The wires of servers beside frames.
  func serverWires(_ plan: WorkloadPlan) -> [any ServerWire] {
    guard self != .frames else { return [] }
    var router = CallRouter()
    router.transcoder = Self.transcoder
    var configuration = HTTPConfiguration(router: router)
    // The same answers every time.
    configuration.dates = HTTPDates(ManualClock())
    configuration.limits.streamCountMax = plan.streamsPerConnectionMax
    return [HTTPServerWire(configuration)]
  }

  /// One for all runs: it takes longer to make than a short run.
  private static let transcoder: (any MessageTranscoder)? = {
    let registry = try? SchemaRegistry([Benchmark_V1.benchmarkV1PermissionFile])
    return registry.flatMap { try? ReflectedTranscoder($0) }
  }()

  /// The network of the clients: calls look the same to them on every wire.
  func clientNetwork(over network: SimulatedNetwork, _ http1: SimulatedHTTP1) -> any Network {
    switch self {
    case .frames: network
    case .grpc:
      GRPCNetwork(
        over: network,
        methods: methods.map(SimulatedService.descriptor)
      )
    case .connect:
      http1.network(over: network, methods.map(SimulatedService.descriptor))
    }
  }
}
