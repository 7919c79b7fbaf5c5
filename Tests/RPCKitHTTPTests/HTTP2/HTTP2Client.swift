import RPCKitTesting

@testable import RPCKit

/// The client's end of a connection: sends frames as it is told and sorts what comes back by stream.
///
/// It answers SETTINGS, and a PING only when told to.
final class HTTP2Client {
  /// What came for a request.
  struct Answer {
    var status: String?
    var fields: [(String, String)] = []
    var trailers: [(String, String)] = []
    var content: [UInt8] = []
    var isEnded = false
    /// The code of the stream's RST_STREAM frame.
    var reset: UInt32?
  }

  let wire: WirePeer
  /// Code and last stream of the GOAWAY frames, in order.
  private(set) var goAways: [(code: UInt32, last: UInt32)] = []
  /// Settings that the server announced.
  private(set) var settings: [UInt32: UInt32] = [:]
  /// PING frames of the server that were not answered.
  private(set) var pings: [HTTP2Frame] = []
  private(set) var pongCount = 0
  /// What the server gave back of windows, by stream.
  private(set) var windows: [UInt32: UInt32] = [:]
  private var answers: [UInt32: Answer] = [:]
  private let simulation: Simulation
  private var readCount = 0
  private let fields = FieldInflater()

  init(_ wire: WirePeer, _ simulation: Simulation) {
    self.wire = wire
    self.simulation = simulation
  }

  /// Sends the connection preface (RFC 9113 section 3.4).
  func sendPreface(settings: [(UInt16, UInt32)] = []) {
    wire.send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8))
    wire.send(HTTP2Frame.settings(settings).bytes)
    wire.send(HTTP2Frame(HTTP2Frame.Kind.settings, flags: HTTP2Frame.acknowledgement).bytes)
  }

  /// Sends frames, all at once.
  func send(_ frames: HTTP2Frame...) { wire.send(frames.flatMap(\.bytes)) }

  func send(_ frames: [HTTP2Frame]) { wire.send(frames.flatMap(\.bytes)) }

  /// Sends frames and lets everything happen that follows.
  func exchange(_ frames: HTTP2Frame...) throws {
    send(frames)
    try simulation.settle()
  }

  /// What came for a stream so far.
  subscript(stream: UInt32) -> Answer {
    read()
    return answers[stream] ?? Answer()
  }

  /// The codes of the GOAWAY frames so far.
  var goAwayCodes: [UInt32] {
    read()
    return goAways.map(\.code)
  }

  /// The last stream of the last GOAWAY frame.
  var lastStream: UInt32? {
    read()
    return goAways.last?.last
  }

  /// Settings that the server announced, by number.
  var announced: [UInt32: UInt32] {
    read()
    return settings
  }

  /// What the server gave back of a stream's window.
  func window(_ stream: UInt32) -> UInt32 {
    read()
    return windows[stream] ?? 0
  }

  /// How many of our PING frames were answered.
  var answeredPingCount: Int {
    read()
    return pongCount
  }

  /// Answers the PING frames of the server.
  func answerPings() {
    read()
    for ping in pings {
      send(HTTP2Frame(HTTP2Frame.Kind.ping, flags: HTTP2Frame.acknowledgement, ping.payload))
    }
    pings = []
  }

  /// Whether the server has ended the connection.
  var isEnded: Bool { wire.sawEnd || wire.isClosed }

  private func read() {
    var rest = wire.received.dropFirst(readCount)
    while let frame = HTTP2Frame(takingFrom: &rest) { receive(frame) }
    readCount = wire.received.count - rest.count
  }

  private func receive(_ frame: HTTP2Frame) {
    let isEnd = frame.flags & HTTP2Frame.endStream != 0
    switch frame.kind {
    case HTTP2Frame.Kind.headers:
      let fields = self.fields.inflate(frame.payload)
      var answer = answers[frame.stream] ?? Answer()
      if answer.status == nil || answer.status == "100" {
        answer.status = fields.first { $0.0 == ":status" }?.1
        answer.fields = fields
      } else {
        answer.trailers = fields
      }
      answer.isEnded = isEnd
      answers[frame.stream] = answer
    case HTTP2Frame.Kind.data:
      answers[frame.stream, default: Answer()].content += frame.payload
      answers[frame.stream, default: Answer()].isEnded = isEnd
    case HTTP2Frame.Kind.reset:
      answers[frame.stream, default: Answer()].reset = frame.number()
    case HTTP2Frame.Kind.settings where frame.flags == 0:
      for offset in stride(from: 0, to: frame.payload.count, by: 6) {
        settings[frame.number(at: offset) >> 16] = frame.number(at: offset + 2)
      }
    case HTTP2Frame.Kind.ping where frame.flags == 0: pings.append(frame)
    case HTTP2Frame.Kind.ping: pongCount += 1
    case HTTP2Frame.Kind.goAway:
      goAways.append((code: frame.number(at: 4), last: frame.number()))
    case HTTP2Frame.Kind.windowUpdate: windows[frame.stream, default: 0] += frame.number()
    default: break
    }
  }
}
