import RPCKit
import RPCKitTesting

/// Runs seeds one after another and adds up what happened in them.
struct SeedRun {
  /// One seed in which something did not hold.
  struct Failure {
    let seed: UInt64
    let problems: [String]

    /// The whole message, with the command that shows it again.
    var message: String {
      var lines = ["seed \(seed) fails; replay with: scripts/simulate 1 --from \(seed)"]
      lines += problems.prefix(5).map { "  " + $0 }
      if problems.count > 5 { lines.append("  and \(problems.count - 5) more") }
      return lines.joined(separator: "\n")
    }
  }

  /// The runs that failed, in order.
  private(set) var failures: [Failure] = []
  private(set) var seedCount = 0
  private(set) var callCount = 0
  private(set) var turnCount = 0
  /// Seeds by their wire.
  private(set) var wireCounts: [SimulatedWire: Int] = [:]
  /// Calls by their status.
  private(set) var outcomes: [Int32: Int] = [:]
  /// Frames by their type.
  private(set) var frameCounts: [UInt8: Int] = [:]
  /// Requests of HTTP/1.1, and those of them on a connection that had one before.
  private(set) var requestCount = 0
  private(set) var laterRequestCount = 0
  /// Digest of all runs: equal for equal seeds.
  private(set) var digest: UInt64 = 0
  private var metrics = Workload.newMetrics()

  /// Runs one seed; returns what did not hold, if anything.
  @discardableResult
  mutating func run(seed: UInt64) -> Failure? {
    let workload = Workload(seed: seed, metrics: metrics)
    var problems: [String] = []
    do throws(SimulationError) {
      try workload.run()
    } catch {
      problems.append("\(error)")
    }
    problems += workload.problems
    seedCount += 1
    wireCounts[workload.plan.wire, default: 0] += 1
    callCount += workload.plan.calls.count
    turnCount += workload.simulation.turnCount
    digest = (digest << 1 | digest >> 63) ^ workload.simulation.traceHash
    outcomes.merge(workload.ledger.outcomes, uniquingKeysWith: +)
    requestCount += workload.http1.requestCount
    laterRequestCount += workload.http1.laterRequestCount
    frameCounts.merge(workload.monitor.frameCounts, uniquingKeysWith: +)
    guard !problems.isEmpty else { return nil }
    let failure = Failure(seed: seed, problems: problems)
    failures.append(failure)
    metrics = Workload.newMetrics()
    return failure
  }

  /// The events that should have happened in so many seeds and did not: a run in which hardly anything happens
  /// proves nothing.
  var missing: [String] {
    guard seedCount >= 1000 else { return [] }
    let codes = [0, 1, 4, 5, 8, 10, 14].filter { outcomes[$0, default: 0] == 0 }
    let types = [
      WireFrame.cancel, WireFrame.ping, WireFrame.goAway, WireFrame.credit,
    ].filter { frameCounts[$0, default: 0] == 0 }
    let wires = SimulatedWire.allCases.filter { wireCounts[$0, default: 0] == 0 }
    // The next request is what meets that which the last one left behind.
    return (laterRequestCount > 0 ? [] : ["no connection of HTTP/1.1 was used again"])
      + wires.map { "no seed spoke \($0.rawValue)" }
      + codes.map { "no call ended with \(StatusCode(rawValue: $0))" }
      + types.map { "there was no \(WireFrame.name($0)) frame" }
  }

  /// A few lines for anyone who watches.
  var summary: String {
    let codes = outcomes.sorted { $0.key < $1.key }
      .map { "\(StatusCode(rawValue: $0.key)) \($0.value)" }
    let types = frameCounts.sorted { $0.key < $1.key }
      .map { "\(WireFrame.name($0.key)) \($0.value)" }
    let wires = SimulatedWire.allCases
      .map { "\($0.rawValue) \(wireCounts[$0, default: 0])" }
    return """
      \(seedCount) seeds, \(callCount) calls, \(turnCount) turns, digest \(String(digest, radix: 16))
      seeds by wire: \(wires.joined(separator: ", "))
      calls: \(codes.joined(separator: ", "))
      frames: \(types.joined(separator: ", "))
      HTTP/1.1: \(requestCount) requests, \(laterRequestCount) on a connection that was used again
      """
  }
}
