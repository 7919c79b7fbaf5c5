internal import RPCKit

/// Calls by HTTP/2 with prior knowledge, or after TLS has agreed on it: gRPC and REST.
///
/// Frames are cut here, and fields read by libnghttp2: a generator that takes more time than its server measures
/// itself. Loop only.
final class HTTP2Caller: LoadCaller, TransportReceiver, TurnEndTarget {
  /// Why a request is not all sent: the server has to give its windows back first.
  final class Waiting {
    let stream: UInt32
    var window: Int
    var content = ByteBuffer()

    init(_ stream: UInt32, window: Int) {
      self.stream = stream
      self.window = window
    }
  }

  enum Phase {
    case connecting
    /// The server's settings are awaited.
    case greeting
    case open
    /// The server takes no more calls.
    case draining
    case closed
  }

  private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
  private static let windowMax = Int(Int32.max)
  private static let prefixByteCount = 5

  let transport: any Transport
  let call: HTTPCall
  let timeoutNanoseconds: Int64?
  var delegate: (any LoadCallerDelegate)?
  var phase = Phase.connecting
  var output = ByteBuffer()
  private var input = ByteBuffer()
  private var isFlushScheduled = false

  var calls: [UInt32: HTTP2Call] = [:]
  /// Calls that are over.
  var unused: [HTTP2Call] = []
  var nextStream: UInt32 = 1
  /// Streams below are over, or not late.
  var oldestStream: UInt32 = 1
  var streamCountMax = Int.max
  /// Whether a call was refused for want of room.
  var hasRefused = false

  var blocks: FieldBlocks
  var hasSentFirst = false
  let inflater = FieldInflater()
  /// A block of fields whose frames are not complete.
  var fragment: (frame: HTTP2Frame, bytes: [UInt8])?

  /// Bytes that may be sent on the connection and on a new stream.
  var window = 65_535
  var streamWindow = 65_535
  var waiting: Waiting?
  /// Content received that the server was not given room for again.
  var receivedByteCount = 0

  init(_ transport: any Transport, _ call: HTTPCall) {
    self.transport = transport
    self.call = call
    timeoutNanoseconds = call.timeout?.nanosecondsSaturated
    blocks = FieldBlocks(call, tableByteCount: nil)
  }

  // MARK: - The connection

  func start(_ delegate: any LoadCallerDelegate) {
    self.delegate = delegate
    transport.start(self)
  }

  func transportConnected() {
    guard phase == .connecting else { return }
    if call.isSecure, transport.peer.applicationProtocol != "h2" {
      return lose("the server does not agree to HTTP/2 (ALPN)")
    }
    phase = .greeting
    output.append(Self.preface.span)
    // No pushes, and room for the longest answer on each stream.
    HTTP2Frame.append(.settings, 12, to: &output)
    appendSetting(2, 0)
    appendSetting(4, UInt32(HTTPCall.answerByteCountMax + (1 << 16)))
    appendWindow(Self.windowMax - 65_535)
    scheduleFlush()
  }

  private func appendSetting(_ name: UInt8, _ value: UInt32) {
    output.append(0)
    output.append(name)
    output.append(bigEndian: value)
  }

  func appendWindow(_ byteCount: Int) {
    HTTP2Frame.append(.windowUpdate, 4, to: &output)
    output.append(bigEndian: UInt32(byteCount))
  }

  func transportReceived(_ bytes: Span<UInt8>) {
    guard phase != .closed else { return }
    // Out of the object while it is read, as what is read can close the connection.
    var waiting = ByteBuffer()
    swap(&waiting, &input)
    if waiting.isEmpty {
      let count = readFrames(bytes)
      waiting.append(bytes.extracting(count..<bytes.count))
    } else {
      waiting.append(bytes)
      let count = waiting.withBytes { readFrames($0) }
      waiting.consume(count)
    }
    swap(&waiting, &input)
    if !output.isEmpty { scheduleFlush() }
    if phase == .draining, calls.isEmpty { lose("the server ended the connection") }
  }

  func transportReceivedEnd() { lose("the server closed the connection") }

  func transportBecameWritable() { flush() }

  func transportClosed(_ error: TransportError?) {
    guard phase != .closed else { return }
    end(error ?? TransportError(.connectionLost, "it was closed"))
  }

  func scheduleFlush() {
    guard !isFlushScheduled, phase != .closed else { return }
    isFlushScheduled = true
    transport.loop.atEndOfTurn(self)
  }

  func turnEnded() {
    isFlushScheduled = false
    flush()
  }

  private func flush() {
    guard phase != .connecting, phase != .closed else { return }
    transport.write(from: &output)
  }

