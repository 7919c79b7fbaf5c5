import RPCKitTesting

/// The programs, clients and faults of a seed.
struct Plan {
  /// A fault, at an instant in microseconds.
  struct Event {
    let time: Int64
    let fault: Fault
  }

  /// Kinds of faults; connections that are cut with a statement under way come by `cutProbability`.
  enum Fault: String, CaseIterable {
    /// A program ends at once, and is started again.
    case kill
    /// A program stands still, longer than the server lets it hold the turn or lead (SIGSTOP).
    case stop
    /// All connections of a program are cut.
    case cut
    /// The server ends all sessions of a program.
    case terminate
    /// The primary ends at once, and starts again with what it has committed.
    case crash
    /// The primary is lost, the standby takes over, and the old one comes back.
    case loss
    /// The standby takes over while the old primary goes on.
    case relief
    /// Nobody confirms commits for a while; some waits are cancelled.
    case standbyAway = "standby away"
  }

  let programCount: Int
  let clientCount: Int
  let operationCount: Int
  let writesPerCommit: Int
  let recentChangeCount: Int
  let cutProbability: Double
  /// Milliseconds by which the clock of each program is ahead.
  let shifts: [Int64]
  let events: [Event]

  init(_ random: inout SimulationRandom) {
    programCount = random.number(in: 2...3)
    clientCount = random.number(in: 2...4)
    operationCount = random.number(in: 4...12)
    writesPerCommit = random.number(in: 1...4)
    recentChangeCount = random.element(of: [2, 8, 4096])
    cutProbability = random.element(of: [0, 0, 0.002, 0.02])
    let largest = random.element(of: [0, 0, 20_000])
    var shifts: [Int64] = []
    for _ in 0..<programCount { shifts.append(Int64(random.number(in: -largest...largest))) }
    self.shifts = shifts
    var kinds: [Fault] = []
    for kind in Fault.allCases where random.chance(0.5) { kinds.append(kind) }
    var events: [Event] = []
    for _ in 0..<(kinds.isEmpty ? 0 : random.number(in: 0...6)) {
      let time = Int64(random.number(in: 50_000...6_000_000))
      events.append(Event(time: time, fault: random.element(of: kinds)))
    }
    self.events = events
  }

  /// Whether all programs go by one clock.
  var hasOneClock: Bool { shifts.allSatisfy { $0 == 0 } }
}

extension Plan: CustomStringConvertible {
  /// A few lines for anyone who replays a seed.
  var description: String {
    let faults = events.sorted { $0.time < $1.time }
      .map { "\($0.fault.rawValue) at \($0.time / 1000) ms" }
    return """
      \(programCount) programs, clocks ahead by \(shifts) ms, \(writesPerCommit) writes in a commit at most
      \(clientCount) clients with \(operationCount) operations each
      faults: \(faults.isEmpty ? "none" : faults.joined(separator: ", ")), cut by chance \(cutProbability)
      """
  }
}
