import Contracts
import RPCKitTesting

@testable import RPCKit

/// One seeded run of clients and servers over a faulty network, and what must hold of it.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
final class Workload: @unchecked Sendable {
  private typealias Request = Benchmark_V1.CheckRequest
  private typealias Response = Benchmark_V1.CheckResponse

  private struct Call {
    var subject: String
    var method: String
    var context: String
    var messageCount: Int
    var expected: String
    var failure: Int32?
    var start: Duration
    var timeout: Duration?
    var cancelAfter: Duration?
  }

  private static let windowByteCount = 2000
  private static let serverWindowByteCount = 64 << 10
  /// Makes client messages large enough to fill a server's window.
  private static let padding = String(repeating: "p", count: 1000)

  let simulation: Simulation
  /// What did not hold, one line each.
  private(set) var problems: [String] = []
  /// How many calls ended with which status.
  private(set) var outcomes: [Int32: Int] = [:]

  private let network: SimulatedNetwork
  private let services: [ScriptedService]
  private var servers: [Server] = []
  private var serversDone = 0
  private var isClosed = false
  private var calls: [Call] = []
  private var ends: [Int]
  private let callerLoop: SimulatedEventLoop
  private let metrics = RPCMetrics(registry: MetricRegistry(), version: "test")

  init(seed: UInt64, callCount: Int = 24) {
    simulation = Simulation(seed: seed)
    network = SimulatedNetwork(simulation)
    let serverCount = simulation.random.number(in: 1...2)
    services = (0..<serverCount).map { _ in ScriptedService() }
    callerLoop = simulation.loop("caller")
    ends = Array(repeating: 0, count: callCount)
    network.faults = Self.faults(&simulation.random)
    for index in services.indices { servers.append(server(index)) }
    calls = (0..<callCount).map { call($0) }
  }

  // MARK: - Drawing

  private static func faults(_ random: inout SimulationRandom) -> FaultPlan {
    var plan = random.chance(0.3) ? FaultPlan.calm : FaultPlan()
    if random.chance(0.3) { plan.pieceByteCount = 1...400 }
    if random.chance(0.3) { plan.windowByteCount = 200...2_000 }
    if random.chance(0.4) { plan.cut = 0.01 }
    if random.chance(0.3) { plan.silence = 0.01 }
    if random.chance(0.3) { plan.refusal = 0.2 }
    if random.chance(0.2) { plan.lostConnect = 0.1 }
    if random.chance(0.3) { plan.latency = .milliseconds(1)...Duration.milliseconds(200) }
    return plan
  }

  private func server(_ index: Int) -> Server {
    var configuration = ServerConfiguration(endpoints: [.init(address(index))])
    // What a client assumes of a server before it has read its settings.
    configuration.limits.streamWindowByteCount = Self.serverWindowByteCount
    configuration.limits.runningHandlersMax = simulation.random.number(in: 4...40)
    configuration.limits.drainTimeout = .seconds(5)
    configuration.compressesResponses = simulation.random.chance(0.5)
    if simulation.random.chance(0.2) { configuration.connectionAgeMax = .seconds(1) }
    services[index].onStart = { [self] in startCount[$0, default: 0] += 1 }
    services[index].onWrite = { [self] in
      unread[$0, default: 0] += 1; checkWindow($0)
    }
    services[index].onTake = { [self] in untaken[$0, default: 0] -= 1 }
    return Server(
      configuration,
      services: [services[index].definition],
      on: simulation.group("server", loopCount: simulation.random.number(in: 1...2)),
      network: network,
      metrics: metrics
    )
  }

  private func address(_ index: Int) -> SocketAddress {
    .ipv4([10, 0, 0, UInt8(index + 1)], port: 4040)
  }

