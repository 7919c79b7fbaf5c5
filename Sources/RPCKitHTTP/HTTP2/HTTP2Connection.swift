internal import RPCKit

/// A connection that speaks HTTP/2 (RFC 9113).
///
/// A stream is an exchange, and its number that of the exchange. libnghttp2 keeps the rules of frames, HPACK and
/// messages (`HTTP2Session`); what it leaves open is kept here: how much of everything a client may cause, when
/// windows are given back, when something takes too long, and how the connection ends.
final class HTTP2Connection: HTTPConnection, @unchecked Sendable {
  /// Nil until the first bytes come, since it is the largest part of an idle connection.
  var session: HTTP2Session?
  /// An error of the client or of ours ends the connection: what else it sends is not read.
  private(set) var isTerminated = false
  var versionTimers = HTTP2Timers()
  /// When a stream last closed, from which idle time counts.
  private(set) var lastStreamClosed: MonotonicInstant
  private var emptyFrames: TokenBucket
  private var abandoned: TokenBucket
  private var provokedResets: TokenBucket

  /// Bytes that are read before what they asked for begins: more in one turn would only let more streams be
  /// opened and reset.
  private static let turnByteCount = 16 << 10
  /// Content of an answer that waits for its window, in bytes, at which its writer waits.
  private static let waitingByteCountMax = 64 << 10
  /// How many resets a request with too many fields counts as: all its fields were decoded, and no client that
  /// means well sends more than a few.
  private static let oversizeResetCount = 8
  /// The cost of a frame that waits, in bytes.
  private static let queuedFrameByteCount = 64

  override init(
    _ transport: any Transport,
    core: ServerCore,
    resources: LoopResources,
    configuration: HTTPConfiguration
  ) {
    let limits = configuration.limits
    let now = transport.loop.now
    lastStreamClosed = now
    emptyFrames = TokenBucket(
      capacity: limits.emptyFrameCountMax,
      perSecond: limits.emptyFramesPerSecond,
      now: now
    )
    abandoned = TokenBucket(
      capacity: limits.abandonedCountMax,
      perSecond: limits.abandonedPerSecond,
      now: now
    )
    provokedResets = TokenBucket(
      capacity: limits.provokedResetCountMax,
      perSecond: limits.provokedResetsPerSecond,
      now: now
    )
    super.init(transport, core: core, resources: resources, configuration: configuration)
  }

  override func connected() { startHeadTimer() }

  // MARK: - In

  override func process(_ bytes: Span<UInt8>) {
    let session = session ?? begin()
    var offset = 0
    while offset < bytes.count, isReadable {
      let turn = bytes.extracting(offset..<min(bytes.count, offset + Self.turnByteCount))
      offset += turn.count
      session.fieldRoom = roomForRequests(
        beside: countedByteCount(.assembly) + newHeadByteCount
      )
      guard session.receive(turn, now: loop.now) else { return fail() }
      session.takeEvents { if isReadable { take($0, turn) } }
      // Also between the turns of one read, so that the resets it provokes are counted.
      produce()
      checkCounts(session.takeCounts())
    }
    if isReadable { updateTimers(session) }
  }

  private var isReadable: Bool {
    (phase == .serving || phase == .draining) && !isTerminated
  }

  private func begin() -> HTTP2Session {
    let session = HTTP2Session(
      configuration.limits,
      streamWindowByteCount: limits.streamWindowByteCount,
      now: loop.now
    )
    self.session = session
    countSession(HTTP2Session.memory)
    return session
  }

  /// The client does not speak HTTP/2, or memory is short.
  private func fail() {
    core.observer.protocolError(.malformedHTTP2)
    end(.violation)
  }

  private func refuse(_ block: HTTP2FieldBlock, status: Int) {
    let id = block.streamID
    let rejection = HTTP1Rejection(status, Self.problem(status))
    let path = String(block.path.prefix { $0 != "?" })
    let refused = HTTPRequestHead(method: block.method, path: path, version: .http2)
    let exchange = configuration.router.makeRefusal(arrival(refused, block), rejection)
    guard let exchange else {
      var head = HTTPResponseHead(status: status, contentLength: 0)
      if status == HTTPRequestHead.HTTP2Refusal.methodNotAllowed.rawValue {
        head.fields.append("allow", HTTPRequestHead.methods.joined(separator: ", "))
      }
      head.fields.appendForBrowsers()
      session?.respond(id, head, date: configuration.dates.now, isEnd: true)
      return
    }
    open(exchange)
  }

