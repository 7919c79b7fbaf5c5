internal import RPCKit

/// One call on a connection that does not speak frames: what the server sent of it, as frames.
///
/// Messages wait here until the client gives credit for them, as a server that speaks frames would have them
/// wait; what bounds them on their way bounds how many there are.
class TranslatedCall {
  typealias Field = TranslatedRequest.Field

  final let id: UInt32
  final let hasStreamOfResponses: Bool
  /// Bytes of messages, as frames count them, that the client takes before it gives credit.
  private let windowByteCount: Int
  /// Content of the answer that was not taken.
  private(set) final var content: [UInt8] = []
  /// Whether the server has said all of it.
  private(set) final var isComplete = false
  /// The last frame of the call was taken.
  private(set) final var isOver = false
  /// Whether a message is complete for which the client has given no credit.
  private(set) final var awaitsCredit = false
  /// Delivered bytes for which there was no credit yet.
  private var uncreditedByteCount = 0
  /// Bytes that arrived and were not given back.
  private var heldByteCount = 0
  /// Why the answer will not be complete.
  private var failure: TranslatedStatus?
  private var answer: ReceivedMessage?
  /// Messages of the client that are not on their way yet: their bytes there, and what they cost.
  private var unsent: [(byteCount: Int, cost: Int)] = []
  private var earnedCredit = 0

  /// Longest message that is taken.
  static let messageByteCountMax = 4 << 20
  private static let envelopeByteCount = 5

  init(id: UInt32, hasStreamOfResponses: Bool, windowByteCount: Int) {
    self.id = id
    self.hasStreamOfResponses = hasStreamOfResponses
    self.windowByteCount = windowByteCount
  }

  // MARK: - What a protocol provides

  /// Whether messages may be deflated.
  var isDeflateAnnounced: Bool { false }

  /// Takes an envelope that carries no message; false when there is no such thing.
  func takeEnvelope(_ flags: UInt8, _ content: [UInt8]) throws(TranslatedStatus) -> Bool { false }

  /// A message of the server for the client's frames.
  struct ReceivedMessage {
    /// As they stand in a frame.
    var bytes: [UInt8]
    var isDeflated: Bool
    /// How long the message is that is not deflated.
    var plainByteCount: Int
  }

  /// A message of the server as protobuf, still deflated if it came so and that is the client's way as well.
  func decoded(
    _ message: [UInt8],
    isDeflated: Bool,
    _ inflater: inout Inflater
  ) throws(TranslatedStatus) -> ReceivedMessage {
    let plain = isDeflated ? try Self.inflated(message, &inflater) : message
    return ReceivedMessage(bytes: message, isDeflated: isDeflated, plainByteCount: plain.count)
  }

  /// The one message of an answer without envelopes; nil for answers that have them.
  func wholeMessage(_ inflater: inout Inflater) throws(TranslatedStatus) -> ReceivedMessage? { nil }

  /// Whether messages are in envelopes.
  var hasEnvelopes: Bool { true }

  /// Throws the status of an answer that has ended with another one than OK.
  func checkStatus() throws(TranslatedStatus) {}

  /// The metadata that the server sent beside its messages.
  var metadataFields: [Field] { [] }

  // MARK: - Sending

  /// Notes a message of the client's stream that is `byteCount` bytes in its envelope, and how long it is
  /// as frames count it.
  final func wrote(_ byteCount: Int, costing messageByteCount: Int) {
    unsent.append((byteCount, Self.cost(messageByteCount)))
  }

  /// Bytes of the request are on their way.
  final func sent(byteCount: Int) {
    var rest = byteCount
    while rest > 0, !unsent.isEmpty {
      let taken = min(rest, unsent[0].byteCount)
      rest -= taken
      unsent[0].byteCount -= taken
      if unsent[0].byteCount == 0 { earnedCredit += unsent.removeFirst().cost }
    }
  }

  /// Takes the credit that the client's messages have earned it; nil for none.
  final func takeCredit() -> Int? {
    defer { earnedCredit = 0 }
    return earnedCredit > 0 ? earnedCredit : nil
  }

  // MARK: - Receiving

  final func received(_ bytes: [UInt8]) {
    content += bytes
    heldByteCount += bytes.count
  }

  final func receivedEnd() { isComplete = true }

  /// The answer is lost, or never began; nothing of it counts that was not delivered.
  final func fail(_ status: TranslatedStatus) {
    guard !isComplete else { return }
    isComplete = true
    failure = status
    content = []
  }

  /// The client has taken messages.
  final func credited(_ byteCount: Int) {
    uncreditedByteCount = max(0, uncreditedByteCount - byteCount)
  }

