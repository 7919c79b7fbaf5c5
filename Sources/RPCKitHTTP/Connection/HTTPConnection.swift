package import RPCKit

/// A connection that speaks HTTP: exchanges in a table, output that waits for the transport, an orderly end.
///
/// What the versions of the protocol share. `HTTP1Connection` and `HTTP2Connection` say how bytes become exchanges
/// and answers become bytes, by overriding what is under "What a version provides". Confined to its loop.
/// `@unchecked Sendable`: handlers hold a reference through their `CallContext`, and every entry that they can
/// reach from elsewhere goes through the loop first.
package class HTTPConnection: CallHost, TurnEndTarget, @unchecked Sendable {
  /// Whom the connection counts for, as long as it is open.
  package let source: String
  /// When the last call began.
  package internal(set) final var lastCall: MonotonicInstant
  let configuration: HTTPConfiguration
  private(set) final var transport: (any Transport)?
  /// Bytes for the client that the transport has not taken.
  final var output = ByteBuffer()
  /// Requests whose answers have not gone out, by their numbers.
  final var exchanges: [UInt32: HTTPExchange] = [:]
  /// Those of them whose calls are not over.
  final var calls: [UInt32: HTTPExchange] = [:]
  private(set) final var phase = Phase.serving
  final var timers = HTTPTimers()
  private final var closeReason = ConnectionCloseReason.peer
  private final var isFlushScheduled = false
  /// Whether the transport delivers what comes.
  private(set) final var isReading = true
  /// When bytes last arrived.
  private(set) final var lastRead: MonotonicInstant
  private final var hasClientEnded = false
  /// Bytes that were thrown away since the connection began to end.
  private final var discardedByteCount = 0
  private final var counted = HeldByteCounts()

  /// Life of the connection.
  enum Phase: Hashable {
    /// Exchanges begin and end. Next: `draining`, `flushing`, `closed`.
    case serving
    /// No exchange begins; the open ones finish. Next: `flushing`, `closed`.
    case draining
    /// Nothing is read any more; what was written goes out. Next: `lingering`, `closed`.
    case flushing
    /// Everything is out, the end of stream too; the client may still read. Next: `closed`.
    case lingering
    /// Terminal.
    case closed
  }

  /// Makes a connection over a stream that delivers elsewhere until now.
  init(
    _ transport: any Transport,
    core: ServerCore,
    resources: LoopResources,
    configuration: HTTPConfiguration
  ) {
    self.transport = transport
    self.configuration = configuration
    source = transport.peer.source
    lastCall = transport.loop.now
    lastRead = transport.loop.now
    super.init(transport, core: core, resources: resources)
  }

  @available(*, unavailable)
  package override init(_ transport: any Transport, core: ServerCore, resources: LoopResources) {
    preconditionFailure("an HTTP connection needs its configuration")
  }

  // MARK: - What a version provides

  /// The stream is usable, and nothing was read from it yet.
  func connected() {}

  /// Reads bytes of the client, all of them; called in the phases `serving` and `draining` only.
  func process(_ bytes: Span<UInt8>) {}

  /// Appends what waits to be sent to `output`, as far as `output` has room for it.
  func produce() {}

  /// Bytes of answers that wait outside of `output`.
  var heldOutputByteCount: Int { 0 }

  /// Bytes of requests that wait for the rest of what they belong to, but for those that exchanges hold.
  var heldInputByteCount: Int { 0 }

  /// Whether there is room for what is read next.
  var hasRoomForInput: Bool { true }

  /// Whether a request has begun to arrive that is not in the table yet: a drain waits for it.
  var hasBegunRequest: Bool { false }

  /// Bytes that wait for nothing but that the client reads: they bound what else is read of it.
  ///
  /// Fewer than `outputByteCount` where an answer can wait for something else, as for a window of HTTP/2,
  /// which only reading on can open.
  var unreadByteCount: Int { outputByteCount }

  /// Whether the version warns the client before it drains, and calls `beginDraining` itself when the warning
  /// has arrived.
  func warnsOfDrain() -> Bool { false }

  /// Says that no further exchange is taken, and what the last one was, if the version can say so.
  func announceDrain() {}

  /// The client sent its end of stream while requests were read; without an override the connection is lost.
  func clientEnded() { close(.peer) }

  /// No further request is read: what is kept for that can go, timers of the version's own must.
  ///
  /// Called when the connection begins to end and once more when it is lost.
  func stopped() {}

  /// A timer of the version's own fired; see `HTTPTimers`.
  func versionTimerFired(_ token: UInt64) {}

  /// Sends the head of an answer; with `isEnd` it is all of it.
  func sendHead(_ head: HTTPResponseHead, of exchange: HTTPExchange, isEnd: Bool) {}

  /// Sends content that `write` appends.
  func sendBody(of exchange: HTTPExchange, _ write: (inout ByteBuffer) -> Void) {}

  /// Ends an answer; `trailers` are left out where the version cannot send them.
  func sendEnd(of exchange: HTTPExchange, trailers: HTTPFields) {}

  /// Breaks an answer off in a way that the client cannot mistake for its end.
  func abort(_ exchange: HTTPExchange, _ reason: HTTPAbortReason) {}

  /// Whether content may be added to an answer now: the client has room for it, and so has the output.
  func maySendBody(of exchange: HTTPExchange) -> Bool { true }

  /// Gives the client room to send as many bytes of content again.
  func consumedBody(_ byteCount: Int, of exchange: HTTPExchange) {}

  // MARK: - Output

  /// Writes at the end of the turn, together with everything else the turn produces.
  final func scheduleFlush() {
    guard !isFlushScheduled, phase != .closed else { return }
    isFlushScheduled = true
    loop.atEndOfTurn(self)
  }

  package func turnEnded() {
    isFlushScheduled = false
    flush()
  }

  /// Writes what the transport takes, and goes on with whatever waited for that.
  private final func flush() {
    guard let transport else { return }
    var written = 0
    while true {
      produce()
      let waiting = output.byteCount
      guard waiting > 0 else { break }
      transport.write(from: &output)
      written += waiting - output.byteCount
      guard output.isEmpty else { break }
    }
    guard phase != .closed else { return }
    core.observer.sent(byteCount: written)
    noteOutput(hasProgress: written > 0)
    guard phase != .closed else { return }
    if unreadByteCount < limits.outputWriterByteCountMax { wakeWriters() }
    if phase == .draining, exchanges.isEmpty, !hasBegunRequest { beginToEnd(.drained) }
    updateReading()
    if phase == .flushing, output.isEmpty, heldOutputByteCount == 0 { linger() }
  }

  private final func noteOutput(hasProgress: Bool) {
    let byteCount = outputByteCount
    guard byteCount <= limits.outputByteCountMax else {
      core.observer.limitReached(.outputBytes)
      return close(.limit)
    }
    if output.isEmpty { output.release() }
    if hasProgress || unreadByteCount == 0 { stopTimer(&timers.stall) }
    if unreadByteCount > 0 { startTimer(&timers.stall, .stall, limits.outputStallTimeout) }
    count(.output, byteCount)
  }

  /// Bytes of answers that the client has not taken.
  final var outputByteCount: Int { output.byteCount + heldOutputByteCount }

  private final func wakeWriters() {
    // The exchanges of calls only, and copied: what is woken may end its call.
    for exchange in Array(calls.values) where maySendBody(of: exchange) {
      exchange.becameWritable()
    }
  }

  /// Whether so little output waits that another call may add to it.
  ///
  /// A connection may hold half of what the others leave, so one alone gets far and many share.
  final var hasRoomForAnswers: Bool {
    let waiting = outputByteCount
    guard waiting > 64 << 10 else { return true }
    return waiting <= (limits.outputTotalByteCountMax - core.held.byteCount(.output)) / 2
  }

  /// Reads while there is room and the output is small: a client that sends and never reads is pushed back.
  final func updateReading() {
    let wanted: Bool
    switch phase {
    case .serving, .draining:
      wanted = hasRoomForInput && unreadByteCount <= limits.outputPauseByteCount
    case .flushing, .lingering: wanted = discardedByteCount <= limits.discardedByteCountMax
    case .closed: wanted = false
    }
    guard wanted != isReading else { return }
    isReading = wanted
    transport?.setReading(wanted)
  }

  /// Notes how much this connection holds of something that is bounded over all of them.
  final func count(_ sort: HeldSort, _ byteCount: Int) {
    let change = byteCount - counted[sort]
    guard change != 0 else { return }
    counted[sort] = byteCount
    resources.held[sort] += change
    core.heldChanged(sort, by: change, on: loop)
  }

  /// Notes what is held of requests that are not whole.
  private final func countInput() {
    count(.assembly, exchanges.values.reduce(heldInputByteCount) { $0 + $1.heldByteCount })
  }

  // MARK: - Exchanges

  /// Takes an exchange in and tells it to begin.
  final func open(_ exchange: HTTPExchange) {
    exchanges[exchange.id] = exchange
    exchange.begin()
  }

  /// Forgets an exchange whose answer has gone out, or which nobody can answer any more.
  final func close(_ exchange: HTTPExchange, isAbandoned: Bool) {
    guard exchanges.removeValue(forKey: exchange.id) != nil else { return }
    calls[exchange.id] = nil
    if isAbandoned { exchange.abandoned() }
    if counted[.assembly] > 0 { countInput() }
    if phase == .draining, exchanges.isEmpty { scheduleFlush() }
  }

  // MARK: - Ending

  /// Ends the connection from this side: what is open is given up, what was answered before still goes out.
  final func end(_ reason: ConnectionCloseReason) {
    guard phase == .serving || phase == .draining else { return }
    giveUpExchanges()
    beginToEnd(reason)
    scheduleFlush()
  }

  private final func beginToEnd(_ reason: ConnectionCloseReason) {
    if closeReason == .peer { closeReason = reason }
    phase = .flushing
    timers.cancelUse(loop)
    stopped()
    count(.assembly, 0)
    startTimer(&timers.close, .close, limits.closeTimeout)
  }

  private final func giveUpExchanges() {
    let open = exchanges.values.sorted { $0.id < $1.id }
    exchanges = [:]
    calls = [:]
    for exchange in open { exchange.abandoned() }
  }

  /// Sends the end of stream and waits for the client's.
  ///
  /// Closing while the client still sends would make the kernel drop what the client has not read (RFC 9112
  /// section 9.6), so what comes is read and thrown away.
  private final func linger() {
    phase = .lingering
    transport?.closeOutput()
    guard !hasClientEnded else { return close(closeReason) }
    startTimer(&timers.linger, .linger, limits.lingerTimeout)
  }

  /// The transport is gone, or told to go: everything is over.
  private final func lose() {
    transport = nil
    guard phase != .closed else { return }
    phase = .closed
    timers.cancelAll(loop)
    giveUpExchanges()
    stopped()
    output.release()
    for sort in HeldSort.allCases { count(sort, 0) }
    core.connectionClosed(self, closeReason)
  }

  // MARK: - Timers

  package func timerFired(_ token: UInt64) {
    guard let kind = HTTPTimers.Token(rawValue: token) else {
      guard token <= UInt64(UInt32.max) else { return versionTimerFired(token) }
      // The call may have ended in the turn in which its timer was due.
      calls[UInt32(token)]?.call?.deadlinePassed()
      return
    }
    switch kind {
    case .stall:
      timers.stall = .none
      core.observer.limitReached(.outputStallTime, source: source)
      close(.limit)
    case .age:
      timers.age = .none
      drain()
    case .linger:
      timers.linger = .none
      lingerTimePassed()
    case .close:
      timers.close = .none
      core.observer.limitReached(.closeTime, source: source)
      close(.limit)
    }
  }

  /// A slow reader still reads, and one that still sends has not seen the end: what it sent to a closed
  /// connection would make its writes fail, and many a client gives up then without reading on.
  private final func lingerTimePassed() {
    let isQuiet = lastRead.duration(to: loop.now) >= limits.lingerTimeout
    guard isQuiet, transport?.unacknowledgedByteCount == 0 else {
      return startTimer(&timers.linger, .linger, limits.lingerTimeout)
    }
    close(closeReason)
  }

  final func startTimer(_ timer: inout TimerID, _ token: HTTPTimers.Token, _ span: Duration) {
    guard timer == .none else { return }
    timer = loop.schedule(at: loop.now.advanced(by: span), target: self, token: token.rawValue)
  }

  final func stopTimer(_ timer: inout TimerID) {
    guard timer != .none else { return }
    loop.cancel(timer)
    timer = .none
  }
}