  private func arrival(_ head: HTTPRequestHead, _ block: HTTP2FieldBlock) -> HTTPArrival {
    HTTPArrival(head: head, id: block.streamID, received: block.received, connection: self)
  }

  /// Why a head is refused, for people.
  private static func problem(_ status: Int) -> String {
    switch status {
    case 405: "no resource has this method"
    case 417: "the only expectation that is known is 100-continue"
    case 431: "there are more header fields than are read"
    case 501: "the method is not known; methods are in upper case"
    default: "the path, the scheme or the authority is not one that is served"
    }
  }

  private func take(_ event: HTTP2Event, _ bytes: Span<UInt8>) {
    switch event {
    case .head(let id): receivedHead(id)
    case .content(let id, let offset, let count):
      receivedContent(id, bytes.extracting(offset..<offset + count))
    case .end(let id): receivedEnd(id)
    case .reset: receivedReset()
    case .answered(let id): answered(id)
    case .unsendable(let id): session?.reset(id, .internalError)
    case .closed(let id): closed(id)
    case .pong: warningArrived()
    }
  }

  private func receivedHead(_ id: UInt32) {
    // What was reset within the turn does not begin.
    guard let session, let block = session.stream(id)?.request else { return }
    guard !block.isUnwanted else {
      core.observer.limitReached(.assemblyBytes, source: source)
      return session.reset(id, .refusedStream)
    }
    if block.isTooLarge { countOversize(block) }
    guard !isTerminated else { return }
    // A target that found no room cannot be distinguished from none.
    guard !block.isTooLarge || !block.path.isEmpty else { return refuse(block, status: 431) }
    let head: HTTPRequestHead
    switch block.head {
    case .none: return
    case .failure(let refusal): return refuse(block, status: refusal.rawValue)
    case .success(let read): head = read
    }
    let exchange = configuration.router.makeExchange(arrival(head, block))
    if block.isTooLarge {
      open(exchange, refusing: core.refusals.tooMuchMetadata.error)
    } else {
      open(exchange)
    }
    if block.isEnd {
      if takesContent(id) { exchange.receivedEnd(HTTPFields()) }
    } else if head.fields["expect"] != nil, takesContent(id) {
      session.respondInterim(id, status: 100)
    }
  }

  private func receivedContent(_ id: UInt32, _ bytes: Span<UInt8>) {
    guard let session else { return }
    // What arrived is no longer in flight, no matter who takes it: one slow stream does not hold up the others.
    session.consumeConnection(bytes.count)
    guard let stream = session.stream(id) else { return }
    stream.lastReceived = loop.now
    if !stream.isAnswerEnded { exchanges[id]?.receivedBody(bytes) }
  }

  private func receivedEnd(_ id: UInt32) {
    guard let stream = session?.stream(id), !stream.isAnswerEnded, let exchange = exchanges[id]
    else { return }
    let trailers = stream.requestTrailers.take()
    if let trailers, trailers.isTooLarge {
      session?.reset(id, .enhanceYourCalm)
      return countOversize(trailers)
    }
    exchange.receivedEnd(trailers?.fields ?? HTTPFields())
  }

  /// Whether what comes on a stream still matters: its answer has not ended.
  private func takesContent(_ id: UInt32) -> Bool {
    session?.stream(id)?.isAnswerEnded == false
  }

  private func receivedReset() {
    guard !abandoned.take(1, at: loop.now) else { return }
    core.observer.limitReached(.http2Abandoned, source: source)
    terminate(.enhanceYourCalm)
  }

  private func closed(_ id: UInt32) {
    lastStreamClosed = loop.now
    if let exchange = exchanges[id] { close(exchange, isAbandoned: true) }
  }

  // MARK: - Too much

  private func checkCounts(_ counts: HTTP2Counts) {
    guard !isTerminated else { return }
    if let violation = counts.violation {
      core.observer.protocolError(.malformedHTTP2)
      return endSession(violation)
    }
    emptyFrames.giveBack(4 * (counts.openedCount + counts.sentContentCount))
    if counts.hasTooManyContinuations || !emptyFrames.take(counts.emptyFrameCount, at: loop.now) {
      core.observer.limitReached(.http2EmptyFrames, source: source)
      return terminate(.enhanceYourCalm)
    }
    if !provokedResets.take(counts.provokedResetCount, at: loop.now) {
      core.observer.limitReached(.http2ProvokedResets, source: source)
      terminate(.enhanceYourCalm)
    }
  }

