import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

/// What a client of the interoperability cases speaks with the server, which speaks all of it.
enum InteropWire: String, CaseIterable, CustomTestStringConvertible {
  case gRPC
  case ttrpc
  /// Over HTTP/1.1.
  case connect

  /// Those by which a call can stream both ways.
  static let bothWays: [InteropWire] = [.gRPC, .ttrpc]

  var testDescription: String { rawValue }

  /// The network of a client: the generated clients are the same on all of them.
  func network(
    over base: any Network,
    methods: [MethodDescriptor] = [Grpc_Testing.TestMethods.streamingInputCall]
  ) -> any Network {
    switch self {
    case .gRPC: GRPCNetwork(over: base, methods: methods)
    case .ttrpc: base
    case .connect:
      ConnectNetwork(over: base, methods: methods, violation: { Issue.record("\($0)") })
    }
  }
}

/// A client of the server under test, on whatever network the two have.
struct InteropStage: Sendable {
  let service: InteropService
  /// The client's loop.
  let loop: any EventLoop
  /// Makes another channel; the caller closes it.
  let makeChannel: @Sendable () -> Channel
  /// The channel that the cases share.
  let channel: Channel

  var client: Grpc_Testing.TestClient { Grpc_Testing.TestClient(channel) }

  init(
    _ service: InteropService,
    _ wire: InteropWire,
    over network: any Network,
    at address: SocketAddress,
    on loop: any EventLoop,
    window: Int = 64 << 10
  ) {
    self.service = service
    self.loop = loop
    makeChannel = {
      var configuration = ChannelConfiguration(loops: EventLoopGroup([loop]))
      configuration.network = wire.network(over: network)
      configuration.connectionsPerAddress = 1
      configuration.limits.streamWindowByteCount = window
      return Channel(ChannelTarget(addresses: [address]), configuration)
    }
    channel = makeChannel()
  }

  /// A server's configuration for all wires.
  static func configuration(at address: SocketAddress) -> ServerConfiguration {
    var http = HTTPConfiguration(router: CallRouter())
    http.dates = HTTPDates(ManualClock())
    var configuration = ServerConfiguration(endpoints: [.init(address)])
    configuration.wires = [HTTPServerWire(http)]
    return configuration
  }
}

/// The two of them on a simulated network.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
final class SimulatedInterop: WireObserver, @unchecked Sendable {
  let simulation = Simulation(seed: 1)
  let server: Server
  let stage: InteropStage
  /// What clients sent first on their connections, in the order of these.
  private(set) var firstBytes: [[UInt8]] = []
  /// Bytes that went over the network.
  private(set) var byteCount = 0
  private var seen: Set<Int> = []
  let address = SocketAddress.ipv4([10, 0, 0, 1], port: 4040)
  let network: SimulatedNetwork

  /// The network of clients that speak gRPC.
  var gRPCNetwork: any Network { InteropWire.gRPC.network(over: network) }

  init(_ wire: InteropWire, window: Int = 64 << 10, compresses: Bool = false) throws {
    let service = InteropService()
    network = SimulatedNetwork(simulation)
    var configuration = InteropStage.configuration(at: address)
    configuration.compressesResponses = compresses
    server = Server(
      configuration,
      services: [service.served],
      on: simulation.group("server"),
      network: network
    )
    let loop = simulation.loop("client")
    stage = InteropStage(service, wire, over: network, at: address, on: loop, window: window)
    network.observer = self
    simulation.start { [server] in try await server.run() }
    try simulation.settle()
  }

  /// Runs something as a task of the client.
  func run<Result: Sendable>(
    _ body: @escaping @Sendable (InteropStage) async throws -> Result
  ) throws -> Result {
    guard let loop = stage.loop as? SimulatedEventLoop else {
      preconditionFailure("a simulated client has a simulated loop")
    }
    return try simulation.run(on: loop) { [stage] in try await body(stage) }
  }

  func wrote(_ bytes: [UInt8], connection: Int, byClient: Bool) {
    byteCount += bytes.count
    if byClient, seen.insert(connection).inserted { firstBytes.append(bytes) }
  }

  func read(_ bytes: [UInt8], connection: Int, byClient: Bool, hasUnwritten: Bool) {}
  func closed(_ connection: Int) {}
}
