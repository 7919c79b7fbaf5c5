public import RPCKit
internal import RPCKitHTTP

/// Answers HTTP requests on one connection of the admin port.
///
/// Requests are read by the parser of the HTTP wires, which refuses whatever could be smuggled. The rest is its own
/// and small, so that the port answers whatever becomes of the server.
///
/// Belongs to the loop of its transport; the transport keeps it alive. One answer at a time is
/// made and sent, so a peer that asks much and reads little is held back by its own connection:
/// memory is bounded by one answer and one read. Every wait has a time limit.
public final class AdminConnection {
  private let transport: any Transport
  private let responder: AdminResponder
  private let limits: AdminLimits
  private let closed: () -> Void

  private var phase = Phase.serving
  private var parser: HTTP1RequestParser
  /// Bytes received and not parsed yet, because an answer is being sent.
  private var input = ByteBuffer()
  private var output = ByteBuffer()
  /// The rest of the answer's body that is not in `output` yet.
  private var body: ArraySlice<UInt8> = []
  private var requestCount = 0
  private var discardedByteCount = 0
  private var hasReceived = false
  private var hasPeerEnded = false
  private var isReading = true

  private var timer = TimerID.none
  private var timerToken: UInt64 = 0
  private var waiting = Waiting.nothing

  private enum Phase {
    /// Reading requests. Next: `answering`, `lingering`, `closed`.
    case serving
    /// An answer is on its way; afterwards the next request or the end. Next: all others.
    case answering(isLast: Bool)
    /// The output is closed; input is thrown away until the peer ends too, because closing with
    /// unread input makes the kernel reset the connection, and the peer lose the answer
    /// (RFC 9112, section 9.6). Next: `closed`.
    case lingering
    /// Terminal.
    case closed
  }

  /// The state that the timer limits.
  private enum Waiting {
    case nothing
    case request
    case idle
    case answer
    case linger
  }

  private static let chunkByteCount = 64 * 1024
  private static let lingerByteCountMax = 256 * 1024

  /// Makes a connection; `start` begins to serve it.
  ///
  /// `closed` is called once, when it has closed.
  public init(
    transport: any Transport,
    responder: AdminResponder,
    limits: AdminLimits = AdminLimits(),
    closed: @escaping () -> Void = {}
  ) {
    self.transport = transport
    self.responder = responder
    self.limits = limits
    self.closed = closed
    parser = HTTP1RequestParser(limits.ofRequests)
  }

  /// Starts serving.
  ///
  /// Loop only, once.
  public func start() {
    precondition(transport.loop.isCurrent, "an admin connection is started on its loop")
    transport.start(self)
  }

  /// How much a connection would be missed, the least first.
  enum Standing: Comparable {
    /// It was never answered: it asks for nothing, or is in the middle of its first request, which costs
    /// as little to pretend.
    case unanswered
    /// It was answered and asks for nothing now.
    case resting
    /// It has its last answer.
    case ending
    /// It was answered before and is in the middle of another request.
    case asking
    /// An answer is on its way.
    case answering
  }

  /// Where the connection stands among others that want its place.
  var standing: Standing {
    switch phase {
    case .serving where requestCount == 0: .unanswered
    case .serving: parser.isInsideHead ? .asking : .resting
    case .answering: .answering
    case .lingering, .closed: .ending
    }
  }

  /// The source its place is counted for.
  var source: String { transport.peer.source }

  /// Closes at once, for another to take its place.
  func evict() { transport.close() }

  // MARK: Requests

  /// Parses until an answer has to be waited for or the input is used up.
  private func process() {
    while case .serving = phase, !input.isEmpty {
      let (byteCount, event) = input.withBytes { next(in: $0) }
      input.consume(byteCount)
      switch event {
      case .needMoreBytes, .content, .end: break
      case .head(let request): answer(request)
      case .rejected(let rejection): refuse(status: rejection.status)
      }
    }
    if case .serving = phase { awaitRequest() }
  }

  /// The kind of the next bytes, and their number.
  ///
  /// What cannot begin a request is refused by its first byte: TLS and frames have no line whose end the parser
  /// could see, and anyone who is on the wrong port shall know immediately.
  private func next(in bytes: Span<UInt8>) -> (byteCount: Int, HTTP1RequestParser.Event) {
    if !parser.isInsideHead, bytes[0] != 0x0D, !HTTP1Syntax.isToken(bytes[0]) {
      return (bytes.count, .rejected(.badRequest("a request begins with a method")))
    }
    var offset = 0
    let event = parser.next(bytes, &offset)
    return (offset, event)
  }

