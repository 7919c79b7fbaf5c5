import RPCKit
import RPCKitTesting
import Testing

@testable import AdminPort

/// The admin port with all its places taken.
@Suite("The admin port when it is full", .teardown)
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

  @Test("a probe takes the place of the oldest connection that was never answered")
  func probe_allPlacesTaken_isAnswered() throws {
    let resting = try connect()
    resting.send(Array("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    try simulation.settle()
    var silent: [WirePeer] = []
    for _ in 0..<(AdminServer.connectionCountMax - 1) { silent.append(try connect()) }
    try simulation.run(for: .milliseconds(1))
    #expect(try probe() == "HTTP/1.1 200 OK")
    #expect(silent[0].sawEnd && silent.dropFirst().allSatisfy { !$0.sawEnd })
    #expect(!resting.sawEnd)
    #expect(metrics.limitReached("admin_connections").value == 1)
    for _ in 0..<200 {
      try simulation.run(for: .milliseconds(1))
      #expect(try probe() == "HTTP/1.1 200 OK")
    }
  }

  @Test("a probe that has not asked yet keeps its place while others ask half a question")
  func probe_asksLate_isAnswered() throws {
    func half() throws {
      try connect().send(Array("GET /metr".utf8))
      try simulation.run(for: .milliseconds(1))
    }
    for _ in 0..<AdminServer.connectionCountMax { try half() }
    let probe = try connect()
    try simulation.run(for: .milliseconds(1))
    // As many come meanwhile as there are other places.
    for _ in 0..<(AdminServer.connectionCountMax - 1) { try half() }
    probe.send(Array("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    try simulation.settle()
    #expect(String(decoding: probe.received.prefix(15), as: UTF8.self) == "HTTP/1.1 200 OK")
  }

  @Test("whoever has the most connections loses one of them, whatever they are at")
  func admit_oneSourceHasMost_losesOne() {
    let loop = AdminTestLoop()
    let connections = AdminConnections(loop, countMax: 4) {}
    func admit(_ source: String) -> AdminTestTransport {
      let transport = AdminTestTransport(source: source)
      connections.admit(transport) { transport, closed in
        AdminConnection(
          transport: transport,
          responder: AdminResponder(registry: MetricRegistry()) { Readiness([]) },
          closed: closed
        )
      }
      transport.connect()
      loop.advance(by: .milliseconds(1))
      return transport
    }
    let probe = admit("10.0.0.9")
    let others = (0..<6).map { _ in
      let other = admit("10.0.0.1")
      other.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(other.read().hasPrefix("HTTP/1.1 200 OK"))
      return other
    }
    #expect(!probe.isClosed && others.map(\.isClosed) == [true, true, true, false, false, false])
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
