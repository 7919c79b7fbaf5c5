import RPCKit
import RPCKitTesting

/// The plan of one seed: how the network behaves, how many servers there are, and every call.
struct WorkloadPlan {
  /// How many bytes a client takes on a stream before it gives credit.
  static let clientWindowByteCount = 2000
  /// The window that a client assumes of a server before it has read its settings; servers say the same.
  static let serverWindowByteCount = 64 << 10

  /// The wire of clients and servers.
  let wire: SimulatedWire
  let calls: [PlannedCall]
  let faults: FaultPlan
  /// Whether nothing goes wrong but what the calls ask for.
  let isCalm: Bool
  let frontCount: Int
  /// A server behind the first ones takes the relayed calls.
  let hasBackServer: Bool
  let runningHandlersMax: Int
  let streamsPerConnectionMax: Int
  let serverAgeMax: Duration?
  let clientAgeMax: Duration?
  let streamIDMax: UInt32?
  let connectionsPerAddress: Int
  let compressesResponses: Bool
  /// When a server is drained, and whether another takes its address.
  let drain: (at: Duration, restarts: Bool)?

  /// Draws everything but the wire.
  init(wire: SimulatedWire, random: inout SimulationRandom) {
    self.wire = wire
    isCalm = random.chance(0.3)
    faults = isCalm ? .calm : Self.faults(&random)
    frontCount = random.number(in: 1...2)
    let canRelay = random.chance(0.4)
    hasBackServer = canRelay
    runningHandlersMax = random.chance(0.2) ? random.number(in: 1...5) : 1000
    streamsPerConnectionMax = random.chance(0.3) ? random.number(in: 1...4) : 4096
    serverAgeMax = random.chance(0.2) ? .milliseconds(random.number(in: 50...1000)) : nil
    clientAgeMax = random.chance(0.2) ? .milliseconds(random.number(in: 50...1000)) : nil
    streamIDMax = random.chance(0.2) ? UInt32(random.number(in: 1...20)) : nil
    connectionsPerAddress = random.number(in: 1...2)
    compressesResponses = random.chance(0.3)
    drain =
      random.chance(0.3)
      ? (.milliseconds(random.skewedNumber(in: 0...1500)), random.chance(0.5)) : nil
    let callCount = random.skewedNumber(in: 1...16)
    var calls: [PlannedCall] = []
    for number in 0..<callCount {
      var call = PlannedCall(
        number: number,
        methods: wire.methods,
        canRelay: canRelay,
        random: &random
      )
      // Nobody would come.
      if let drain, !drain.restarts { call.waitsForReady = false }
      calls.append(call)
    }
    self.calls = calls
  }

  private static func faults(_ random: inout SimulationRandom) -> FaultPlan {
    var plan = FaultPlan()
    if random.chance(0.3) { plan.pieceByteCount = 1...400 }
    if random.chance(0.3) { plan.windowByteCount = 200...2_000 }
    if random.chance(0.4) { plan.cut = 0.02 }
    if random.chance(0.3) { plan.silence = 0.02 }
    if random.chance(0.3) { plan.refusal = 0.2 }
    if random.chance(0.2) { plan.lostConnect = 0.1 }
    if random.chance(0.3) { plan.latency = .milliseconds(1)...Duration.milliseconds(200) }
    return plan
  }

  /// Whether a server may refuse calls of this plan because it has too many.
  ///
  /// It refuses before its last place is taken: some are kept for calls of high priority.
  var hasTightLimits: Bool { runningHandlersMax < 1000 || streamsPerConnectionMax < 4096 }

  /// Whether every answer must reach a caller who waits for it.
  ///
  /// Servers end connections in order; a cut or a long silence does not, and a client that retires a
  /// connection bounds how long it waits.
  var losesNoAnswer: Bool { faults.cut == 0 && faults.silence == 0 && clientAgeMax == nil }

  /// Whether a call may end with UNAVAILABLE although its handler did not say so.
  ///
  /// A connection that retires may refuse a call with too little time left for another attempt.
  var mayBeUnavailable: Bool {
    !isCalm || drain != nil || serverAgeMax != nil || clientAgeMax != nil || streamIDMax != nil
      || mayHaveStreamsRefused
  }

  /// Whether a server may refuse a call that its client began before it knew the server's limit of streams (RFC
  /// 9113 section 5.1.2).
  private var mayHaveStreamsRefused: Bool { wire == .grpc && streamsPerConnectionMax < 4096 }
}

extension WorkloadPlan: CustomStringConvertible {
  /// One line for the servers and the network, and one for each call.
  var description: String {
    var parts = [wire.rawValue]
    parts.append("\(frontCount) servers" + (hasBackServer ? " and one behind them" : ""))
    parts.append("\(connectionsPerAddress) connections each")
    parts.append(isCalm ? "calm network" : "\(faults)")
    if runningHandlersMax < 1000 { parts.append("\(runningHandlersMax) handlers at most") }
    if streamsPerConnectionMax < 4096 { parts.append("\(streamsPerConnectionMax) streams at most") }
    if let serverAgeMax { parts.append("connections of servers live \(serverAgeMax)") }
    if let clientAgeMax { parts.append("connections of clients live \(clientAgeMax)") }
    if let streamIDMax { parts.append("call numbers up to \(streamIDMax)") }
    if let drain {
      parts.append("a server drains at \(drain.at)\(drain.restarts ? "" : " for good")")
    }
    return ([parts.joined(separator: ", ")] + calls.map { "  \($0)" }).joined(separator: "\n")
  }
}
