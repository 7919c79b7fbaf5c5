import RPCKit
import RPCKitTesting

/// The clients of a workload that call by Connect over HTTP/1.1.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
final class SimulatedHTTP1: @unchecked Sendable {
  /// Requests that were made.
  private(set) var requestCount = 0
  /// Those of them on a connection that had one before.
  private(set) var laterRequestCount = 0

  private let simulation: Simulation
  private let ledger: CallLedger

  init(_ simulation: Simulation, _ ledger: CallLedger) {
    self.simulation = simulation
    self.ledger = ledger
  }

  /// A network whose clients write each request as the seed draws it.
  func network(over network: SimulatedNetwork, _ methods: [MethodDescriptor]) -> any Network {
    ConnectNetwork(
      over: network,
      methods: methods,
      json: SimulatedJSON.conversions,
      style: { [self] isConnectionKept in nextStyle(isConnectionKept) },
      violation: { [ledger] problem in ledger.problem("HTTP/1.1: \(problem)") }
    )
  }

  private func nextStyle(_ isConnectionKept: Bool) -> ConnectRequestStyle {
    let style = ConnectRequestStyle(drawnBy: &simulation.random)
    requestCount += 1
    if isConnectionKept, !style.connectsAnew { laterRequestCount += 1 }
    return style
  }
}

extension ConnectRequestStyle {
  /// Draws what a client is free to choose.
  fileprivate init(drawnBy random: inout SimulationRandom) {
    self.init()
    isJSON = random.chance(0.3)
    isChunked = random.chance(0.3)
    if random.chance(0.3) { pieceByteCountMax = random.skewedNumber(in: 1...4000) }
    connectsAnew = random.chance(0.1)
    endsConnection = random.chance(0.1)
    expectsContinue = random.chance(0.1)
  }
}
