internal import RPCKit

/// A connection that speaks HTTP/1.1 or HTTP/1.0 (RFC 9112).
///
/// Requests are answered one after another: the next one is parsed when the answer before it is in the output, so
/// what a client sends ahead costs one read at most. See docs/decisions/0157.
final class HTTP1Connection: HTTPConnection, @unchecked Sendable {
  private var parser: HTTP1RequestParser {
    @inline(__always) _read { yield confinedParser.value }
    @inline(__always) _modify { yield &confinedParser.value }
  }
  /// The bytes behind a request that is not answered yet.
  private var input: ByteBuffer {
    @inline(__always) _read { yield confinedInput.value }
    @inline(__always) _modify { yield &confinedInput.value }
  }
  /// When the first byte was read of the head that is not complete.
  private var headStart: MonotonicInstant? {
    @inline(__always) _read { yield confinedHeadStart.value }
    @inline(__always) _modify { yield &confinedHeadStart.value }
  }
  private var lastID: UInt32 = 0
  /// The request that is answered now.
  var transaction: HTTP1Transaction? {
    @inline(__always) get { confinedTransaction.value }
    @inline(__always) set { confinedTransaction.value = newValue }
  }
  /// Content of its answer that is not framed yet.
  var content: ByteBuffer {
    @inline(__always) _read { yield confinedContent.value }
    @inline(__always) _modify { yield &confinedContent.value }
  }
  /// Content that its answer shares with others, instead of `content`; of which what is left is sent.
  var sharedContent: HTTPContent.Rest? {
    @inline(__always) _read { yield confinedSharedContent.value }
    @inline(__always) _modify { yield &confinedSharedContent.value }
  }
  /// When the client last did what was waited for: sent something, or read an answer to its end.
  var lastProgress: MonotonicInstant
  private var watch = TimerID.none
  private var watchDue = MonotonicInstant.distantFuture
  private let confinedParser: Confined<HTTP1RequestParser>
  private let confinedInput = Confined(ByteBuffer())
  private let confinedHeadStart = Confined(MonotonicInstant?.none)
  private let confinedTransaction = Confined(HTTP1Transaction?.none)
  private let confinedContent = Confined(ByteBuffer())
  private let confinedSharedContent = Confined(HTTPContent.Rest?.none)

  override init(
    _ transport: any Transport,
    core: ServerCore,
    resources: LoopResources,
    configuration: HTTPConfiguration
  ) {
    confinedParser = Confined(HTTP1RequestParser(configuration.limits))
    lastProgress = transport.loop.now
    super.init(transport, core: core, resources: resources, configuration: configuration)
  }

  // MARK: - Reading

  override var hasRoomForInput: Bool {
    input.isEmpty && (transaction?.unconsumedByteCount ?? 0) <= limits.streamWindowByteCount
  }

  override var heldInputByteCount: Int { input.byteCount + parser.heldByteCount }

  override var hasBegunRequest: Bool { parser.isInsideHead }

  override var requestStart: MonotonicInstant? { headStart }

  /// The missing bytes of the request, if that is known.
  var missingContentByteCount: Int? { parser.missingContentByteCount }

  /// The path of a request whose head is not complete or was rejected.
  var unfinishedPath: String { parser.path }

  /// Whether requests are read and answered still.
  var isInUse: Bool { phase == .serving || phase == .draining }

  override func connected() {
    updateWatch()
  }

  override func process(_ bytes: Span<UInt8>) {
    lastProgress = loop.now
    if input.isEmpty {
      var offset = 0
      parse(bytes, &offset)
      if isInUse { input.append(bytes.extracting(offset..<bytes.count)) }
    } else {
      input.append(bytes)
    }
    updateWatch()
  }

  /// Reads what waited for the answer before it.
  func processInput() {
    guard !input.isEmpty, mayParse else { return }
    // Taken out in the meantime, because the connection may end and drop it.
    var waiting = ByteBuffer()
    swap(&waiting, &input)
    let byteCount = waiting.withBytes { bytes in
      var offset = 0
      parse(bytes, &offset)
      return offset
    }
    guard isInUse else { return }
    waiting.consume(byteCount)
    if !waiting.isEmpty { swap(&waiting, &input) }
  }

  /// Whether the next bytes may be looked at: not those of a request behind one that is not answered, or behind
  /// answers that the client does not read.
  ///
  /// A few bytes can ask for a large answer.
  private var mayParse: Bool {
    guard isInUse else { return false }
    guard let transaction else { return outputByteCount <= limits.outputPauseByteCount }
    return !transaction.hasRequestEnded
  }

  private func parse(_ bytes: Span<UInt8>, _ offset: inout Int) {
    while mayParse {
      if transaction == nil, headStart == nil, offset < bytes.count { headStart = loop.now }
      switch parser.next(bytes, &offset) {
      case .needMoreBytes:
        if !parser.isInsideHead { headStart = nil }
        return
      case .head(let request): begin(request, isFollowed: offset < bytes.count)
      case .content(let range): deliver(bytes.extracting(range))
      case .end: endRequest()
      case .rejected(let rejection):
        note(rejection)
        refuse(rejection, .violation)
      }
    }
  }

  /// `isFollowed` says whether content has come already.
  private func begin(_ request: HTTP1Request, isFollowed: Bool) {
    lastID &+= 1
    let exchange = configuration.router.makeExchange(
      HTTPArrival(
        head: request.head,
        id: lastID,
        received: headStart ?? loop.now,
        connection: self
      )
    )
    headStart = nil
    let transaction = HTTP1Transaction(exchange, request)
    self.transaction = transaction
    open(exchange)
    guard request.awaitsContinue, isCurrent(exchange), case .none = transaction.answer
    else { return }
    // A client that sends content without waiting needs no 100 (Continue).
    if !isFollowed {
      output.append(text: "HTTP/1.1 100 Continue\r\n\r\n")
      scheduleFlush()
    }
    transaction.awaitsContinue = false
  }

