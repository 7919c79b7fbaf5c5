import PeerContracts
import RPCKit
import RPCKitTesting

@testable import ServiceKit

/// A change log behind a server, and a client, on a simulated network.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
final class WatchStage: @unchecked Sendable {
  let simulation: Simulation
  let network: SimulatedNetwork
  let log: ChangeLog
  let channel: Channel
  static let address = SocketAddress.ipv4([10, 0, 0, 1], port: 4040)
  private let server: Server

  init(seed: UInt64, faults: FaultPlan = .calm) throws {
    simulation = Simulation(seed: seed)
    network = SimulatedNetwork(simulation, faults: faults)
    log = ChangeLog(simulation)
    var configuration = ServerConfiguration(endpoints: [.init(Self.address)])
    configuration.limits.responseStreamDrainTimeout = .milliseconds(250)
    server = Server(
      configuration,
      services: [log.definition],
      on: simulation.group("server"),
      network: network
    )
    var client = ChannelConfiguration(loops: simulation.group("client"))
    client.network = network
    channel = Channel(ChannelTarget(addresses: [Self.address]), client)
    simulation.start { [server] in try await server.run() }
    try simulation.settle()
  }

  /// Everything that the log tells from now on, with the simulated seconds at which it came.
  func heard(
    after revision: UInt64 = 0,
    for span: Duration,
    _ meanwhile: @escaping @Sendable (ChangeLog, SimulatedEventLoop) async -> Void
  ) throws -> [String] {
    let heard = Heard()
    let loop = simulation.loop("watcher")
    let start = simulation.now
    let watch = simulation.start(on: loop) { [channel] in
      let client = Entitlement_V1.EntitlementsClient(channel)
      for try await event in client.watch(.init(afterRevision: revision)) {
        let seconds = start.duration(to: loop.now).components.seconds
        let kind = "\(event.kind)".lowercased().dropFirst("change_kind_".count)
        heard.lines.append("\(seconds) \(kind) \(event.revision)")
      }
      heard.lines.append("end")
    }
    simulation.start(on: loop) { [log] in await meanwhile(log, loop) }
    try simulation.run(for: span)
    watch.cancel()
    try simulation.settle()
    return heard.lines
  }

  /// Ends what runs, so that nothing is left behind.
  func close() throws {
    try simulation.run { [channel] in await channel.close() }
    server.drain()
    // Longer than any silence of the network lasts.
    try simulation.run(for: .seconds(300))
  }
}

/// What a watcher heard; `@unchecked Sendable`: confined to the simulation's thread.
private final class Heard: @unchecked Sendable {
  var lines: [String] = []
}
