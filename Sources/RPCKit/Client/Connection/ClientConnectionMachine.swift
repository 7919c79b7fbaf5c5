/// One connection as the client sees it: which calls are open, what each incoming frame means, and
/// who may send how much.
///
/// Knows no socket, clock or task; the driver does what the actions say.
///
/// `Call` is the driver's own record of an open call, kept beside the call's state.
struct ClientConnectionMachine<Call>: ~Copyable {
  /// The dialect that the two sides agreed on.
  enum Dialect: Equatable {
    /// HELLO was sent and the server has said nothing yet.
    ///
    /// Next: `stock`, `extended`.
    case undecided
    /// The server answered a call without a HELLO: plain ttrpc.
    case stock
    /// HELLO was exchanged.
    case extended(ConnectionSettings)
  }

  /// Life of the connection.
  enum Phase: Equatable {
    /// Nothing can be sent yet.
    ///
    /// Next: `open`, `closed`.
    case connecting
    /// Calls may begin.
    ///
    /// Next: `draining`, `closed`.
    case open
    /// No call may begin; the open ones finish.
    ///
    /// Next: `closed`.
    case draining
    /// Terminal.
    case closed
  }

  /// One open call.
  struct Stream {
    /// The driver's record.
    var call: Call
    /// Whether the server may send messages before it ends the call.
    let hasInboundMessages: Bool
    /// Whether this side may still send messages.
    var isOutboundOpen: Bool
    /// Bytes this side may send; below one means wait.
    var sendCredit: Int
    /// Bytes the server may still send.
    var receiveCredit: Int
    /// Bytes consumed and not yet given back to the server.
    var unreturnedCredit = 0
  }

  /// The bytes that calls may send before the server's settings are known: a sum that every peer can take.
  static var assumedWindowByteCount: Int { 64 << 10 }

  var phase = Phase.connecting
  var dialect = Dialect.undecided
  var streams = StreamTable<Stream>()
  private var nextStreamID = StreamID.first
  private let streamCountMaxOfOurs: Int
  let windowByteCount: Int
  private let lastUsableStreamID: UInt32
  var keepalive = Keepalive.listening

  /// Makes a machine whose connection is being made.
  ///
  /// After the call number `streamIDMax` the connection takes no more calls. gRPC rotates at 75 % of
  /// the number space too.
  init(limits: Limits, streamIDMax: UInt32 = 3 << 30) {
    precondition(streamIDMax < StreamID.connection.rawValue - 2, "the last number is reserved")
    streamCountMaxOfOurs = limits.streamsPerConnectionMax
    windowByteCount = limits.streamWindowByteCount
    lastUsableStreamID = streamIDMax
  }

  /// Calls that are open.
  var streamCount: Int { streams.count }

  /// Calls that may be open at a time.
  var streamCountMax: Int {
    guard case .extended(let settings) = dialect else { return streamCountMaxOfOurs }
    return min(streamCountMaxOfOurs, settings.streamCountMax)
  }

  /// Largest frame payload that the server takes.
  ///
  /// Stock servers refuse more than 4 MiB.
  var frameByteCountMax: Int {
    guard case .extended(let settings) = dialect else { return 4 << 20 }
    return settings.frameByteCountMax
  }

  /// Whether both sides can deflate.
  func mayDeflate(supported: Bool) -> Bool {
    guard supported, case .extended(let settings) = dialect else { return false }
    return settings.features.contains(.deflate)
  }

  /// Whether a draining connection has nothing left to do.
  var isDrained: Bool { phase == .draining && streams.isEmpty }

  // MARK: - Connection

  enum OnConnected: Equatable {
    case sendHello
    /// The connection was given up while it was being made.
    case ignore
  }

  /// The transport can be written to.
  mutating func connected() -> OnConnected {
    guard phase == .connecting else { return .ignore }
    phase = .open
    return .sendHello
  }

  enum OnDrain: Equatable {
    /// Tell the pool; close once `isDrained`.
    case stopStarting
    case ignore
  }

  /// No call begins from now on: the pool wants the connection gone.
  mutating func drain() -> OnDrain {
    switch phase {
    case .connecting, .open:
      phase = .draining
      return .stopStarting
    case .draining, .closed:
      return .ignore
    }
  }

  /// Ends every call: the connection is lost or closed.
  mutating func close() -> [Call] {
    phase = .closed
    return removeStreams { _ in true }
  }

  // MARK: - Calls

  enum OnStart: Equatable {
    /// Send the request with this number.
    ///
    /// When `isLastOfConnection`, drain afterwards.
    case send(StreamID, isLastOfConnection: Bool)
    /// The connection takes no more calls: use another.
    case refuseUnusable
    /// The server's or our limit of open calls is reached: wait or use another.
    case refuseTooManyStreams
  }

