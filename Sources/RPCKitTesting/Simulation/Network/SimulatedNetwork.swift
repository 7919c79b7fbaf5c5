public import RPCKit

/// Byte streams between the loops of one simulation, with everything that networks do to them.
///
/// The same `Server` and `Channel` run on it as on sockets. Faults come from `faults`, by the
/// simulation's seed, or are ordered one by one: `cut`, `silence`, `heal`.
///
/// `@unchecked Sendable`: confined to the simulation's thread, like all that it carries.
public final class SimulatedNetwork: Network, @unchecked Sendable {
  /// How the network behaves from now on.
  public var faults: FaultPlan
  /// The addresses of names, in this order; other names do not resolve.
  public var hosts: [String: [SocketAddress]] = [:]
  /// Connections that are open at one end at least.
  public var connectionCount: Int { links.count }
  /// Connections that were ever established.
  public private(set) var establishedCount = 0

  /// Sees the bytes of every connection as the two ends write and read them.
  public weak var observer: (any WireObserver)?

  let simulation: Simulation
  private var listeners: [SocketAddress: SimulatedListener] = [:]
  private var silentAddresses: Set<SocketAddress> = []
  private var links: [Int: SimulatedLink] = [:]
  private var linkNumber = 0
  /// Those that were started and are not closed, by number.
  private var transports: [Int: SimulatedTransport] = [:]
  private var transportNumber = 0
  private var nextPort: UInt16 = 40_000

  /// Makes a network without listeners.
  public init(_ simulation: Simulation, faults: FaultPlan = .calm) {
    self.simulation = simulation
    self.faults = faults
    simulation.attach(self)
  }

  // MARK: - Network

  /// Listens in the simulation; an address in use is refused.
  public func listen(
    at address: SocketAddress,
    on loop: any EventLoop,
    options: ListenOptions,
    accepted: @escaping @Sendable (any IncomingConnection) -> Void
  ) async throws -> any Listener {
    var bound = address
    if address.port == 0 {
      nextPort += 1
      bound = address.withPort(nextPort)
    }
    guard listeners[bound] == nil else {
      throw TransportError(.connectFailed, "\(bound) is in use")
    }
    let listener = SimulatedListener(
      address: bound,
      loop: Self.simulated(loop),
      network: self,
      accepted: accepted
    )
    listeners[bound] = listener
    return listener
  }

  /// Makes a stream that connects when started, with the delays and faults of the plan.
  public func connect(to address: SocketAddress, on loop: any EventLoop) -> any Transport {
    let loop = Self.simulated(loop)
    return SimulatedTransport(
      loop: loop,
      peer: Peer(address: address.description),
      origin: .connecting(to: address),
      network: self
    )
  }

  /// Answers from the names that the test registered.
  public func resolve(host: String, port: UInt16) async throws -> [SocketAddress] {
    if let address = SocketAddress(host: host, port: port) { return [address] }
    guard let addresses = hosts[host] else {
      throw TransportError(.connectFailed, "\(host) is unknown")
    }
    return addresses.map { $0.withPort(port) }
  }

  // MARK: - Scripted faults

  /// Cuts every connection to `address`, or all: bytes in flight may get lost.
  public func cut(_ address: SocketAddress? = nil) {
    for link in selected(address) { link.cut() }
  }

  /// From now on nothing arrives at or from `address` and no connection to it is answered.
  public func silence(_ address: SocketAddress) {
    silentAddresses.insert(address)
    for link in selected(address) { link.silence() }
  }

  /// Ends the silence of `address`, or every silence: what was held back arrives.
  public func heal(_ address: SocketAddress? = nil) {
    if let address { silentAddresses.remove(address) } else { silentAddresses = [] }
    for link in selected(address) { link.heal() }
  }

  /// Whether somebody listens at `address`.
  public func isListening(at address: SocketAddress) -> Bool { listeners[address] != nil }

  /// Closes everything, at both ends, and takes nothing more.
  func end() {
    listeners = [:]
    faults = .calm
    for (_, transport) in transports.sorted(by: { $0.key < $1.key }) {
      simulation.on(transport.simulatedLoop) { transport.close() }
    }
  }

