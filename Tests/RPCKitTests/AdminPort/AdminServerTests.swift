import RPCKit
import RPCKitTesting
import Testing

@testable import AdminPort

/// The admin port with all its places taken.
@Suite("The admin port when it is full")
struct AdminServerTests {
  private let simulation = Simulation(seed: 1)
  private let network: SimulatedNetwork
  private let metrics = RPCMetrics(registry: MetricRegistry(), version: "test")
  private let address = SocketAddress.ipv4([10, 0, 0, 1], port: 9090)

  init() throws {
    network = SimulatedNetwork(simulation)
    let loop = simulation.loop("admin")
    let (network, metrics, address) = (network, metrics, address)
    _ = try simulation.run(on: loop) {
      try await AdminServer.start(
        at: address,
        on: loop,
        responder: AdminResponder(registry: metrics.registry) { Readiness([]) },
        network: network,
        metrics: metrics
      )
    }
  }

  private func connect() throws -> WirePeer {
    let peer = WirePeer.connect(to: address, simulation, network)
    try simulation.settle()
    return peer
  }

  private func probe() throws -> String {
    let peer = try connect()
    peer.send(Array("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    try simulation.settle()
    return String(decoding: peer.received.prefix(15), as: UTF8.self)
  }

  @Test("a probe takes the place of the oldest connection that never asked for anything")
  func probe_allPlacesSilent_isAnswered() throws {
    let resting = try connect()
    resting.send(Array("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    let asking = try connect()
    asking.send(Array("GET /hea".utf8))
    try simulation.settle()
    var silent: [WirePeer] = []
    for _ in 0..<(AdminServer.connectionCountMax - 2) { silent.append(try connect()) }
    try simulation.run(for: .milliseconds(1))
    #expect(try probe() == "HTTP/1.1 200 OK")
    #expect(silent[0].sawEnd && silent.dropFirst().allSatisfy { !$0.sawEnd })
    #expect(!resting.sawEnd && !asking.sawEnd)
    #expect(metrics.limitReached("admin_connections").value == 1)
    // However often: silent ones go first, and probes that were answered before those that ask.
    for _ in 0..<200 {
      try simulation.run(for: .milliseconds(1))
      #expect(try probe() == "HTTP/1.1 200 OK")
    }
    #expect(!asking.sawEnd)
  }

  @Test("connections that are all in the middle of a request give way too")
  func probe_allPlacesAsking_isAnswered() throws {
    for _ in 0..<AdminServer.connectionCountMax {
      let peer = try connect()
      peer.send(Array("GET /".utf8))
    }
    try simulation.settle()
    try simulation.run(for: .milliseconds(1))
    #expect(try probe() == "HTTP/1.1 200 OK")
  }
}