  /// Begins a call.
  ///
  /// Numbers are given here, when the frame is about to be appended, so that they rise on the wire:
  /// stock Go servers refuse others.
  mutating func start(_ call: Call, _ kind: MethodDescriptor.Kind) -> OnStart {
    guard phase == .open else { return .refuseUnusable }
    guard streams.count < streamCountMax else { return .refuseTooManyStreams }
    let id = nextStreamID
    nextStreamID.rawValue += 2
    streams.insert(
      id,
      Stream(
        call: call,
        hasInboundMessages: kind == .serverStreaming || kind == .bidirectional,
        isOutboundOpen: kind == .clientStreaming || kind == .bidirectional,
        sendCredit: initialSendCredit,
        receiveCredit: windowByteCount
      )
    )
    return .send(id, isLastOfConnection: nextStreamID.rawValue > lastUsableStreamID)
  }

  private var initialSendCredit: Int {
    switch dialect {
    case .undecided: Self.assumedWindowByteCount
    case .stock: .max
    case .extended(let settings): settings.streamWindowByteCount
    }
  }

  /// Ends a call, from whichever side; nil when it has ended already, so each ends once.
  mutating func end(_ id: StreamID) -> Call? { streams.remove(id)?.call }

  /// Changes the driver's record of an open call.
  mutating func updateCall(_ id: StreamID, _ body: (inout Call) -> Void) {
    _ = streams.update(id) { body(&$0.call) }
  }

  // MARK: - Frames in

  /// The driver's action for a frame.
  enum OnFrame: Equatable {
    /// Decode the envelope: it ends the call.
    ///
    /// The driver calls `end`.
    case response
    /// Deliver a message and, if `isLast`, the end with OK (the driver calls `end`).
    case message(isLast: Bool)
    /// The server ended the stream with OK.
    ///
    /// The driver calls `end`.
    case endOfStream
    /// The server broke the protocol on this call: end it, send CANCEL.
    case fail(StatusCode, String)
    /// Read the settings and call `agree`.
    case hello
    /// Echo the payload.
    case answerPing
    /// Read the last accepted number and call `goAway`.
    case goAway
    /// Read the number of bytes and call `addCredit`.
    case credit
    /// Nothing: the late answer of a call that is over, or something stock clients ignore too.
    case ignore
  }

  /// Classifies a frame by its header.
  ///
  /// Call `settleDialect` first.
  mutating func receive(_ header: FrameHeader) -> OnFrame {
    guard phase != .closed, phase != .connecting else { return .ignore }
    guard header.streamID != .connection else { return receiveOnConnection(header) }
    switch header.type {
    case .response: return streams.contains(header.streamID) ? .response : .ignore
    case .data: return receiveData(header)
    case .credit where isExtended:
      // A race when the call has just ended.
      return streams.contains(header.streamID) ? .credit : .ignore
    default:
      // Stock clients fail the call too; on a number that is not open, it is somebody's mistake
      // that hurts nobody.
      return streams.contains(header.streamID)
        ? .fail(.internal, "the server sent a frame of unknown type") : .ignore
    }
  }

  private var isExtended: Bool {
    if case .extended = dialect { return true }
    return false
  }

  private mutating func receiveOnConnection(_ header: FrameHeader) -> OnFrame {
    switch header.type {
    case .hello: return dialect == .undecided ? .hello : .ignore
    case .ping where isExtended && !header.flags.contains(.acknowledgement): return .answerPing
    case .goAway where isExtended: return .goAway
    default: return .ignore
    }
  }

  private mutating func receiveData(_ header: FrameHeader) -> OnFrame {
    let isLast = header.flags.contains(.remoteClosed)
    let hasMessage = !header.flags.contains(.noData)
    let bounded = isExtended
    return streams.update(header.streamID) { stream in
      guard stream.hasInboundMessages else {
        return .fail(.internal, "the server sent a stream where one response was due")
      }
      guard hasMessage else { return isLast ? .endOfStream : .ignore }
      // A message may be larger than the credit that is left, but some must be left.
      guard !bounded || stream.receiveCredit > 0 else {
        return .fail(.resourceExhausted, "the server sent more than the stream's window")
      }
      stream.receiveCredit -= Self.cost(header.payloadByteCount)
      return .message(isLast: isLast)
    } ?? .ignore
  }

  enum OnOversize: Equatable {
    /// End this call only; the connection continues.
    ///
    /// Send CANCEL if `sendsCancel`.
    case fail(sendsCancel: Bool)
    case ignore
  }

  /// A frame larger than the limit, whose payload is being skipped.
  mutating func receiveOversize(_ header: FrameHeader) -> OnOversize {
    guard streams.contains(header.streamID) else { return .ignore }
    // After a Response the call is over on the server as well.
    return .fail(sendsCancel: header.type != .response)
  }

  /// The cost of a message to its stream's window: the header too, so that a flood of empty
  /// messages is bounded.
  static func cost(_ payloadByteCount: Int) -> Int { payloadByteCount + FrameHeader.byteCount }
}