  private func call(_ index: Int) -> Call {
    let methods = ["Echo", "Echo", "Read", "List", "Watch", "Collect", "Chat"]
    let method = simulation.random.element(of: methods)
    let subject = "\(method)\(index)-"
    var call = Call(
      subject: subject,
      method: method,
      context: "",
      messageCount: 0,
      expected: subject,
      start: .milliseconds(simulation.random.skewedNumber(in: 0...2000))
    )
    if simulation.random.chance(0.4) {
      call.context = "sleep=\(simulation.random.skewedNumber(in: 0...500))"
    }
    if simulation.random.chance(0.1) {
      let code: Int32 = simulation.random.chance(0.5) ? 5 : 9
      call.context += " fail=\(code)"
      call.failure = code
    }
    if ["Watch", "Collect", "Chat"].contains(method) {
      call.messageCount = simulation.random.skewedNumber(in: 0...100)
    }
    if method == "Watch" { call.context += " count=\(call.messageCount)" }
    if simulation.random.chance(0.5) {
      call.timeout = .milliseconds(simulation.random.skewedNumber(in: 1...3000))
    }
    if simulation.random.chance(0.2) {
      call.cancelAfter = .milliseconds(simulation.random.skewedNumber(in: 0...500))
    }
    return call
  }

  // MARK: - Running

  /// Runs everything to its end and looks at what is left.
  func run() throws {
    for server in servers {
      simulation.start { [self] in
        try await server.run()
        serversDone += 1
      }
    }
    var configuration = ChannelConfiguration(
      loops: simulation.group("client", loopCount: simulation.random.number(in: 1...2))
    )
    configuration.network = network
    configuration.limits.streamWindowByteCount = Self.windowByteCount
    configuration.keepaliveInterval = .seconds(5)
    configuration.keepaliveTimeout = .seconds(5)
    configuration.seed = simulation.random.next()
    if simulation.random.chance(0.2) { configuration.connectionAgeMax = .milliseconds(700) }
    let channel = Channel(
      ChannelTarget(addresses: services.indices.map { address($0) }),
      configuration
    )
    for index in calls.indices { start(index, channel) }
    if simulation.random.chance(0.3) {
      let pause = Duration.milliseconds(simulation.random.number(in: 0...2000))
      let server = simulation.random.element(of: servers)
      simulation.start(on: callerLoop) { [callerLoop] in
        await callerLoop.sleep(pause)
        server.drain()
      }
    }
    try simulation.run(for: .seconds(6))
    // From here on the network heals, so everything has to come to an end.
    network.faults = .calm
    network.heal()
    try simulation.run(for: .seconds(60))
    for (call, count) in zip(calls, ends) where count != 1 {
      problems.append("\(call.subject) ended \(count) times: \(call)")
    }
    simulation.start(on: callerLoop) { [self] in
      await channel.close()
      isClosed = true
    }
    try simulation.run(for: .seconds(60))
    for server in servers { server.drain() }
    try simulation.run(for: .seconds(120))
    checkNothingIsLeft()
  }

  private func start(_ index: Int, _ channel: Channel) {
    let call = calls[index]
    simulation.start(on: callerLoop) { [self] in
      await callerLoop.sleep(call.start)
      let task = Task(executorPreference: callerLoop) { await self.perform(index, channel) }
      if let pause = call.cancelAfter {
        await callerLoop.sleep(pause)
        task.cancel()
      }
    }
  }

  private func perform(_ index: Int, _ channel: Channel) async {
    let call = calls[index]
    let start = simulation.now
    var code = StatusCode.ok
    do {
      try await send(call, channel)
    } catch {
      guard let error = error as? RPCError else {
        return problems.append("\(call.subject) threw \(error)")
      }
      code = error.code
    }
    ends[index] += 1
    outcomes[code.rawValue, default: 0] += 1
    check(call, code, start.duration(to: simulation.now))
  }

