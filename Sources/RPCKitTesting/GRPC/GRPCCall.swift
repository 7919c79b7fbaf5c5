internal import RPCKit

/// One call on a connection that speaks gRPC: what the server sent of it, told in frames.
///
/// Messages wait here until the client gives credit for them, as a server that speaks frames would have them
/// wait; the window of the stream bounds how many there are.
final class GRPCCall {
  let id: UInt32
  private let hasStreamOfResponses: Bool
  /// Bytes of messages, as frames count them, that the client takes before it gives credit.
  private let windowByteCount: Int
  private var httpStatus: Int?
  private var contentType = ""
  /// What the server sent beside its messages, head and trailers together.
  private var fields: [HTTP2ClientSession.Field] = []
  private var content: [UInt8] = []
  private var isEnded = false
  /// The last frame of the call was taken.
  private(set) var isOver = false
  /// Delivered bytes for which there was no credit yet.
  private var uncreditedByteCount = 0
  /// Bytes that arrived and still count against the window of the stream.
  private var heldByteCount = 0
  /// What the stream's reset means, if it was reset.
  private var failure: GRPCStatus?
  private var answer: [UInt8]?
  /// Messages of the client that are not in frames of HTTP/2 yet: their bytes there, and what they cost.
  private var unsent: [(byteCount: Int, cost: Int)] = []
  private var earnedCredit = 0

  /// Longest message that is taken.
  private static let messageByteCountMax = 4 << 20
  private static let envelopeByteCount = 5

  init(id: UInt32, hasStreamOfResponses: Bool, windowByteCount: Int) {
    self.id = id
    self.hasStreamOfResponses = hasStreamOfResponses
    self.windowByteCount = windowByteCount
  }

  // MARK: - Sending

  /// Notes a message of the client's stream that was given to the session, and how long it is inflated.
  func wrote(_ messageByteCount: Int, costing byteCount: Int) {
    unsent.append((messageByteCount + Self.envelopeByteCount, Self.cost(byteCount)))
  }

  /// Bytes of the request are on their way.
  func sent(byteCount: Int) {
    var rest = byteCount
    while rest > 0, !unsent.isEmpty {
      let taken = min(rest, unsent[0].byteCount)
      rest -= taken
      unsent[0].byteCount -= taken
      if unsent[0].byteCount == 0 { earnedCredit += unsent.removeFirst().cost }
    }
  }

  /// Takes the credit that the client's messages have earned it; nil for none.
  func takeCredit() -> Int? {
    defer { earnedCredit = 0 }
    return earnedCredit > 0 ? earnedCredit : nil
  }

  // MARK: - Receiving

  func received(_ block: [HTTP2ClientSession.Field]) {
    if let status = block.first(where: { $0.name == ":status" }).flatMap({ Int($0.value) }) {
      // An interim answer is none.
      guard status >= 200 else { return }
      httpStatus = status
      contentType = block.first { $0.name == "content-type" }?.value ?? ""
    }
    fields += block
  }

  func received(_ bytes: [UInt8]) {
    content += bytes
    heldByteCount += bytes.count
  }

  func receivedEnd() { isEnded = true }

  /// The stream was reset, or never began; nothing of it counts that was not delivered.
  func fail(_ status: GRPCStatus) {
    guard !isEnded else { return }
    isEnded = true
    failure = status
    content = []
  }

  /// Whether the server has said all of it.
  var isComplete: Bool { isEnded }

  /// The client has taken messages.
  func credited(_ byteCount: Int) {
    uncreditedByteCount = max(0, uncreditedByteCount - byteCount)
  }

  /// Takes what the client is to be told now, and how many bytes of the window can be given back.
  func takeFrames(_ inflater: inout Inflater) -> (frames: [WireFrame], releasedByteCount: Int) {
    var frames: [WireFrame] = []
    guard !isOver else { return ([], 0) }
    var isBlocked = false
    do {
      while let (message, byteCount) = try nextMessage(&inflater) {
        guard !hasStreamOfResponses || uncreditedByteCount < windowByteCount else {
          isBlocked = true
          break
        }
        content.removeFirst(byteCount)
        try take(message, &frames)
      }
      if isEnded, !isBlocked { frames.append(try end()) }
    } catch {
      frames.append(failed(error))
    }
    // A message may be larger than the window: what is there of it does not count.
    let kept = isBlocked ? min(heldByteCount, content.count) : 0
    defer { heldByteCount = kept }
    return (frames, heldByteCount - kept)
  }