// MARK: - The server's side of it

extension HTTPConnection: ServedConnection {
  package final func start() {
    preconditionFailure(
      "an HTTP connection takes over a stream that was started to find out what it speaks"
    )
  }

  package final func drain() {
    guard phase == .serving, !warnsOfDrain() else { return }
    beginDraining()
  }

  /// Takes no further exchange from now on.
  final func beginDraining() {
    guard phase == .serving else { return }
    phase = .draining
    announceDrain()
    scheduleFlush()
  }

  package final func endResponseStreams() {
    for exchange in Array(calls.values) {
      guard let call = exchange.call,
        call.method.kind == .serverStreaming || call.method.kind == .bidirectional
      else { continue }
      call.fail(
        RPCError(.unavailable, .serverDraining, "the server is shutting down", retryAfter: .zero)
      )
    }
  }

  package final func close(_ reason: ConnectionCloseReason) {
    if closeReason == .peer { closeReason = reason }
    transport?.close()
    lose()
  }

  package final var isIdle: Bool {
    phase == .serving && exchanges.isEmpty && !hasBegunRequest && outputByteCount == 0
  }

  package final var census: ConnectionCensus {
    var census = ConnectionCensus()
    census.openCallCount = calls.count
    census.queuedByteCount = outputByteCount
    return census
  }

