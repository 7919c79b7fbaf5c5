internal import RPCKit

/// One connection of HTTP/1.1 from its client's end: requests and their answers, one after another.
///
/// Loop only.
final class HTTP1ClientConnection: TransportReceiver, TimerTarget {
  /// The call whose request or answer is on the connection.
  private(set) var call: UInt32?
  private(set) var hasHadRequest = false
  /// Whether anything of the current request was given to the network.
  private(set) var hasSent = false

  private enum State {
    case connecting
    case open
    case closed
  }

  private var state = State.connecting
  private let transport: any Transport
  private weak var owner: ConnectTransport?
  private var timer = TimerID.none
  private var parser = HTTP1ResponseParser()
  private var output = ByteBuffer()

  /// Content of the request that is not framed yet.
  private var content: [UInt8] = []
  private var pieceByteCountMax = Int.max
  private var isChunked = false
  /// The end of the content is known.
  private var isFinished = false
  /// All of the request is in `output` or behind it.
  private var isRequestWritten = true
  private var awaitsContinue = false
  private var hasAnswerBegun = false
  private var isLast = false
  /// No further answer may come.
  private var isDone = false

  /// How long a connection may take to be made.
  private static let connectTimeout = Duration.seconds(2)

  init(_ transport: any Transport, _ owner: ConnectTransport) {
    self.transport = transport
    self.owner = owner
  }

  /// Whether a request can be sent on it.
  var isIdle: Bool { state == .open && call == nil }

  /// Bytes that wait.
  var outputByteCount: Int { output.byteCount + content.count }

  var unacknowledgedByteCount: Int { outputByteCount + transport.unacknowledgedByteCount }

  // MARK: - Requests

  /// Connects.
  func start() {
    let loop = transport.loop
    timer = loop.schedule(at: loop.now.advanced(by: Self.connectTimeout), target: self, token: 0)
    transport.start(self)
  }

  /// Sends a request when it can.
  func begin(_ request: ConnectRequest, authority: String, of call: UInt32) {
    precondition(self.call == nil, "HTTP/1.1 has one request at a time")
    self.call = call
    hasHadRequest = true
    hasSent = false
    content = request.content
    pieceByteCountMax = max(1, request.style.pieceByteCountMax)
    isChunked = request.style.isChunked
    isFinished = request.isComplete
    isRequestWritten = false
    awaitsContinue = request.expectsContinue
    hasAnswerBegun = false
    isLast = request.style.endsConnection
    output.append(request.head(authority: authority).span)
    flush()
  }

  /// Adds content to the request.
  func write(_ bytes: [UInt8]) {
    content += bytes
    flush()
  }

  /// Ends the request.
  func finish() {
    isFinished = true
    flush()
  }

  /// Ends the connection at once.
  func close() {
    guard state != .closed else { return }
    state = .closed
    transport.loop.cancel(timer)
    transport.close()
  }

  func setReading(_ isReading: Bool) { transport.setReading(isReading) }

  /// Writes piece by piece, so that each is on its way before the next.
  func flush() {
    guard state == .open else { return }
    while true {
      if output.isEmpty { frameNextPiece() }
      let waiting = output.byteCount
      guard waiting > 0 else { return }
      transport.write(from: &output)
      if output.byteCount < waiting { hasSent = true }
      guard output.isEmpty else { return }
    }
  }

  /// Puts the next piece of the content into the output, or the end of it.
  private func frameNextPiece() {
    guard let call, !isRequestWritten, !awaitsContinue else { return }
    let count = min(content.count, pieceByteCountMax)
    if count > 0 {
      let piece = Array(content.prefix(count))
      output.append((isChunked ? Self.chunk(piece) : piece).span)
      content.removeFirst(count)
      owner?.sent(count, of: call)
    } else if isFinished {
      isRequestWritten = true
      if isChunked { output.append(Array("0\r\n\r\n".utf8).span) }
    }
  }

  private static func chunk(_ bytes: [UInt8]) -> [UInt8] {
    Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
  }

  // MARK: - Answers

  func transportReceived(_ bytes: Span<UInt8>) {
    guard state == .open else { return }
    do throws(HTTP1ResponseParser.Malformed) {
      for event in try parser.read([UInt8](copying: bytes)) {
        guard state == .open || isDone else { break }
        try take(event)
      }
      guard call != nil || !parser.isInsideAnswer || (state == .closed && !isDone) else {
        throw HTTP1ResponseParser.Malformed(problem: "an answer comes without a request")
      }
    } catch {
      let call = endCall()
      close()
      owner?.violated(error.problem, self, call)
    }
    owner?.deliver()
  }

  private func take(_ event: HTTP1ResponseParser.Event) throws(HTTP1ResponseParser.Malformed) {
    guard let call else {
      throw HTTP1ResponseParser.Malformed(problem: "an answer comes without a request")
    }
    switch event {
    case .interim(let status):
      guard status == 100, awaitsContinue, !hasAnswerBegun else {
        throw HTTP1ResponseParser.Malformed(problem: "an interim answer \(status) nobody waits for")
      }
      awaitsContinue = false
      flush()
    case .head(let head):
      hasAnswerBegun = true
      isLast = isLast || head.isLast
      owner?.received(head, of: call)
    case .content(let bytes): owner?.update(call) { $0.received(bytes) }
    case .end: endAnswer(of: call)
    }
  }

  private func endAnswer(of call: UInt32) {
    // What is left of the request nobody waits for, and the next one cannot go before it.
    if isLast || !isRequestWritten || !output.isEmpty {
      isDone = true
      close()
      owner?.isGone(self)
    } else {
      owner?.rests(self)
    }
    _ = endCall()
    owner?.update(call) { $0.receivedEnd() }
  }

  private func endCall() -> UInt32? {
    content = []
    isRequestWritten = true
    return call.take()
  }

  // MARK: - The connection

  func transportConnected() {
    guard state == .connecting else { return }
    state = .open
    transport.loop.cancel(timer)
    owner?.connected()
    flush()
    owner?.deliver()
  }

  func transportBecameWritable() {
    flush()
    owner?.deliver()
  }

  func transportReceivedEnd() {
    lose(TransportError(.connectionLost, "the server closed the connection"))
  }

  func transportClosed(_ error: TransportError?) { lose(error) }

  func timerFired(_ token: UInt64) {
    timer = .none
    guard state == .connecting else { return }
    lose(TransportError(.connectFailed, "no answer in time"))
  }

  private func lose(_ error: TransportError?) {
    guard state != .closed else { return }
    let wasConnected = state == .open
    let isUnsent = !hasSent
    let call = endCall()
    close()
    if wasConnected {
      owner?.lost(self, call, isNotProcessed: isUnsent)
    } else {
      owner?.failedToConnect(self, call, error)
    }
    owner?.deliver()
  }
}
