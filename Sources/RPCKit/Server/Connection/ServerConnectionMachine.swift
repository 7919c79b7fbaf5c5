/// One connection as the server sees it: which frames are legal now, what each means, and who may
/// send how much.
///
/// Knows no socket, clock or task; the driver does what the actions say.
///
/// `Call` is the driver's own handle of a running call, kept beside the call's state.
struct ServerConnectionMachine<Call: AnyObject>: ~Copyable {
  /// The dialect that the two sides agreed on.
  enum Dialect: Equatable {
    /// The peer said nothing of extensions: plain ttrpc, nothing of ours may be sent.
    case stock
    /// HELLO was exchanged.
    case extended(ConnectionSettings)
  }

  /// Life of the connection.
  enum Phase: Equatable {
    /// Calls are accepted. Next: `draining`, `flushing`, `closed`.
    case serving
    /// No new call is accepted; the open ones finish. Next: `flushing`, `closed`.
    case draining(lastAccepted: StreamID?)
    /// No call is open and none begins: what was answered is written, what comes is thrown away.
    /// Next: `lingering`, `closed`.
    case flushing
    /// Everything is written and our end of stream sent, but the client may not have read it. Closing
    /// while it still sends would make the kernel drop what it has not sent itself (RFC 2525, section
    /// 2.17), so what comes is read and thrown away. Next: `closed`.
    case lingering
    /// Terminal.
    case closed
  }

  /// One open call.
  struct Stream {
    /// The driver's handle.
    var call: Call
    /// Whether client messages may still arrive.
    var isInboundOpen: Bool
    /// Whether the method takes one request and so no Data frame at all.
    var isUnaryRequest: Bool
    /// Bytes this side may send; below one means wait.
    ///
    /// Without limit for stock peers.
    var sendCredit: Int
    /// Bytes the peer may still send.
    var receiveCredit: Int
    /// Bytes consumed by the handler and not yet given back to the peer.
    var unreturnedCredit = 0
  }

  private(set) var phase = Phase.serving
  private(set) var dialect = Dialect.stock
  private(set) var streams = StreamTable<Stream>()
  /// Bytes that were thrown away since the connection began to end.
  private var discardedByteCount = 0
  private var seen = SeenStreamIDs()
  private var protocolErrorCount = 0
  private var unreportedViolation: ProtocolViolation?
  private let streamCountMax: Int
  private let protocolErrorCountMax: Int
  private let windowByteCount: Int
  private let discardedByteCountMax: Int

  init(limits: Limits) {
    discardedByteCountMax = limits.discardedByteCountMax
    streamCountMax = limits.streamsPerConnectionMax
    protocolErrorCountMax = limits.protocolErrorCountMax
    windowByteCount = limits.streamWindowByteCount
  }

  /// The highest call number that was accepted.
  var lastAccepted: StreamID? { seen.highest }

  // MARK: - Frames in

  /// The driver's action for a frame.
  enum OnFrame: Equatable {
    /// Decode the envelope and open the call with `open`.
    case openCall
    /// Deliver a message (`hasMessage`) and, if `isLast`, the end of the client's messages.
    case deliver(hasMessage: Bool, isLast: Bool)
    /// The call is over with this status: answer it and cancel its handler if it has one.
    case fail(StatusCode, String)
    /// The client gave up: cancel the handler and forget the call without an answer.
    case cancelCall
    /// Read the settings, answer with ours, and call `agree`.
    case hello
    /// Echo the payload.
    case answerPing
    /// Note that the peer is alive.
    case pong
    /// Read the number of bytes and call `addCredit`.
    case credit
    /// Nothing: a frame that stock peers ignore too, or the loser of a legal race.
    case ignore
    /// The peer broke the protocol too often or beyond repair.
    case close(ProtocolViolation)
  }

  /// Classifies a frame by its header.
  mutating func receive(_ header: FrameHeader) -> OnFrame {
    guard takesFrames else { return .ignore }
    guard header.streamID.isClientInitiated else {
      return violation(.evenStreamID) ?? .fail(.invalidArgument, "stream ID must be odd")
    }
    switch header.type {
    case .request: return receiveRequest(header)
    case .data: return receiveData(header)
    case .hello:
      guard header.streamID == .connection else { return .ignore }
      return dialect == .stock ? .hello : violation(.unexpectedType) ?? .ignore
    case .ping:
      guard header.streamID == .connection, dialect != .stock else { return .ignore }
      return header.flags.contains(.acknowledgement) ? .pong : .answerPing
    case .cancel:
      // A race when the answer is already on its way.
      return streams.contains(header.streamID) ? .cancelCall : .ignore
    case .credit:
      // A race when the stream has just ended.
      return streams.contains(header.streamID) ? .credit : .ignore
    default:
      // Responses and unknown types are ignored, as by stock servers, but not forever.
      return violation(.unexpectedType) ?? .ignore
    }
  }