  /// Whether an exchange is the one that is answered now.
  private func isCurrent(_ exchange: HTTPExchange) -> Bool { transaction?.exchange === exchange }

  private func deliver(_ bytes: Span<UInt8>) {
    guard let transaction, !transaction.hasAnswerEnded else { return }
    transaction.unconsumedByteCount += bytes.count
    transaction.exchange.receivedBody(bytes)
  }

  private func endRequest() {
    if let transaction {
      transaction.hasRequestEnded = true
      if !transaction.hasAnswerEnded { transaction.exchange.receivedEnd([:]) }
    }
    writeAnswer()
    if case .some(.complete) = transaction?.answer { transaction = nil }
  }

  override func consumedBody(_ byteCount: Int, of exchange: HTTPExchange) {
    guard let transaction, exchange === transaction.exchange else { return }
    transaction.unconsumedByteCount -= byteCount
    guard !isReading, hasRoomForInput else { return }
    lastProgress = loop.now
    updateReading()
  }

  // MARK: - Answers

  override func produce() {
    writeAnswer()
    processInput()
    if isInUse { updateWatch() }
  }

  override var heldOutputByteCount: Int { content.byteCount }

  override var heldOutputMemory: Int { content.allocatedByteCount }

  override func sendHead(_ head: HTTPResponseHead, of exchange: HTTPExchange, isEnd: Bool) {
    guard let transaction, exchange === transaction.exchange, case .none = transaction.answer
    else { return }
    transaction.answer = .begun(head)
    transaction.hasAnswerEnded = isEnd
    scheduleFlush()
  }

  override func sendBody(of exchange: HTTPExchange, _ write: (inout ByteBuffer) -> Void) {
    guard let transaction, exchange === transaction.exchange, !transaction.hasAnswerEnded else {
      return
    }
    write(&content)
    scheduleFlush()
  }

  override func sendBody(of exchange: HTTPExchange, sharing content: HTTPContent) {
    guard let transaction, exchange === transaction.exchange, !transaction.hasAnswerEnded else {
      return
    }
    sharedContent = HTTPContent.Rest(content)
    scheduleFlush()
  }

  override func sendEnd(of exchange: HTTPExchange, trailers: HTTPFields) {
    guard let transaction, exchange === transaction.exchange else { return }
    transaction.hasAnswerEnded = true
    scheduleFlush()
  }

  override func breakOff(_ exchange: HTTPExchange) {
    guard let transaction, exchange === transaction.exchange else { return }
    transaction.isBrokenOff = true
    sendEnd(of: exchange, trailers: [:])
  }

  override func maySendBody(of exchange: HTTPExchange) -> Bool {
    outputByteCount < limits.outputWriterByteCountMax
  }

  // MARK: - Ending

  /// The client has gone: what it was answered still goes out, what it waits for is given up.
  ///
  /// Most who end their side have lost interest, and their calls would run for nobody. The few who only say that
  /// they will ask no more cannot be distinguished from them.
  override func clientEnded() {
    writeAnswer()
    guard sharedContent == nil else {
      // Not in the output as a whole; the connection ends with it.
      transaction?.isPersistent = false
      return scheduleFlush()
    }
    end(.peer)
  }

  override func stopped() {
    transaction = nil
    input.release()
    content.release()
    sharedContent = nil
    headStart = nil
    stopWatch()
  }

  private func note(_ rejection: HTTP1Rejection) {
    switch rejection.status {
    case 414, 431: core.observer.limitReached(.metadata, source: source)
    case 400: core.observer.protocolError(.malformedHTTP1)
    // Understood, and not served.
    default: break
    }
  }

  // MARK: - Time

  /// When the client will have been waited for long enough; nil while it waits for an answer.
  private var inputDeadline: MonotonicInstant? {
    guard isInUse else { return nil }
    if let transaction {
      guard !transaction.hasRequestEnded else { return nil }
      // While this side does not read, the client is not the one who is late.
      return (isReading ? lastProgress : loop.now).advanced(by: configuration.limits.bodyTimeout)
    }
    if parser.isInsideHead, let headStart {
      return (isReading ? headStart : loop.now).advanced(by: configuration.limits.headTimeout)
    }
    let idle = configuration.limits.idleTimeout
    let hasAsked = lastID > 0
    return lastProgress.advanced(by: hasAsked ? idle : min(idle, limits.firstFrameTimeout))
  }

  /// Sees to it that the timer fires when the client is late, or before: it is moved only when it would be too
  /// late, which most requests do not make it.
  func updateWatch() {
    guard let due = inputDeadline, watch == .none || due < watchDue else { return }
    stopWatch()
    watchDue = due
    watch = loop.schedule(at: due, target: self, token: ConnectionTimerToken.firstOfWire)
  }

  /// Copied out, so that the property is only loaded and stored, which needs no check.
  private func stopWatch() {
    var timer = watch
    stopTimer(&timer)
    watch = timer
  }

  override func versionTimerFired(_ token: UInt64) {
    watch = .none
    guard let due = inputDeadline, due <= loop.now else { return updateWatch() }
    guard transaction != nil || parser.isInsideHead else { return end(.idle) }
    core.observer.limitReached(.requestTime, source: source)
    refuse(HTTP1Rejection(408, "the request did not come in time"), .limit)
  }
}