  /// Fields are too many: a request that has them is refused alone, unless its client means no good.
  private func countOversize(_ block: HTTP2FieldBlock) {
    core.observer.limitReached(.fieldBytes, source: source)
    let cost = Self.oversizeResetCount
    guard block.isBeyondMeasure || !provokedResets.take(cost, at: loop.now) else { return }
    terminate(.enhanceYourCalm)
  }

  /// Ends the connection because of what the client does; nothing but GOAWAY is sent.
  private func terminate(_ code: HTTP2ErrorCode) {
    guard !isTerminated else { return }
    core.observer.protocolError(.floodHTTP2)
    endSession(code)
  }

  private func endSession(_ code: HTTP2ErrorCode) {
    isTerminated = true
    session?.dropAll()
    session?.terminate(code)
    scheduleFlush()
  }

  // MARK: - Out

  override func produce() {
    guard let session, phase != .flushing, phase != .lingering, phase != .closed else { return }
    repeat {
      guard session.send(into: &output, now: loop.now) else { return fail() }
      session.takeEvents { take($0, Span()) }
    } while output.byteCount < HTTP2Session.outputByteCount && session.queuedFrameCount > 0
      && phase != .closed
    guard session.isOver, phase == .serving || phase == .draining else { return }
    finish(session)
  }

  /// GOAWAY is sent, or both ends are done.
  private func finish(_ session: HTTP2Session) {
    session.dropAll()
    switch session.goAwayCode {
    case .none: end(phase == .draining ? .drained : .peer)
    case .some where isTerminated: end(.limit)
    case .some:
      core.observer.protocolError(.malformedHTTP2)
      end(.violation)
    }
  }

  override var heldOutputByteCount: Int { session?.heldByteCount ?? 0 }

  override var heldOutputMemory: Int {
    (session?.heldMemory ?? 0) + (session?.queuedFrameCount ?? 0) * Self.queuedFrameByteCount
  }

  override var heldInputByteCount: Int { session?.block?.keptByteCount ?? 0 }

  override var requestStart: MonotonicInstant? { session?.block?.received }

  override var lastActivity: MonotonicInstant { max(lastStreamClosed, lastCall) }

  override var unreadByteCount: Int {
    output.byteCount + (session?.queuedFrameCount ?? 0) * Self.queuedFrameByteCount
  }

  /// The answer is in the output.
  private func answered(_ id: UInt32) {
    if let exchange = exchanges[id] { close(exchange, isAbandoned: false) }
    guard let session, let stream = session.stream(id), !stream.isRequestEnded else { return }
    // The answer is complete without the rest of the request (RFC 9113 section 8.1).
    session.reset(id, .noError)
  }

  override func sendHead(_ head: HTTPResponseHead, of exchange: HTTPExchange, isEnd: Bool) {
    session?.respond(
      exchange.id,
      head,
      date: configuration.dates.now,
      isEnd: isEnd || exchange.head.method == "HEAD"
    )
    scheduleFlush()
  }

  override func sendBody(of exchange: HTTPExchange, _ write: (inout ByteBuffer) -> Void) {
    session?.write(exchange.id, write)
    scheduleFlush()
  }

  override func sendBody(of exchange: HTTPExchange, sharing content: HTTPContent) {
    session?.write(exchange.id, sharing: content)
    scheduleFlush()
  }

  override func sendEnd(of exchange: HTTPExchange, trailers: HTTPFields) {
    session?.finish(exchange.id, trailers: trailers)
    scheduleFlush()
  }

  override func sendEnd(of exchange: HTTPExchange, common trailers: CommonFields) {
    session?.finish(exchange.id, common: trailers)
    scheduleFlush()
  }

  override func breakOff(_ exchange: HTTPExchange) {
    session?.reset(exchange.id, .internalError)
    scheduleFlush()
  }

  override func maySendBody(of exchange: HTTPExchange) -> Bool {
    guard let stream = session?.stream(exchange.id) else { return true }
    return stream.output.byteCount < Self.waitingByteCountMax
      && unreadByteCount < limits.outputWriterByteCountMax
  }

  override func consumedBody(_ byteCount: Int, of exchange: HTTPExchange) {
    session?.consume(byteCount, exchange.id)
    scheduleFlush()
  }

  // MARK: - The end

  override func versionTimerFired(_ token: UInt64) { fired(token) }

  override func warnsOfDrain() -> Bool { warnClient() }

  override func announceDrain() { session?.refuseFurther() }

  override func stopped() {
    cancelTimers()
    session = nil
    countSession(0)
  }
}
