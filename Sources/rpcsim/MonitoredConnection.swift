import RPCKitTesting

/// One connection as its frames tell it.
final class MonitoredConnection {
  /// One call.
  private struct Stream {
    /// The client said that messages follow.
    var isOutboundOpen: Bool
    var isCancelled = false
    var isEndedByServer = false
    var hasClientData = false
    /// A deflated message counts as what it is inflated, which cannot be seen here.
    var hasDeflated = false
    /// The cost of each side's messages, and how much of that was given back.
    var clientCost = 0
    var serverCost = 0
    var creditOfClient = 0
    var creditOfServer = 0
    /// The turn in which the server read the request.
    var requestTurn: Int?
    /// The server knows that nobody waits for the call and has nothing of it left to write.
    var isKnownCancelled = false
  }

  private static let deflated: UInt8 = 0x10
  private static let remoteClosed: UInt8 = 0x01
  private static let remoteOpen: UInt8 = 0x02
  private static let noData: UInt8 = 0x04

  let clientOutput = FrameSplitter()
  let serverOutput = FrameSplitter()
  let serverInput = FrameSplitter()

  private var streams: [UInt32: Stream] = [:]
  private var lastRequest: UInt32 = 0
  private var hasClientWritten = false
  private var hasServerSaidHello = false

  private static func cost(_ frame: WireFrame) -> Int { frame.payload.count + 10 }

  private static func credit(_ frame: WireFrame) -> Int {
    guard case .number(let count) = WireMessage.fields(frame.payload)?.first?.value else {
      return 0
    }
    return Int(truncatingIfNeeded: count)
  }

  // MARK: - The client

  /// Looks at a frame of the client; returns what is wrong with it.
  func clientWrote(_ frame: WireFrame) -> String? {
    defer { hasClientWritten = true }
    if frame.type == WireFrame.hello {
      return hasClientWritten ? "HELLO is not the client's first frame" : nil
    }
    if frame.stream == WireFrame.connectionStream {
      return frame.type == WireFrame.ping ? nil : "a frame that no client sends"
    }
    if frame.type == WireFrame.request { return clientOpened(frame) }
    guard var stream = streams[frame.stream] else { return "a frame of a call that was not opened" }
    defer { streams[frame.stream] = stream }
    switch frame.type {
    case WireFrame.data:
      guard !stream.isCancelled else { return "a message after CANCEL" }
      guard stream.isOutboundOpen else { return "a message after the end of messages" }
      if frame.flags & Self.remoteClosed != 0 { stream.isOutboundOpen = false }
      stream.hasClientData = true
      guard frame.flags & Self.noData == 0 else { return nil }
      if frame.flags & Self.deflated != 0 { stream.hasDeflated = true }
      let isWithinWindow =
        stream.clientCost < WorkloadPlan.serverWindowByteCount + stream.creditOfServer
      stream.clientCost += Self.cost(frame)
      return isWithinWindow || stream.hasDeflated ? nil : "the client overruns the window"
    case WireFrame.cancel:
      defer { stream.isCancelled = true }
      return stream.isCancelled ? "a second CANCEL" : nil
    case WireFrame.credit:
      stream.creditOfClient += Self.credit(frame)
      guard !stream.isCancelled else { return "credit after CANCEL" }
      let isEarned = stream.creditOfClient <= stream.serverCost
      return isEarned || stream.hasDeflated ? nil : "more credit than the messages cost"
    default:
      return "a frame that no client sends"
    }
  }

  private func clientOpened(_ frame: WireFrame) -> String? {
    guard frame.stream % 2 == 1, frame.stream > lastRequest else {
      return "call numbers do not rise (the last was \(lastRequest))"
    }
    lastRequest = frame.stream
    streams[frame.stream] = Stream(isOutboundOpen: frame.flags & Self.remoteOpen != 0)
    return nil
  }

  // MARK: - The server

  /// Notes what the server knows from now on.
  func serverRead(_ frame: WireFrame, turn: Int, hasUnwritten: Bool) {
    switch frame.type {
    case WireFrame.request:
      streams[frame.stream]?.requestTurn = turn
    case WireFrame.cancel:
      guard let stream = streams[frame.stream], let requestTurn = stream.requestTurn else { return }
      // What was answered in the same turn, or earlier and not written yet, could not be held back;
      // late messages of the client are answered whatever became of the call.
      let isSettled = requestTurn < turn && !hasUnwritten && !stream.hasClientData
      if isSettled { streams[frame.stream]?.isKnownCancelled = true }
    default: break
    }
  }

  /// Looks at a frame of the server; returns what is wrong with it.
  func serverWrote(_ frame: WireFrame) -> String? {
    if frame.stream == WireFrame.connectionStream {
      switch frame.type {
      case WireFrame.hello:
        defer { hasServerSaidHello = true }
        return hasServerSaidHello ? "a second HELLO" : nil
      case WireFrame.ping, WireFrame.goAway: return nil
      default: return "a frame that no server sends"
      }
    }
    guard var stream = streams[frame.stream] else { return "a frame of a call that was not opened" }
    defer { streams[frame.stream] = stream }
    guard !stream.isKnownCancelled else { return "a frame of a call that was cancelled" }
    switch frame.type {
    case WireFrame.response:
      defer { stream.isEndedByServer = true }
      // Late messages of the client are answered, which it ignores.
      return stream.isEndedByServer && !stream.hasClientData ? "a second answer" : nil
    case WireFrame.data:
      guard !stream.isEndedByServer else { return "a message after the end of the stream" }
      if frame.flags & Self.remoteClosed != 0 { stream.isEndedByServer = true }
      guard frame.flags & Self.noData == 0 else { return nil }
      if frame.flags & Self.deflated != 0 { stream.hasDeflated = true }
      let isWithinWindow =
        stream.serverCost < WorkloadPlan.clientWindowByteCount + stream.creditOfClient
      stream.serverCost += Self.cost(frame)
      return isWithinWindow || stream.hasDeflated ? nil : "the server overruns the window"
    case WireFrame.credit:
      stream.creditOfServer += Self.credit(frame)
      let isEarned = stream.creditOfServer <= stream.clientCost
      return isEarned || stream.hasDeflated ? nil : "more credit than the messages cost"
    default:
      return "a frame that no server sends"
    }
  }
}