  package final func evict() {
    core.observer.limitReached(.idleTime, source: source)
    closeReason = .idle
    drain()
  }

  package final func shed(_ sort: HeldSort) {
    core.observer.limitReached(sort.limitName, source: source)
    close(.limit)
  }

  package final func burden(_ sort: HeldSort) -> Double { Double(counted[sort]) }

  // MARK: - Transport

  package final func transportConnected() {
    guard let transport else { return }
    peer = transport.peer
    if transport is TLSTransport { core.observer.handshakeEnded(succeeded: true) }
    connected()
    guard let age = core.configuration.connectionAgeMax else { return }
    let spread = Double(loop.randomNumber() % 2001) / 10_000 - 0.1
    startTimer(&timers.age, .age, age * (1 + spread))
  }

  package final func transportReceived(_ bytes: Span<UInt8>) {
    core.observer.received(byteCount: bytes.count)
    lastRead = loop.now
    guard phase == .serving || phase == .draining else {
      discardedByteCount += bytes.count
      return updateReading()
    }
    process(bytes)
    if phase == .serving || phase == .draining { countInput() }
    scheduleFlush()
  }

  package final func transportReceivedEnd() {
    hasClientEnded = true
    switch phase {
    case .serving, .draining: clientEnded()
    // It may still read.
    case .flushing: break
    case .lingering, .closed: close(closeReason)
    }
  }

  package final func transportBecameWritable() {
    flush()
  }

  package final func transportClosed(_ error: TransportError?) {
    lose()
  }
}