  private func awaitRequest() {
    guard !hasPeerEnded else {
      finish()
      return
    }
    setReading(true)
    switch (waiting, parser.isInsideHead) {
    case (.request, _), (.idle, false): break
    case (_, true): wait(for: .request, limits.requestTimeout)
    case (_, false): wait(for: .idle, limits.idleTimeout)
    }
  }

  private func answer(_ request: HTTP1Request) {
    let page: AdminRequest
    do throws(AdminRequest.Refusal) {
      page = try AdminRequest(request)
    } catch {
      return refuse(status: error.status)
    }
    requestCount += 1
    send(
      responder.respond(to: page, limits: limits),
      isHead: page.isHead,
      isLast: !page.isKeepAlive || requestCount >= limits.requestCountMax
    )
  }

  /// Answers what gets no page, and ends the connection: where the next request would begin is not known.
  private func refuse(status: Int) {
    send(.rejection(status: status), isHead: false, isLast: true)
  }

  // MARK: Answers

  private func send(_ response: AdminResponse, isHead: Bool, isLast: Bool) {
    output.append(response.head(isKeepAlive: !isLast).span)
    body = isHead ? [] : response.body[...]
    phase = .answering(isLast: isLast)
    wait(for: .answer, limits.requestTimeout)
    flush()
  }

  /// Hands over what the transport takes; ends the answer when nothing is left.
  private func flush() {
    guard case .answering(let isLast) = phase else { return }
    while true {
      if output.isEmpty {
        let chunk = body.prefix(Self.chunkByteCount)
        output.append(chunk.span)
        body = body.dropFirst(chunk.count)
      }
      guard !output.isEmpty else { break }
      transport.write(from: &output)
      guard output.isEmpty else {
        setReading(false)
        return
      }
    }
    output.release()
    body = []
    stopWaiting()
    phase = .serving
    if isLast { finish() }
  }

  /// Closes the output and waits a moment for the peer to do the same.
  private func finish() {
    phase = .lingering
    input.release()
    transport.closeOutput()
    guard !hasPeerEnded else {
      transport.close()
      return
    }
    setReading(true)
    wait(for: .linger, limits.lingerTimeout)
  }

  private func setReading(_ isReading: Bool) {
    guard self.isReading != isReading else { return }
    self.isReading = isReading
    transport.setReading(isReading)
  }
}

// MARK: - Time

extension AdminConnection: TimerTarget {
  private func wait(for waiting: Waiting, _ duration: Duration) {
    stopWaiting()
    self.waiting = waiting
    timerToken += 1
    let deadline = transport.loop.now.advanced(by: duration)
    timer = transport.loop.schedule(at: deadline, target: self, token: timerToken)
  }

  private func stopWaiting() {
    guard waiting != .nothing else { return }
    waiting = .nothing
    transport.loop.cancel(timer)
    timer = .none
  }

  /// See `TimerTarget.timerFired(_:)`.
  public func timerFired(_ token: UInt64) {
    guard token == timerToken, waiting != .nothing else { return }
    let waiting = waiting
    self.waiting = .nothing
    // A peer that asked for something gets an answer; one that never did, or does not read, is not.
    if case .request = waiting, hasReceived {
      refuse(status: 408)
    } else {
      transport.close()
    }
  }
}

// MARK: - Transport

extension AdminConnection: TransportReceiver {
  /// See `TransportReceiver.transportConnected()`.
  public func transportConnected() {
    // This port has few places, and a flood elsewhere must not keep a probe waiting.
    transport.noteKnown()
    wait(for: .request, limits.requestTimeout)
  }

  /// See `TransportReceiver.transportReceived(_:)`.
  public func transportReceived(_ bytes: Span<UInt8>) {
    switch phase {
    case .serving, .answering:
      hasReceived = hasReceived || !bytes.isEmpty
      input.append(bytes)
      process()
      // Reading is off while an answer waits, so only what was on its way already can pile up.
      if input.byteCount > limits.pipelinedByteCountMax { transport.close() }
    case .lingering:
      discardedByteCount += bytes.count
      if discardedByteCount > Self.lingerByteCountMax { transport.close() }
    case .closed: break
    }
  }

  /// See `TransportReceiver.transportReceivedEnd()`.
  public func transportReceivedEnd() {
    hasPeerEnded = true
    switch phase {
    case .serving: finish()
    case .lingering: transport.close()
    // The peer may still read: it gets the answers to what it sent before its end.
    case .answering, .closed: break
    }
  }

  /// See `TransportReceiver.transportBecameWritable()`.
  public func transportBecameWritable() {
    flush()
    process()
  }

  /// See `TransportReceiver.transportClosed(_:)`.
  public func transportClosed(_ error: TransportError?) {
    stopWaiting()
    phase = .closed
    input.release()
    output.release()
    body = []
    closed()
  }
}
