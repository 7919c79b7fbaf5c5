import TestingContracts
import RPCKit
import RPCKitHTTP
import RPCKitTesting

/// One seeded run of clients and servers over a faulty network, and what must hold of it.
///
/// Every call ends once, with a legal status, within its deadline; handlers end with their calls;
/// every frame keeps to the protocol and its windows; and in the end nothing is left.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
final class Workload: @unchecked Sendable {
  let plan: WorkloadPlan
  let simulation: Simulation
  let ledger: CallLedger
  let monitor: WireMonitor
  let metrics: RPCMetrics
  let http1: SimulatedHTTP1

  /// The problems, one line each.
  var problems: [String] { ledger.problems + monitor.problems }

  private let network: SimulatedNetwork
  private let callerLoop: SimulatedEventLoop
  private var servers: [Server] = []
  private var serversDoneCount = 0
  private var channels: [Channel] = []
  private var channelsClosedCount = 0
  private var isEnding = false

  /// Draws a workload.
  ///
  /// Runs may share their metrics, whose gauges each leaves at zero unless it fails: making them
  /// costs as much as a short run.
  init(seed: UInt64, metrics: RPCMetrics = Workload.newMetrics()) {
    self.metrics = metrics
    simulation = Simulation(seed: seed)
    plan = WorkloadPlan(wire: SimulatedWire(seed: seed), random: &simulation.random)
    ledger = CallLedger(plan, simulation)
    monitor = WireMonitor(simulation)
    http1 = SimulatedHTTP1(simulation, ledger)
    network = SimulatedNetwork(simulation, faults: plan.faults)
    // It reads frames only.
    if plan.wire == .frames { network.observer = monitor }
    callerLoop = simulation.loop("caller")
  }

  static func newMetrics() -> RPCMetrics {
    RPCMetrics(registry: MetricRegistry(), version: "simulation")
  }

  /// Runs everything to its end and looks at what is left.
  func run() throws(SimulationError) {
    var next: Channel?
    if plan.hasBackServer {
      start(server(at: Self.backAddress, SimulatedService(ledger, hop: 1, next: nil)))
      next = channel(to: [Self.backAddress])
    }
    let service = SimulatedService(ledger, hop: 0, next: next)
    let addresses = (1...plan.frontCount).map { Self.address(UInt8($0)) }
    let fronts = addresses.map { server(at: $0, service) }
    for front in fronts { start(front) }
    // Everybody listens before the first call.
    try simulation.settle()
    let front = channel(to: addresses)
    for call in plan.calls { start(call, front) }
    if let drain = plan.drain {
      let index = simulation.random.number(in: 0...fronts.count - 1)
      simulation.start(on: callerLoop) { [self] in
        await callerLoop.sleep(drain.at)
        fronts[index].drain()
        if drain.restarts {
          await callerLoop.sleep(.seconds(1))
          if !isEnding, !network.isListening(at: addresses[index]) {
            start(server(at: addresses[index], service))
          }
        }
      }
    }
    try simulation.run(within: .seconds(4)) { ledger.openCount == 0 }
    // From here on the network heals, so everything has to come to an end.
    network.faults = .calm
    network.heal()
    try simulation.run(within: .seconds(60)) {
      ledger.openCount == 0 && ledger.runningCount == 0
    }
    ledger.reportUnfinished()
    guard problems.isEmpty else { return }
    try checkCalm()
    try closeEverything()
    checkNothingIsLeft()
  }

  // MARK: - Servers and channels

  private static let backAddress = address(9)

  private static func address(_ number: UInt8) -> SocketAddress {
    .ipv4([10, 0, 0, number], port: 4040)
  }

  private func server(at address: SocketAddress, _ service: SimulatedService) -> Server {
    var configuration = ServerConfiguration(endpoints: [.init(address)])
    configuration.limits.streamWindowByteCount = WorkloadPlan.serverWindowByteCount
    configuration.limits.runningHandlersMax = plan.runningHandlersMax
    configuration.limits.streamsPerConnectionMax = plan.streamsPerConnectionMax
    // Longer than any call, so that a drain cuts none and every answer has to arrive.
    configuration.limits.drainTimeout = .seconds(40)
    configuration.compressesResponses = plan.compressesResponses
    configuration.connectionAgeMax = plan.serverAgeMax
    configuration.wires = plan.wire.serverWires(plan)
    return Server(
      configuration,
      services: [service.definition],
      on: simulation.group("server", loopCount: simulation.random.number(in: 1...2)),
      network: network,
      metrics: metrics
    )
  }