  private mutating func receiveRequest(_ header: FrameHeader) -> OnFrame {
    guard header.streamID != .connection else {
      return violation(.reservedStreamID) ?? .fail(.invalidArgument, "stream ID is reserved")
    }
    if case .draining = phase { return .openCall }
    guard seen.use(header.streamID) else {
      return violation(.reusedStreamID)
        ?? .fail(.invalidArgument, "stream ID cannot be re-used and must increment")
    }
    return .openCall
  }

  private mutating func receiveData(_ header: FrameHeader) -> OnFrame {
    let id = header.streamID
    guard var stream = streams[id] else {
      // Messages of a call that was refused because of the drain may be in flight still.
      if case .draining = phase, seen.highest.map({ id > $0 }) ?? true { return .ignore }
      // The call may have ended while the frame was in flight, which is nobody's fault; stock Go
      // answers the same.
      if let highest = seen.highest, id <= highest {
        return .fail(.invalidArgument, "stream is no longer active")
      }
      return violation(.unknownStream) ?? .fail(.invalidArgument, "stream is not open")
    }
    guard !stream.isUnaryRequest else {
      return violation(.dataOnUnary)
        ?? .fail(.invalidArgument, "the method takes a single request")
    }
    guard stream.isInboundOpen else {
      return violation(.dataAfterEnd) ?? .fail(.invalidArgument, "data after the end of stream")
    }
    let isLast = header.flags.contains(.remoteClosed)
    let hasMessage = !header.flags.contains(.noData)
    if hasMessage {
      // A message may be larger than the credit that is left, but some must be left.
      guard dialect == .stock || stream.receiveCredit > 0 else {
        return violation(.creditExceeded)
          ?? .fail(.resourceExhausted, "the stream's window is exceeded")
      }
      stream.receiveCredit -= Self.cost(header.payloadByteCount)
    }
    if isLast { stream.isInboundOpen = false }
    streams.replace(id, with: stream)
    return .deliver(hasMessage: hasMessage, isLast: isLast)
  }

  /// Counts a frame larger than the limit, whose payload is being skipped.
  mutating func receiveOversize(_ header: FrameHeader) -> OnFrame {
    guard takesFrames else { return .ignore }
    let id = header.streamID
    if header.type == .request, id.isClientInitiated, id != .connection { _ = seen.use(id) }
    return violation(.oversizeFrame)
      ?? .fail(.resourceExhausted, "message length \(header.payloadByteCount) exceeds the limit")
  }

  /// Counts a frame whose payload turned out to be wrong; an action when it was one too many.
  mutating func countViolation(_ kind: ProtocolViolation) -> OnFrame? { violation(kind) }

  private mutating func violation(_ kind: ProtocolViolation) -> OnFrame? {
    protocolErrorCount += 1
    unreportedViolation = kind
    guard protocolErrorCount > protocolErrorCountMax else { return nil }
    return .close(kind)
  }

  /// The violation of the frame that was looked at last, once, for metrics.
  mutating func takeViolation() -> ProtocolViolation? { unreportedViolation.take() }

  /// The cost of a message to its stream's window: the header too, so that a flood of empty
  /// messages is bounded.
  static func cost(_ payloadByteCount: Int) -> Int { payloadByteCount + FrameHeader.byteCount }

  // MARK: - Calls

  /// Whether a call may be opened.
  enum OnOpen: Equatable {
    case accept
    /// Refuse as not processed: the client may send it elsewhere.
    case refuseDraining
    /// Refuse as not processed: this connection has too many calls open.
    case refuseTooManyStreams
  }

  /// Asks whether one more call may be opened.
  func admission(_ id: StreamID) -> OnOpen {
    if case .draining = phase { return .refuseDraining }
    return streams.count < streamCountMax ? .accept : .refuseTooManyStreams
  }

  /// Opens a call that was accepted.
  mutating func open(_ id: StreamID, call: Call, isUnaryRequest: Bool, isInboundOpen: Bool) {
    let sendCredit =
      switch dialect {
      case .stock: Int.max
      case .extended(let settings): settings.streamWindowByteCount
      }
    streams.insert(
      id,
      Stream(
        call: call,
        isInboundOpen: isInboundOpen,
        isUnaryRequest: isUnaryRequest,
        sendCredit: sendCredit,
        // A client that has not read our settings yet begins with the default.
        receiveCredit: max(windowByteCount, ConnectionSettings().streamWindowByteCount)
      )
    )
  }

  /// Ends a call, from whichever side; nil when it has ended already, so each ends once.
  mutating func end(_ id: StreamID) -> Call? {
    streams.remove(id)?.call
  }

  /// The open calls in the order of their numbers, so that one history always continues in one way.
  var openCalls: [Call] {
    streams.ids.sorted().compactMap { streams[$0]?.call }
  }

  /// Ends every call: the connection is lost.
  mutating func close() -> [Call] {
    phase = .closed
    defer { streams.removeAll() }
    return openCalls
  }

  // MARK: - Settings

  /// Notes the peer's settings.
  ///
  /// From here on extension frames may be sent.
  mutating func agree(_ settings: ConnectionSettings) {
    dialect = .extended(settings)
  }

  // MARK: - The end

