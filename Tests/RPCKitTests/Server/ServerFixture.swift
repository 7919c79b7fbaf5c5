import TestingContracts
import RPCKitTesting

@testable import RPCKit

/// A server on a simulated network, with a service of all four kinds of method.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
final class ServerFixture: @unchecked Sendable {
  static let service = "test.Service"

  let simulation: Simulation
  /// The server's first loop.
  let loop: SimulatedEventLoop
  let network: SimulatedNetwork
  let server: Server
  let service: ScriptedService
  let metrics = RPCMetrics(registry: MetricRegistry(), version: "test")
  let address = SocketAddress.ipv4([10, 0, 0, 1], port: 4040)
  private(set) var isServerDone = false

  init(
    seed: UInt64 = 1,
    faults: FaultPlan = .calm,
    loopCount: Int = 1,
    interceptors: [any ServerInterceptor] = [],
    configure: (inout ServerConfiguration) -> Void = { _ in },
    reportUnexpected: @escaping @Sendable (String, CallContext, any Error) -> Void = { _, _, _ in }
  ) throws {
    simulation = Simulation(seed: seed)
    let loops = (0..<loopCount).map { [simulation] _ in simulation.loop("server") }
    loop = loops[0]
    network = SimulatedNetwork(simulation, faults: faults)
    service = ScriptedService()
    var configuration = ServerConfiguration(endpoints: [.init(address)])
    configure(&configuration)
    server = Server(
      configuration,
      services: [service.definition],
      interceptors: interceptors,
      on: EventLoopGroup(loops),
      network: network,
      metrics: metrics,
      reportUnexpected: reportUnexpected
    )
    simulation.start { [self] in
      try await server.run()
      isServerDone = true
    }
    // Handlers that ignore cancellation would never end.
    Teardown.add { [service] in service.end() }
    try simulation.settle()
  }

  /// What the metrics say of running handlers; zero when nothing runs.
  var runningHandlersGauge: Int64 { metrics.server.runningHandlers.value }

  /// Places in admission control: taken by handlers that work, and given back by those that wait.
  var slots: [Int] { [server.admission.workingCount, server.admission.waitingCount] }

  /// A connected peer that sent nothing yet.
  func connect() throws -> WirePeer {
    let peer = WirePeer.connect(to: address, simulation, network)
    try simulation.settle()
    return peer
  }

  /// A connected peer past its HELLO, whose answer was taken.
  func connectExtended(
    window: UInt64? = nil,
    features: UInt64 = 0
  ) throws -> WirePeer {
    let peer = try connect()
    var settings = WireMessage().varint(1, 1)
    if features != 0 { settings = settings.varint(2, features) }
    if let window { settings = settings.varint(5, window) }
    peer.send(
      WireFrame(
        stream: WireFrame.connectionStream,
        type: WireFrame.hello,
        payload: settings.bytes
      )
    )
    try simulation.settle()
    _ = peer.takeFrames()
    return peer
  }

  /// Sends frames, lets everything happen that needs no timer, and returns what came back.
  func exchange(_ peer: WirePeer, _ frames: WireFrame...) throws -> [WireFrame] {
    for frame in frames { peer.send(frame) }
    try simulation.settle()
    return peer.takeFrames()
  }
}

extension WireFrame {
  /// A Request for the fixture's service.
  static func call(
    _ stream: UInt32,
    _ method: String,
    _ request: Benchmark_V1.CheckRequest? = Benchmark_V1.CheckRequest(),
    flags: UInt8 = 0,
    timeoutNanoseconds: Int64 = 0,
    metadata: [(String, String)] = []
  ) -> WireFrame {
    WireFrame(
      stream: stream,
      type: WireFrame.request,
      flags: flags,
      payload: WireMessage.request(
        ServerFixture.service,
        method,
        payload: request.map { $0.encoded() },
        timeoutNanoseconds: timeoutNanoseconds,
        metadata: metadata
      )
    )
  }

  /// A Data frame with a request message.
  static func message(_ stream: UInt32, _ subject: String, flags: UInt8 = 0) -> WireFrame {
    WireFrame(
      stream: stream,
      type: WireFrame.data,
      flags: flags,
      payload: Benchmark_V1.CheckRequest(subject: subject).encoded()
    )
  }

  /// The end of one side's messages.
  static func end(_ stream: UInt32) -> WireFrame {
    WireFrame(stream: stream, type: WireFrame.data, flags: 0x05)
  }

  /// An OK response with a reason.
  static func answer(_ stream: UInt32, _ reason: String) -> WireFrame {
    let message = Benchmark_V1.CheckResponse(reason: reason).encoded()
    return WireFrame(
      stream: stream,
      type: WireFrame.response,
      payload: message.isEmpty ? [] : WireMessage().field(2, message).bytes
    )
  }

  /// A Data frame with a response message.
  static func item(_ stream: UInt32, _ reason: String) -> WireFrame {
    WireFrame(
      stream: stream,
      type: WireFrame.data,
      payload: Benchmark_V1.CheckResponse(reason: reason).encoded()
    )
  }
}