  private func start(_ server: Server) {
    servers.append(server)
    simulation.start { [self] in
      try await server.run()
      serversDoneCount += 1
    }
  }

  private func channel(to addresses: [SocketAddress]) -> Channel {
    var configuration = ChannelConfiguration(
      loops: simulation.group("client", loopCount: simulation.random.number(in: 1...2))
    )
    configuration.network = plan.wire.clientNetwork(over: network, http1)
    configuration.limits.streamWindowByteCount = WorkloadPlan.clientWindowByteCount
    configuration.keepaliveInterval = .seconds(5)
    configuration.keepaliveTimeout = .seconds(5)
    configuration.drainTimeout = .seconds(5)
    configuration.connectionAgeMax = plan.clientAgeMax
    configuration.connectionsPerAddress = plan.connectionsPerAddress
    if let streamIDMax = plan.streamIDMax { configuration.streamIDMax = streamIDMax }
    configuration.seed = simulation.random.next()
    configuration.observer = ChannelMetrics(metrics, target: "simulation")
    let channel = Channel(ChannelTarget(addresses: addresses), configuration)
    channels.append(channel)
    return channel
  }

  private func start(_ call: PlannedCall, _ channel: Channel) {
    let caller = SimulatedCaller(call, ledger, channel, on: callerLoop)
    simulation.start(on: callerLoop) { [callerLoop] in
      await callerLoop.sleep(call.start)
      let task = Task(executorPreference: callerLoop) { await caller.run() }
      if let pause = call.cancelAfter {
        await callerLoop.sleep(pause)
        task.cancel()
      }
    }
  }

  // MARK: - The end

  /// With all calls over, connections hold nothing, whether they are open or closed.
  private func checkCalm() throws(SimulationError) {
    let census = Census()
    simulation.start(on: callerLoop) { [self] in
      // PING and credit may be on their way just now.
      for _ in 0..<20 {
        census.result = ConnectionCensus()
        for channel in channels { census.add(await channel.census()) }
        for server in servers { census.add(await server.census()) }
        if census.result.isZero { break }
        await callerLoop.sleep(.milliseconds(100))
      }
      census.isComplete = true
    }
    try simulation.run(within: .seconds(10)) { census.isComplete }
    if !census.isComplete { ledger.problem("connections do not answer") }
    if !census.result.isZero { ledger.problem("without calls there is left: \(census.result)") }
  }

  private func closeEverything() throws(SimulationError) {
    isEnding = true
    simulation.start(on: callerLoop) { [self] in
      for channel in channels.reversed() {
        await channel.close()
        channelsClosedCount += 1
      }
      for server in servers { server.drain() }
    }
    try simulation.run(within: .seconds(60)) {
      channelsClosedCount == channels.count && serversDoneCount == servers.count
    }
    // Timers of these drains, and of sleeps that were cut short, run out by themselves.
    try simulation.run(for: .seconds(50))
  }

  private func checkNothingIsLeft() {
    func expect(_ isTrue: Bool, _ problem: @autoclosure () -> String) {
      if !isTrue { ledger.problem(problem()) }
    }
    let openChannels = channels.count - channelsClosedCount
    expect(openChannels == 0, "\(openChannels) channels do not close")
    let openServers = servers.count - serversDoneCount
    expect(openServers == 0, "\(openServers) servers do not end")
    let counted = servers.reduce(0) { $0 + $1.admission.runningCount }
    expect(counted == 0, "\(counted) handlers are still counted")
    let waiting = servers.reduce(0) { $0 + $1.admission.waitingCount }
    expect(waiting == 0, "\(waiting) handlers are still counted as waiting")
    let streams = servers.reduce(0) { $0 + $1.streamingCallCount }
    expect(streams == 0, "\(streams) streaming calls are still counted")
    let waitingGauge = metrics.server.waitingHandlers.value
    expect(waitingGauge == 0, "the gauge of waiting handlers says \(waitingGauge)")
    let gauge = metrics.server.runningHandlers.value
    expect(gauge == 0, "the gauge of running handlers says \(gauge)")
    let open = metrics.serverConnections.open.value
    expect(open == 0, "the gauge of server connections says \(open)")
    let made = metrics.clientConnections.open.value
    expect(made == 0, "the gauge of client connections says \(made)")
    expect(simulation.timerCount == 0, "\(simulation.timerCount) timers are still set")
    expect(network.connectionCount == 0, "\(network.connectionCount) connections are open")
  }
}

/// The findings of a counting task so far; confined to the simulation's thread.
private final class Census: @unchecked Sendable {
  var result = ConnectionCensus()
  var isComplete = false

  func add(_ other: ConnectionCensus) { result.add(other) }
}