  func close() {
    guard phase != .closed else { return }
    end(nil)
    transport.close()
  }

  func lose(_ problem: String) {
    guard phase != .closed else { return }
    end(TransportError(phase == .connecting ? .connectFailed : .connectionLost, problem))
    transport.close()
  }

  private func end(_ error: TransportError?) {
    phase = .closed
    let text = Array((error?.description ?? "").utf8)
    for (_, call) in calls.sorted(by: { $0.key < $1.key }) {
      delegate?.callEnded(call.token, .failed(.unavailable), text.span)
    }
    calls = [:]
    delegate.take()?.callerClosed(error)
  }

  // MARK: - Calls

  func send(path: Span<UInt8>, payload: Span<UInt8>, token: UInt64) -> Bool {
    guard phase == .open else { return false }
    guard waiting == nil, calls.count < streamCountMax else {
      hasRefused = true
      return false
    }
    let stream = nextStream
    guard stream < UInt32(Int32.max) else {
      phase = .draining
      delegate?.callerDrains()
      return false
    }
    nextStream += 2
    let loop = transport.loop
    let call = unused.popLast() ?? HTTP2Call()
    let deadline = timeoutNanoseconds.map { loop.now.advanced(by: .nanoseconds($0)) }
    call.begin(token: token, deadline: deadline ?? .distantFuture)
    calls[stream] = call
    let byteCount = payload.count + (self.call.isGRPC ? Self.prefixByteCount : 0)
    writeHead(path, stream, isEnd: byteCount == 0)
    if byteCount > 0 { writeContent(payload, byteCount, stream) }
    scheduleFlush()
    return true
  }

  private func writeHead(_ path: Span<UInt8>, _ stream: UInt32, isEnd: Bool) {
    let (begin, rest) =
      hasSentFirst ? (blocks.others, blocks.otherRest) : (blocks.first, blocks.firstRest)
    hasSentFirst = true
    let literal = path.isEmpty ? [] : FieldBlocks.path(path)
    let byteCount = begin.count + literal.count + rest.count
    let flags = isEnd ? HTTP2Frame.endStream : 0
    guard byteCount > HTTP2Frame.byteCountMax else {
      HTTP2Frame.append(
        .headers,
        byteCount,
        flags: flags | HTTP2Frame.endHeaders,
        stream: stream,
        to: &output
      )
      output.append(begin.span)
      output.append(literal.span)
      output.append(rest.span)
      return
    }
    writeFragments((begin + literal + rest).span, stream, flags: flags)
  }

  private func writeFragments(_ block: Span<UInt8>, _ stream: UInt32, flags: UInt8) {
    var start = 0
    while start < block.count {
      let end = min(block.count, start + HTTP2Frame.byteCountMax)
      HTTP2Frame.append(
        start == 0 ? .headers : .continuation,
        end - start,
        flags: (start == 0 ? flags : 0) | (end == block.count ? HTTP2Frame.endHeaders : 0),
        stream: stream,
        to: &output
      )
      output.append(block.extracting(start..<end))
      start = end
    }
  }

  private func writeContent(_ payload: Span<UInt8>, _ byteCount: Int, _ stream: UInt32) {
    guard byteCount > min(window, streamWindow, HTTP2Frame.byteCountMax) else {
      window -= byteCount
      HTTP2Frame.append(
        .data,
        byteCount,
        flags: HTTP2Frame.endStream,
        stream: stream,
        to: &output
      )
      return appendMessage(payload, to: &output)
    }
    let rest = Waiting(stream, window: streamWindow)
    appendMessage(payload, to: &rest.content)
    waiting = rest
    sendWaiting()
  }

  private func appendMessage(_ payload: Span<UInt8>, to output: inout ByteBuffer) {
    if call.isGRPC {
      output.append(0)
      output.append(bigEndian: UInt32(payload.count))
    }
    output.append(payload)
  }

  /// Sends as much of a waiting request as the windows let.
  func sendWaiting() {
    while let rest = waiting {
      let count = min(window, rest.window, HTTP2Frame.byteCountMax, rest.content.byteCount)
      guard count > 0 else { return }
      window -= count
      rest.window -= count
      let isEnd = count == rest.content.byteCount
      HTTP2Frame.append(
        .data,
        count,
        flags: isEnd ? HTTP2Frame.endStream : 0,
        stream: rest.stream,
        to: &output
      )
      rest.content.withBytes { output.append($0.extracting(0..<count)) }
      rest.content.consume(count)
      if isEnd { waiting = nil }
    }
  }
}
