import RPCKit
import RPCKitTesting
import Testing

@Suite("Simulated network", .teardown)
struct SimulatedNetworkTests {
  private let simulation: Simulation
  private let network: SimulatedNetwork
  private let address = SocketAddress.ipv4([10, 0, 0, 1], port: 4040)

  init() {
    simulation = Simulation(seed: 1)
    network = SimulatedNetwork(simulation)
  }

  private final class Accepted {
    var peers: [WirePeer] = []
  }

  private func connect() throws -> (client: WirePeer, server: WirePeer) {
    let accepted = Accepted()
    _ = try WirePeer.listen(at: address, simulation, network) { accepted.peers.append($0) }
    let client = WirePeer.connect(to: address, simulation, network)
    try simulation.settle()
    return (client, try #require(accepted.peers.first))
  }

  private func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  }

  @Test("bytes arrive complete and in order, however they are split", arguments: 1...30)
  func bytes_splitAtRandom_arriveInOrder(seed: UInt64) throws {
    simulation.random = SimulationRandom(seed: seed)
    network.faults = FaultPlan()
    network.faults.pieceByteCount = 1...500
    let (client, server) = try connect()
    client.send(pattern(20_000))
    server.send(pattern(10_000))
    try simulation.settle()
    #expect(server.received == pattern(20_000))
    #expect(client.received == pattern(10_000))
  }

  @Test("a writer is pushed back by the window and goes on when the reader reads")
  func window_readerStops_writerWaits() throws {
    network.faults.windowByteCount = 1000...1000
    let (client, server) = try connect()
    server.setReading(false)
    client.send(pattern(5000))
    try simulation.settle()
    #expect(client.unsentByteCount == 4000)
    #expect(server.receivedByteCount == 0)
    server.setReading(true)
    try simulation.settle()
    #expect(client.unsentByteCount == 0)
    #expect(server.received == pattern(5000))
  }

  @Test("half-close: the end arrives after the bytes and the other direction goes on")
  func closeOutput_thenReply_arrives() throws {
    let (client, server) = try connect()
    client.send([1, 2, 3])
    client.closeOutput()
    try simulation.settle()
    #expect(server.received == [1, 2, 3] && server.sawEnd && !server.isClosed)
    server.send([4])
    try simulation.settle()
    #expect(client.received == [4])
    server.close()
    client.close()
    try simulation.settle()
    #expect(server.isClosed && client.isClosed && client.error == nil)
    #expect(network.connectionCount == 0)
  }

  @Test("closing with unread bytes resets the connection")
  func close_unreadBytes_resetsThePeer() throws {
    let (client, server) = try connect()
    server.setReading(false)
    client.send([1])
    try simulation.settle()
    server.close()
    try simulation.settle()
    #expect(client.isClosed && client.error?.reason == .connectionLost)
  }

  @Test("writing to an end that is gone is answered with a reset")
  func write_peerGone_isReset() throws {
    let (client, server) = try connect()
    server.close()
    try simulation.settle()
    #expect(client.sawEnd && !client.isClosed)
    client.send([1])
    try simulation.settle()
    #expect(client.error?.reason == .connectionLost)
    #expect(network.connectionCount == 0)
  }

  @Test("a cut lets through a prefix of what is under way", arguments: 1...50)
  func cut_bytesUnderWay_aPrefixArrives(seed: UInt64) throws {
    simulation.random = SimulationRandom(seed: seed)
    let (client, server) = try connect()
    network.faults.pieceByteCount = 1...100
    client.send(pattern(1000))
    network.cut()
    try simulation.settle()
    #expect(server.received == Array(pattern(1000).prefix(server.received.count)))
    #expect(server.error?.reason == .connectionLost && client.error?.reason == .connectionLost)
    #expect(network.connectionCount == 0)
  }

  @Test("in a silence nothing arrives and nothing fails; afterwards everything does")
  func silence_thenHeal_deliversAll() throws {
    let (client, server) = try connect()
    network.silence(address)
    client.send([1, 2])
    let late = WirePeer.connect(to: address, simulation, network)
    try simulation.run(for: .seconds(600))
    #expect(server.received.isEmpty && !server.isClosed && !client.isClosed && !late.isConnected)
    network.heal(address)
    client.send([3])
    try simulation.settle()
    #expect(server.received == [1, 2, 3])
  }

  @Test("nobody listens: the connection is refused")
  func connect_noListener_isRefused() throws {
    let peer = WirePeer.connect(to: address, simulation, network)
    try simulation.settle()
    #expect(peer.error?.reason == .connectFailed && !peer.isConnected)
  }

  @Test("names resolve to what the test says")
  func resolve_knownName_givesAddresses() throws {
    network.hosts["auth"] = [address, .ipv4([10, 0, 0, 2], port: 0)]
    let network = network
    let found = try simulation.run { try await network.resolve(host: "auth", port: 9) }
    #expect(found.map(\.description) == ["10.0.0.1:9", "10.0.0.2:9"])
    #expect(throws: TransportError.self) {
      try simulation.run { try await network.resolve(host: "nobody", port: 9) }
    }
  }
}