  /// Takes the frames for the client, and how many of the bytes that arrived can be given back.
  final func takeFrames(
    _ inflater: inout Inflater
  ) -> (frames: [WireFrame], releasedByteCount: Int) {
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
      if isComplete, !isBlocked { frames.append(try end(&inflater)) }
    } catch {
      frames.append(failed(error))
    }
    awaitsCredit = isBlocked
    // A message may be larger than the window: what is there of it does not count.
    let kept = isBlocked ? min(heldByteCount, content.count) : 0
    defer { heldByteCount = kept }
    return (frames, heldByteCount - kept)
  }

  private func take(
    _ message: ReceivedMessage,
    _ frames: inout [WireFrame]
  ) throws(TranslatedStatus) {
    if hasStreamOfResponses {
      uncreditedByteCount += Self.cost(message.plainByteCount)
      frames.append(
        WireFrame(
          stream: id,
          type: WireFrame.data,
          flags: Self.flags(message),
          payload: message.bytes
        )
      )
    } else if answer == nil {
      answer = message
    } else {
      throw TranslatedStatus(.internal, "the server sent a second message where one was due")
    }
  }

  /// The message at the front, and what it takes with its envelope; nil when it is not complete.
  private func nextMessage(
    _ inflater: inout Inflater
  ) throws(TranslatedStatus) -> (message: ReceivedMessage, byteCount: Int)? {
    guard hasEnvelopes else { return nil }
    while content.count >= Self.envelopeByteCount {
      let length = content[1...4].reduce(0) { $0 << 8 | Int($1) }
      guard length <= Self.messageByteCountMax else {
        throw TranslatedStatus(.resourceExhausted, "the response of \(length) bytes is too large")
      }
      let byteCount = Self.envelopeByteCount + length
      guard content.count >= byteCount else { return nil }
      let message = Array(content[Self.envelopeByteCount..<byteCount])
      switch content[0] {
      case 0: return (try decoded(message, isDeflated: false, &inflater), byteCount)
      case 1 where isDeflateAnnounced:
        return (try decoded(message, isDeflated: true, &inflater), byteCount)
      case let flags:
        guard try takeEnvelope(flags, message) else {
          throw TranslatedStatus(.internal, "the server sent a message with flags \(flags)")
        }
        content.removeFirst(byteCount)
      }
    }
    return nil
  }

  static func inflated(
    _ message: [UInt8],
    _ inflater: inout Inflater
  ) throws(TranslatedStatus) -> [UInt8] {
    var plain = ByteBuffer()
    do {
      try inflater.inflate(message.span, into: &plain, byteCountMax: messageByteCountMax)
    } catch {
      throw TranslatedStatus(.internal, "the server's message cannot be inflated")
    }
    return plain.withBytes { [UInt8](copying: $0) }
  }

  // MARK: - The end

  private func end(_ inflater: inout Inflater) throws(TranslatedStatus) -> WireFrame {
    if let failure { throw failure }
    try checkStatus()
    if let message = try wholeMessage(&inflater) {
      answer = message
      content = []
    }
    guard content.isEmpty else {
      throw TranslatedStatus(.internal, "the server ended within a message")
    }
    isOver = true
    if hasStreamOfResponses {
      let flags = TranslatedRequest.Flags.remoteClosed | TranslatedRequest.Flags.noData
      return WireFrame(stream: id, type: WireFrame.data, flags: flags)
    }
    guard let answer else {
      throw TranslatedStatus(.internal, "the server sent no message where one was due")
    }
    let response = WireMessage().field(2, answer.bytes).adding(metadata)
    return WireFrame(
      stream: id,
      type: WireFrame.response,
      flags: Self.flags(answer),
      payload: response.bytes
    )
  }

  private static func flags(_ message: ReceivedMessage) -> UInt8 {
    message.isDeflated ? TranslatedRequest.Flags.deflated : 0
  }

  private func failed(_ status: TranslatedStatus) -> WireFrame {
    isOver = true
    content = []
    var response = WireMessage().field(1, status.encoded).adding(metadata)
    if status.isNotProcessed { response = response.varint(101, 1) }
    return WireFrame(stream: id, type: WireFrame.response, payload: response.bytes)
  }

  private var metadata: [UInt8] {
    var pairs = WireMessage()
    for field in metadataFields {
      pairs = pairs.field(100, WireMessage().text(1, field.name).text(2, field.value).bytes)
    }
    return pairs.bytes
  }

  /// The cost of a message to the windows of frames: its frame's header too.
  private static func cost(_ byteCount: Int) -> Int { byteCount + 10 }
}