  /// Forgets connections that did not close at both ends.
  func letGo() {
    links = [:]
    transports = [:]
  }

  private func selected(_ address: SocketAddress?) -> [SimulatedLink] {
    links.sorted { $0.key < $1.key }.map(\.value).filter {
      address == nil || $0.address == address
    }
  }

  // MARK: - For transports

  /// Takes note of a transport that starts, and returns its number.
  func started(_ transport: SimulatedTransport) -> Int {
    transportNumber += 1
    transports[transportNumber] = transport
    return transportNumber
  }

  /// Forgets a transport that has closed.
  func finished(_ number: Int) { transports[number] = nil }

  /// Sends a connection attempt on its way.
  func open(_ client: SimulatedTransport, to address: SocketAddress) {
    let travel = simulation.random.duration(in: faults.latency)
    guard !simulation.random.chance(faults.lostConnect), !silentAddresses.contains(address) else {
      return
    }
    let isRefused = simulation.random.chance(faults.refusal)
    guard !isRefused, let listener = listeners[address] else {
      return simulation.schedule(after: travel, on: client.simulatedLoop) {
        client.connectFailed("\(address) refuses connections")
      }
    }
    simulation.schedule(after: travel, on: listener.loop) { [self] in
      accept(client, listener, address)
    }
  }

  private func accept(
    _ client: SimulatedTransport,
    _ listener: SimulatedListener,
    _ address: SocketAddress
  ) {
    let travel = simulation.random.duration(in: faults.latency)
    guard listeners[address] === listener, client.isConnecting else {
      return simulation.schedule(after: travel, on: client.simulatedLoop) {
        client.connectFailed("\(address) refuses connections")
      }
    }
    linkNumber += 1
    establishedCount += 1
    let link = SimulatedLink(number: linkNumber, address: address, network: self)
    links[linkNumber] = link
    link.attach(client, as: .client)
    simulation.schedule(after: travel, on: client.simulatedLoop) { client.connected(link) }
    listener.accepted(SimulatedIncoming(link: link, peer: "client-\(linkNumber)", network: self))
  }

  /// Forgets a connection that is closed at both ends.
  func closed(_ link: SimulatedLink) {
    links[link.number] = nil
    observer?.closed(link.number)
  }

  func unbind(_ listener: SimulatedListener) {
    if listeners[listener.address] === listener { listeners[listener.address] = nil }
  }

  static func simulated(_ loop: any EventLoop) -> SimulatedEventLoop {
    guard let loop = loop as? SimulatedEventLoop else {
      preconditionFailure("a simulated network needs simulated loops")
    }
    return loop
  }
}

/// A bound address of a simulated network.
final class SimulatedListener: Listener, @unchecked Sendable {
  // @unchecked: the network is confined to the simulation's thread.
  let address: SocketAddress
  let loop: SimulatedEventLoop
  let accepted: @Sendable (any IncomingConnection) -> Void
  private let network: SimulatedNetwork

  init(
    address: SocketAddress,
    loop: SimulatedEventLoop,
    network: SimulatedNetwork,
    accepted: @escaping @Sendable (any IncomingConnection) -> Void
  ) {
    self.address = address
    self.loop = loop
    self.network = network
    self.accepted = accepted
  }

  func close() { network.unbind(self) }
}

/// A connection that was accepted and belongs to no loop yet; dropping it closes it.
private final class SimulatedIncoming: IncomingConnection, @unchecked Sendable {
  // @unchecked: confined to the simulation's thread.
  private let peer: String
  private let network: SimulatedNetwork
  private var link: SimulatedLink?

  init(link: SimulatedLink, peer: String, network: SimulatedNetwork) {
    self.link = link
    self.peer = peer
    self.network = network
  }

  deinit { link?.abandon(.server) }

  func open(on loop: any EventLoop) -> any Transport {
    guard let link = link.take() else {
      preconditionFailure("an incoming connection is opened once")
    }
    let transport = SimulatedTransport(
      loop: SimulatedNetwork.simulated(loop),
      peer: Peer(address: peer),
      origin: .accepted(link),
      network: network
    )
    link.attach(transport, as: .server)
    return transport
  }
}
