import PeerContracts
import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

/// A server that speaks HTTP on a simulated network, with exchanges that the test can get hold of.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
final class HTTPFixture: @unchecked Sendable {
  let simulation: Simulation
  let loop: SimulatedEventLoop
  let network: SimulatedNetwork
  let server: Server
  let service = HeldService()
  let router = ScriptedRouter()
  let clock = ManualClock(784_111_777_000)
  let metrics = RPCMetrics(registry: MetricRegistry(), version: "test")
  let address = SocketAddress.ipv4([10, 0, 0, 1], port: 4040)
  private(set) var isServerDone = false

  init(
    seed: UInt64 = 1,
    faults: FaultPlan = .calm,
    http: (inout HTTPConfiguration) -> Void = { _ in },
    configure: (inout ServerConfiguration) -> Void = { _ in }
  ) throws {
    simulation = Simulation(seed: seed)
    loop = simulation.loop("server")
    network = SimulatedNetwork(simulation, faults: faults)
    var httpConfiguration = HTTPConfiguration(router: router)
    httpConfiguration.dates = HTTPDates(clock)
    http(&httpConfiguration)
    var configuration = ServerConfiguration(endpoints: [.init(address)])
    configuration.wires = [HTTPServerWire(httpConfiguration)]
    configure(&configuration)
    server = Server(
      configuration,
      services: [service.definition],
      on: EventLoopGroup([loop]),
      network: network,
      metrics: metrics
    )
    simulation.start { [self] in
      try await server.run()
      isServerDone = true
    }
    try simulation.settle()
  }

  /// What exchanges there were, oldest first.
  var exchanges: [ScriptedExchange] { router.exchanges }

  /// How many connections closed for a reason.
  func closedCount(_ reason: ConnectionCloseReason) -> Int64 {
    Int64(metrics.serverConnections.closed(reason.rawValue).value)
  }

  /// How often a limit was reached.
  func reachedCount(_ limit: LimitName) -> Int64 {
    Int64(metrics.limitReached(limit.rawValue).value)
  }

  /// A connected client that sent nothing yet.
  func connect() throws -> HTTPPeer {
    let peer = HTTPPeer(WirePeer.connect(to: address, simulation, network), simulation)
    try simulation.settle()
    return peer
  }

  /// Does something to an exchange as its handler would, and lets everything happen that follows.
  func act(_ body: () -> Void) throws {
    simulation.on(loop, body)
    try simulation.settle()
  }
}

/// The client's end of a connection, as text.
final class HTTPPeer {
  let wire: WirePeer
  private let simulation: Simulation
  private var takenCount = 0

  init(_ wire: WirePeer, _ simulation: Simulation) {
    self.wire = wire
    self.simulation = simulation
  }

  /// Sends a text in which each line ends with CR LF, and returns what came back until nothing happens.
  @discardableResult
  func send(_ text: String) throws -> String {
    wire.send(Array(text.replacing("\n", with: "\r\n").utf8))
    try simulation.settle()
    return take()
  }

  /// What came since the last look; each CR LF is a line end.
  func take() -> String {
    let new = wire.received.dropFirst(takenCount)
    takenCount = wire.received.count
    return String(decoding: new, as: UTF8.self).replacing("\r\n", with: "\n")
  }

  /// Whether the server ended the connection in order.
  var isEnded: Bool { wire.sawEnd || (wire.isClosed && wire.error == nil) }
}

extension String {
  /// An answer as `HTTPFixture` dates it.
  static func answer(
    _ status: String,
    _ fields: String = "content-type: text/plain\n",
    _ content: String
  ) -> String {
    "HTTP/1.1 \(status)\ndate: Sun, 06 Nov 1994 08:49:37 GMT\n\(fields)\n\(content)"
  }

  /// An answer with a length.
  static func text(_ status: String, _ content: String, isLast: Bool = false) -> String {
    answer(
      status,
      "content-type: text/plain\ncontent-length: \(content.utf8.count)\n"
        + (isLast ? "connection: close\n" : ""),
      content
    )
  }
}
