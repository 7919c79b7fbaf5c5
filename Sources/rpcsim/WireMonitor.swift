import RPCKitTesting

/// Reads along on every connection, with framing of its own, and checks what docs/reference/protocol.md
/// promises of each frame.
///
/// It judges each side by what that side can know: credit that was granted, a CANCEL that was read.
final class WireMonitor: WireObserver {
  /// The problems, one line each.
  private(set) var problems: [String] = []
  /// Frames that were written, by type.
  private(set) var frameCounts: [UInt8: Int] = [:]

  private var connections: [Int: MonitoredConnection] = [:]
  private let simulation: Simulation

  init(_ simulation: Simulation) {
    self.simulation = simulation
  }

  func wrote(_ bytes: [UInt8], connection: Int, byClient: Bool) {
    let monitored = monitored(connection)
    let splitter = byClient ? monitored.clientOutput : monitored.serverOutput
    for frame in splitter.take(bytes) {
      frameCounts[frame.type, default: 0] += 1
      let problem = byClient ? monitored.clientWrote(frame) : monitored.serverWrote(frame)
      if let problem { problems.append("connection \(connection): \(problem): \(summary(frame))") }
    }
  }

  func read(_ bytes: [UInt8], connection: Int, byClient: Bool, hasUnwritten: Bool) {
    guard !byClient else { return }
    let monitored = monitored(connection)
    for frame in monitored.serverInput.take(bytes) {
      monitored.serverRead(frame, turn: simulation.turnCount, hasUnwritten: hasUnwritten)
    }
  }

  func closed(_ connection: Int) { connections[connection] = nil }

  private func monitored(_ number: Int) -> MonitoredConnection {
    if let known = connections[number] { return known }
    let new = MonitoredConnection()
    connections[number] = new
    return new
  }

  private func summary(_ frame: WireFrame) -> String {
    var head = frame
    head.payload = Array(frame.payload.prefix(40))
    return "\(head) of \(frame.payload.count) bytes"
  }
}
