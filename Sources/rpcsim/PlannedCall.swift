import RPCKit
import RPCKitTesting

/// One call of a workload, as its seed drew it: what the caller does and what the handler does.
struct PlannedCall: Sendable {
  /// The methods of the simulated service.
  enum Method: String, Sendable, CaseIterable {
    case echo = "Echo"
    case list = "List"
    /// Idempotent, and therefore sent again after a loss.
    case read = "Read"
    case watch = "Watch"
    case collect = "Collect"
    case chat = "Chat"

    var kind: MethodDescriptor.Kind {
      switch self {
      case .echo, .list, .read: .unary
      case .watch: .serverStreaming
      case .collect: .clientStreaming
      case .chat: .bidirectional
      }
    }
  }

  let number: Int
  let method: Method
  /// When it begins.
  let start: Duration
  let timeout: Duration?
  /// When its task is cancelled, counted from the start.
  let cancelAfter: Duration?
  var waitsForReady: Bool
  let compressesRequest: Bool
  /// The first server passes the call on to one behind it.
  let isRelayed: Bool

  /// Messages that the side which streams sends.
  let messageCount: Int
  /// Length of the text in each message.
  let textByteCount: Int
  /// After so many messages the reader of a response stream leaves.
  let leavesAfter: Int?
  /// The pause of a reader after each message.
  let readerPause: Duration

  /// The pause of the handler before it answers.
  let handlerPause: Duration
  /// The handler answers only to cancellation.
  let holds: Bool
  /// The error that the handler throws in the end.
  let failure: StatusCode?

  /// Draws a call of one of the methods.
  init(number: Int, methods: [Method], canRelay: Bool, random: inout SimulationRandom) {
    self.number = number
    method = random.element(of: methods)
    start = .milliseconds(random.skewedNumber(in: 0...1000))
    isRelayed = canRelay && method != .collect && method != .chat && random.chance(0.4)
    waitsForReady = random.chance(0.3)
    compressesRequest = random.chance(0.2)

    let isStream = method.kind != .unary
    messageCount = isStream ? random.skewedNumber(in: 0...30) : 0
    // A few long streams, so that every window runs out, and many short ones.
    let textByteCountMax = random.chance(0.3) ? 12_000 : 200
    textByteCount = random.skewedNumber(in: 0...textByteCountMax)
    let isReader = method == .watch || method == .chat
    leavesAfter = isReader && random.chance(0.1) ? random.number(in: 0...5) : nil
    readerPause = .milliseconds(random.chance(0.2) ? random.skewedNumber(in: 0...30) : 0)

    handlerPause = .milliseconds(random.chance(0.3) ? random.skewedNumber(in: 0...400) : 0)
    failure = random.chance(0.1) ? random.element(of: [.notFound, .aborted]) : nil
    holds = random.chance(0.15)
    let cancels = random.chance(holds ? 0.7 : 0.15)
    cancelAfter = cancels ? .milliseconds(random.skewedNumber(in: 0...400)) : nil
    // Long timeouts too: their timers must not outlive the calls.
    if random.chance(0.2), !holds || cancels {
      timeout = .seconds(random.number(in: 10_000...20_000))
    } else {
      let isShort = random.chance(0.4) || (holds && !cancels)
      timeout = isShort ? .milliseconds(random.skewedNumber(in: 1...2000)) : nil
    }
  }

  /// The text of every message of the call.
  var text: String { String(repeating: "x", count: textByteCount) }

  /// Whether a second run of the handler is a bug.
  var runsOnce: Bool { method != .read }
}

extension PlannedCall: CustomStringConvertible {
  /// One line for a report.
  var description: String {
    var parts = ["call \(number) \(method.rawValue)", "at \(start)"]
    if let timeout { parts.append("timeout \(timeout)") }
    if let cancelAfter { parts.append("cancelled after \(cancelAfter)") }
    if let leavesAfter { parts.append("left after \(leavesAfter)") }
    if isRelayed { parts.append("relayed") }
    if waitsForReady { parts.append("waits for ready") }
    if messageCount > 0 { parts.append("\(messageCount) messages of \(textByteCount) bytes") }
    if holds { parts.append("holds") }
    if handlerPause > .zero { parts.append("handler sleeps \(handlerPause)") }
    if let failure { parts.append("fails with \(failure)") }
    return parts.joined(separator: ", ")
  }
}