  private func take(_ message: [UInt8], _ frames: inout [WireFrame]) throws(GRPCStatus) {
    if hasStreamOfResponses {
      uncreditedByteCount += Self.cost(message.count)
      frames.append(WireFrame(stream: id, type: WireFrame.data, payload: message))
    } else if answer == nil {
      answer = message
    } else {
      throw GRPCStatus(.internal, "the server sent a second message where one was due")
    }
  }

  /// The message at the front, and what it takes with its envelope; nil when it is not complete.
  private func nextMessage(
    _ inflater: inout Inflater
  ) throws(GRPCStatus) -> (message: [UInt8], byteCount: Int)? {
    guard content.count >= Self.envelopeByteCount else { return nil }
    let length = content[1...4].reduce(0) { $0 << 8 | Int($1) }
    guard length <= Self.messageByteCountMax else {
      throw GRPCStatus(.resourceExhausted, "the response of \(length) bytes is too large")
    }
    let byteCount = Self.envelopeByteCount + length
    guard content.count >= byteCount else { return nil }
    let message = Array(content[Self.envelopeByteCount..<byteCount])
    switch content[0] {
    case 0: return (message, byteCount)
    case 1 where value("grpc-encoding") == "deflate":
      return (try inflated(message, &inflater), byteCount)
    default: throw GRPCStatus(.internal, "the server sent a message with flags \(content[0])")
    }
  }

  private func inflated(
    _ message: [UInt8],
    _ inflater: inout Inflater
  ) throws(GRPCStatus) -> [UInt8] {
    var plain = ByteBuffer()
    do {
      try inflater.inflate(message.span, into: &plain, byteCountMax: Self.messageByteCountMax)
    } catch {
      throw GRPCStatus(.internal, "the server's message cannot be inflated")
    }
    return plain.withBytes { [UInt8](copying: $0) }
  }

  // MARK: - The end

  private func end() throws(GRPCStatus) -> WireFrame {
    if let failure { throw failure }
    let status = try GRPCStatus(
      httpStatus: httpStatus,
      contentType: contentType,
      value: value("grpc-status"),
      message: value("grpc-message"),
      details: value("grpc-status-details-bin")
    )
    guard status.code == .ok else { throw status }
    guard content.isEmpty else {
      throw GRPCStatus(.internal, "the server ended within a message")
    }
    isOver = true
    if hasStreamOfResponses {
      let flags = GRPCRequest.Flags.remoteClosed | GRPCRequest.Flags.noData
      return WireFrame(stream: id, type: WireFrame.data, flags: flags)
    }
    guard let answer else {
      throw GRPCStatus(.internal, "the server sent no message where one was due")
    }
    let response = WireMessage().field(2, answer).adding(metadata)
    return WireFrame(stream: id, type: WireFrame.response, payload: response.bytes)
  }

  private func failed(_ status: GRPCStatus) -> WireFrame {
    isOver = true
    content = []
    var response = WireMessage().field(1, status.encoded).adding(metadata)
    if status.isNotProcessed { response = response.varint(101, 1) }
    return WireFrame(stream: id, type: WireFrame.response, payload: response.bytes)
  }

  private func value(_ name: String) -> String? { fields.last { $0.name == name }?.value }

  /// The fields that are neither HTTP's nor gRPC's own.
  private var metadata: [UInt8] {
    var pairs = WireMessage()
    for field in fields where !Self.isReserved(field.name) {
      pairs = pairs.field(100, WireMessage().text(1, field.name).text(2, field.value).bytes)
    }
    return pairs.bytes
  }

  private static func isReserved(_ name: String) -> Bool {
    name.hasPrefix(":") || name.hasPrefix("grpc-") || name == "content-type" || name == "date"
  }

  /// What a message costs the windows of frames: its frame's header too.
  private static func cost(_ byteCount: Int) -> Int { byteCount + 10 }
}