  /// The driver's action for a drain.
  enum OnDrain: Equatable {
    /// Tell the client the last call that is served, and keep reading: late ones are refused.
    case sendGoAway(lastAccepted: UInt32)
    /// Nothing was received yet: whether the client understands GOAWAY shows with its first frame,
    /// which may be in flight.
    case awaitFirstFrame
    /// The client would not understand: the open calls finish, and what it asks for in the meantime is
    /// refused.
    case finishCalls
    case ignore
  }

  /// Starts to drain.
  mutating func drain() -> OnDrain {
    guard phase == .serving else { return .ignore }
    phase = .draining(lastAccepted: seen.highest)
    guard dialect != .stock else { return seen.highest == nil ? .awaitFirstFrame : .finishCalls }
    return .sendGoAway(lastAccepted: seen.highest?.rawValue ?? 0)
  }

  /// Whether a draining connection has nothing left to do.
  var isDrained: Bool {
    if case .draining = phase { return streams.isEmpty }
    return false
  }

  /// Whether what comes is looked at.
  var takesFrames: Bool {
    switch phase {
    case .serving, .draining: true
    case .flushing, .lingering, .closed: false
    }
  }

  /// Whether anything may be read: an end is waited for with a bound on what is thrown away.
  var reads: Bool {
    switch phase {
    case .serving, .draining: true
    case .flushing, .lingering: discardedByteCount <= discardedByteCountMax
    case .closed: false
    }
  }

  /// Begins to flush when a drain has nothing left to do; says whether it does.
  mutating func finishDrain() -> Bool {
    guard isDrained else { return false }
    phase = .flushing
    return true
  }

  /// Begins to flush at once; returns the open calls, which nobody answers.
  ///
  /// Nil when the connection is ending already.
  mutating func abandonCalls() -> [Call]? {
    guard takesFrames else { return nil }
    phase = .flushing
    defer { streams.removeAll() }
    return openCalls
  }

  /// Notes that everything is written; says whether the end of stream is due.
  mutating func flushed() -> Bool {
    guard phase == .flushing else { return false }
    phase = .lingering
    return true
  }

  /// Notes bytes that were thrown away.
  mutating func discard(byteCount: Int) { discardedByteCount += byteCount }

  // MARK: - Flow control

  /// Whether a message may be sent now.
  ///
  /// One that is larger than the credit left may go, so that no message is too large for the
  /// window; the debt is paid before the next.
  func maySend(_ id: StreamID) -> Bool { (streams[id]?.sendCredit ?? 0) > 0 }

  /// Takes what a sent message costs.
  mutating func sent(_ id: StreamID, payloadByteCount: Int) {
    guard dialect != .stock else { return }
    _ = streams.update(id) { $0.sendCredit -= Self.cost(payloadByteCount) }
  }

  /// Adds credit that the peer granted, up to a bound that no honest peer passes.
  mutating func addCredit(_ id: StreamID, byteCount: Int) -> Call? {
    streams.update(id) { stream in
      let (sum, overflow) = stream.sendCredit.addingReportingOverflow(byteCount)
      stream.sendCredit = overflow ? .max : sum
      return stream.call
    }
  }

  /// Takes what a message was larger before it was deflated: windows bound memory, so they count
  /// messages as they are held and not as they travelled.
  mutating func chargeInflated(_ id: StreamID, byteCount: Int) {
    _ = streams.update(id) { $0.receiveCredit -= byteCount }
  }

  /// Notes that the handler took a message; returns the credit to grant once it is worth a frame.
  mutating func consumed(_ id: StreamID, cost: Int) -> Int? {
    guard dialect != .stock, var stream = streams[id], stream.isInboundOpen else { return nil }
    stream.unreturnedCredit += cost
    var grant: Int?
    if stream.unreturnedCredit >= windowByteCount / 2 {
      grant = stream.unreturnedCredit
      stream.receiveCredit += stream.unreturnedCredit
      stream.unreturnedCredit = 0
    }
    streams.replace(id, with: stream)
    return grant
  }
}

/// How a peer broke the protocol: a label in metrics and the log.
package enum ProtocolViolation: String, Hashable, Sendable, CaseIterable {
  case evenStreamID = "even_stream_id"
  case reservedStreamID = "reserved_stream_id"
  case reusedStreamID = "reused_stream_id"
  case unexpectedType = "unexpected_type"
  case unknownStream = "unknown_stream"
  case dataOnUnary = "data_on_unary"
  case dataAfterEnd = "data_after_end"
  case creditExceeded = "credit_exceeded"
  case oversizeFrame = "oversize_frame"
  case unskippableFrame = "unskippable_frame"
  case malformedEnvelope = "malformed_envelope"
  case malformedControl = "malformed_control"
  /// The first bytes are of no wire that the server speaks.
  case unknownWire = "unknown_wire"
  /// HTTP/1.1 whose framing is wrong or doubtful.
  case malformedHTTP1 = "malformed_http1"
  /// HTTP/2 that RFC 9113 calls a connection error.
  case malformedHTTP2 = "malformed_http2"
  /// HTTP/2 frames of a sort that costs the sender less than the receiver, in too great a number.
  case floodHTTP2 = "flood_http2"
}