  private func send(_ call: Call, _ channel: Channel) async throws {
    let request = Request(subject: call.subject, context: call.context)
    let options = CallOptions(timeout: call.timeout)
    switch call.method {
    case "Watch":
      var count = 0
      let stream: ResponseStream<Response> = channel.serverStreaming(
        ScriptedService.descriptor("Watch", .serverStreaming),
        request,
        options: options
      )
      for try await message in stream {
        if message.reason != "\(call.subject)\(count)" { problems.append("\(call) \(message)") }
        unread[call.subject, default: 0] -= 1
        count += 1
      }
      if count != call.messageCount { problems.append("\(call.subject) lost messages") }
    case "Collect":
      let response: Response = try await channel.clientStreaming(
        ScriptedService.descriptor("Collect", .clientStreaming),
        options: options
      ) { (writer: RequestWriter<Request>) in
        for index in 0..<call.messageCount { try await write(call, index, writer) }
      }
      let text = Array(repeating: call.subject, count: call.messageCount).joined(separator: ",")
      if response.reason != text { problems.append("\(call.subject) lost messages") }
    case "Chat":
      try await channel.bidirectional(
        ScriptedService.descriptor("Chat", .bidirectional),
        options: options
      ) { (writer: RequestWriter<Request>, responses: ResponseStream<Response>) in
        var iterator = responses.makeAsyncIterator()
        for index in 0..<call.messageCount {
          try await write(call, index, writer)
          guard let message = try await iterator.next() else {
            return problems.append("\(call.subject) ended early")
          }
          unread[call.subject, default: 0] -= 1
          if message.reason != call.subject { problems.append("\(call) \(message)") }
        }
        try await writer.finish()
        if try await iterator.next() != nil { problems.append("\(call.subject) has no end") }
      }
    default:
      let descriptor = ScriptedService.descriptor(
        call.method,
        .unary,
        isIdempotent: call.method == "Read"
      )
      let response: Response = try await channel.unary(descriptor, request, options: options)
      if response.reason != call.expected { problems.append("\(call.subject): \(response)") }
    }
  }

  private func write(_ call: Call, _ index: Int, _ writer: RequestWriter<Request>) async throws {
    let context = index == 0 ? call.context : ""
    try await writer.write(
      Request(subject: call.subject, entity: Self.padding, context: context)
    )
    untaken[call.subject, default: 0] += 1
    checkWindow(call.subject)
  }

  // MARK: - Checking

  private var startCount: [String: Int] = [:]
  /// Messages that were written and not taken, by call, in each direction.
  private var unread: [String: Int] = [:]
  private var untaken: [String: Int] = [:]

  private func checkWindow(_ subject: String) {
    // A message is its text with a tag and a length, and a header of ten bytes.
    let cost = subject.utf8.count + 12
    let bound = Self.windowByteCount + cost + 10
    let clientCost = cost + Self.padding.utf8.count + 3
    let serverBound = Self.serverWindowByteCount + 2 * clientCost
    if unread[subject, default: 0] * cost > bound {
      problems.append("\(subject) overruns the client's window")
    }
    if untaken[subject, default: 0] * clientCost > serverBound {
      problems.append("\(subject) overruns the server's window")
    }
  }

  private func check(_ call: Call, _ code: StatusCode, _ duration: Duration) {
    var legal: Set<StatusCode> = [.unavailable, .resourceExhausted]
    if let failure = call.failure {
      legal.insert(StatusCode(rawValue: failure))
      // A stream that ended before its first message throws nothing that was ordered later.
      if call.method == "Collect" || call.method == "Chat" { legal.insert(.ok) }
    } else {
      legal.insert(.ok)
    }
    if call.timeout != nil { legal.insert(.deadlineExceeded) }
    if call.cancelAfter != nil { legal.insert(.cancelled) }
    if !legal.contains(code) { problems.append("\(call.subject) ended with \(code): \(call)") }
    // One tick of the timer wheel, and one for the clock that stands still during a turn.
    if let timeout = call.timeout, duration > timeout + .milliseconds(2) {
      problems.append("\(call.subject) overran its deadline: \(duration) of \(timeout)")
    }
    if call.method == "Echo" || call.method == "List", startCount[call.subject, default: 0] > 1 {
      problems.append("\(call.subject) ran \(startCount[call.subject, default: 0]) times")
    }
  }

  private func checkNothingIsLeft() {
    func expect(_ isTrue: Bool, _ problem: @autoclosure () -> String) {
      if !isTrue { problems.append(problem()) }
    }
    expect(isClosed, "the channel does not close")
    expect(serversDone == servers.count, "\(servers.count - serversDone) servers do not end")
    let running = services.reduce(0) { $0 + $1.runningCount }
    expect(running == 0, "\(running) handlers still run")
    let counted = servers.reduce(0) { $0 + $1.admission.runningCount }
    expect(counted == 0, "\(counted) handlers are still counted")
    let gauge = metrics.server.runningHandlers.value
    expect(gauge == 0, "the gauge of running handlers says \(gauge)")
    expect(simulation.timerCount == 0, "\(simulation.timerCount) timers are still set")
    expect(network.connectionCount == 0, "\(network.connectionCount) connections are open")
  }
}
