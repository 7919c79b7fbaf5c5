import RPCKit
import RPCKitTesting

/// The outcome of every call, on both sides, and what of it was wrong.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
final class CallLedger: @unchecked Sendable {
  /// A timer is at most one tick of a millisecond late, and so is the clock during a turn.
  static let lateness = Duration.milliseconds(2)
  /// How long a cancellation may take over two servers of a calm network.
  static let unwinding = Duration.milliseconds(50)

  /// The problems, one line each.
  private(set) var problems: [String] = []
  /// How many calls ended with which status.
  private(set) var outcomes: [Int32: Int] = [:]
  /// Calls whose caller has no outcome yet.
  private(set) var openCount: Int
  /// Handlers that began and have not returned.
  private(set) var runningCount = 0

  private struct Entry {
    var plan: PlannedCall
    var startedCount = [0, 0]
    var answeredCount = [0, 0]
    var runningCount = 0
    var ended: MonotonicInstant?
  }

  private var entries: [Entry]
  private let simulation: Simulation
  private let plan: WorkloadPlan

  init(_ plan: WorkloadPlan, _ simulation: Simulation) {
    self.plan = plan
    self.simulation = simulation
    entries = plan.calls.map { Entry(plan: $0) }
    openCount = plan.calls.count
  }

  /// Notes something that should not have happened.
  func problem(_ text: String) { problems.append(text) }

  func plan(_ number: Int) -> PlannedCall? {
    entries.indices.contains(number) ? entries[number].plan : nil
  }

  // MARK: - Handlers

  /// A handler began, at the first server (hop 0) or the one behind it.
  func handlerBegan(_ number: Int, hop: Int) {
    runningCount += 1
    entries[number].runningCount += 1
    entries[number].startedCount[hop] += 1
    let count = entries[number].startedCount[hop]
    if count > 1, entries[number].plan.runsOnce {
      problem("\(entries[number].plan): its handler ran \(count) times at hop \(hop)")
    }
  }

  /// A handler returned or threw.
  func handlerEnded(_ number: Int, hop: Int, deadline: MonotonicInstant) {
    runningCount -= 1
    entries[number].runningCount -= 1
    let now = simulation.now
    if deadline != .distantFuture, deadline.duration(to: now) > Self.lateness {
      problem("\(entries[number].plan): its handler at hop \(hop) ran past the deadline")
    }
    if plan.isCalm, let ended = entries[number].ended, ended.duration(to: now) > Self.unwinding {
      problem(
        "\(entries[number].plan): its handler at hop \(hop) ran on for \(ended.duration(to: now))"
      )
    }
  }

  /// A handler answered while somebody still waited for it.
  func handlerAnswered(_ number: Int, hop: Int) {
    entries[number].answeredCount[hop] += 1
  }

  // MARK: - Callers

  /// A caller got its outcome.
  func callEnded(_ number: Int, _ code: StatusCode, after duration: Duration) {
    let call = entries[number].plan
    guard entries[number].ended == nil else { return problem("\(call): ended twice") }
    entries[number].ended = simulation.now
    openCount -= 1
    outcomes[code.rawValue, default: 0] += 1
    if !isLegal(code, call) { problem("\(call): ended with \(code)") }
    // A reader may take its time over messages that came in time.
    let reading = call.readerPause * call.messageCount
    let answeredCount = entries[number].answeredCount.reduce(0, +)
    if code == .unavailable, answeredCount > 0, plan.losesNoAnswer {
      problem("\(call): its handler answered, and the answer was lost")
    }
    if let timeout = call.timeout, duration > timeout + reading + Self.lateness {
      problem("\(call): overran its deadline and took \(duration)")
    }
    if code == .ok, call.holds, call.leavesAfter == nil {
      problem("\(call): ended OK although its handler holds")
    }
  }

  private func isLegal(_ code: StatusCode, _ call: PlannedCall) -> Bool {
    switch code {
    case .ok: true
    case .unavailable: plan.mayBeUnavailable
    case .resourceExhausted: plan.hasTightLimits || !plan.isCalm
    case .deadlineExceeded: call.timeout != nil
    case .cancelled: call.cancelAfter != nil
    default: code == call.failure
    }
  }

  /// Says which calls have no outcome and which handlers still run.
  func reportUnfinished() {
    for entry in entries where entry.ended == nil { problem("\(entry.plan): never ended") }
    for entry in entries where entry.ended != nil && entry.runningCount > 0 {
      problem("\(entry.plan): its handler runs on although the call is over")
    }
  }
}
