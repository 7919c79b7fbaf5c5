package import RPCKit

/// A connection that speaks HTTP: exchanges in a table, output that waits for the transport, an orderly end.
///
/// What the versions of the protocol share. `HTTP1Connection` and `HTTP2Connection` say how bytes become exchanges
/// and answers become bytes, by overriding what is under "What a version provides". Confined to its loop.
/// `@unchecked Sendable`: handlers hold a reference through their `CallContext`, and every entry that they can
/// reach from elsewhere goes through the loop first.
package class HTTPConnection: CallHost, TurnEndTarget, @unchecked Sendable {
  let configuration: HTTPConfiguration
  /// Bytes for the client that the transport has not taken.
  final var output: ByteBuffer {
    @inline(__always) _read { yield confinedOutput.value }
    @inline(__always) _modify { yield &confinedOutput.value }
  }
  /// Requests whose answers have not gone out, by their numbers.
  final var exchanges: NumberTable<HTTPExchange> {
    @inline(__always) _read { yield confinedExchanges.value }
    @inline(__always) _modify { yield &confinedExchanges.value }
  }
  /// Those of them whose calls are not over.
  final var calls: NumberTable<HTTPExchange> {
    @inline(__always) _read { yield confinedCalls.value }
    @inline(__always) _modify { yield &confinedCalls.value }
  }
  /// The call of the last request that was one, for others with the same head.
  final private(set) var recentReading: CallReading?
  /// Exchanges of requests with the head of `recentReading` whose answers are out, for others.
  private var spareExchanges: [HTTPExchange] {
    @inline(__always) _read { yield confinedSpareExchanges.value }
    @inline(__always) _modify { yield &confinedSpareExchanges.value }
  }
  private let confinedOutput = Confined(ByteBuffer())
  private let confinedExchanges = Confined(NumberTable<HTTPExchange>())
  private let confinedCalls = Confined(NumberTable<HTTPExchange>())
  private let confinedSpareExchanges = Confined([HTTPExchange]())
  final var phase = Phase.serving
  final var isFlushScheduled = false
  /// Whether a handler may be waiting for room: most connections never have one that does.
  final var hasWaitingWriters = false
  /// Whether the transport delivers what comes.
  final var isReading = true
  /// Whether the client has sent its end of stream.
  final var hasClientEnded = false
  /// Bytes of heads that were read since `countInput`.
  final var newHeadByteCount = 0
  /// Bytes that were thrown away since the connection began to end.
  final var discardedByteCount = 0
  /// Whether the peer is a proxy that is believed about its clients.
  final var isTrustedProxy = false

  /// Life of the connection.
  enum Phase: Hashable {
    /// Exchanges begin and end. Next: `draining`, `flushing`, `closed`.
    case serving
    /// No exchange begins; the open ones finish. Next: `flushing`, `closed`.
    case draining
    /// Nothing is read; what was written goes out. Next: `lingering`, `closed`.
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
    self.configuration = configuration
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

  /// Memory of answers outside of `output`: more than the bytes, as buffers grow ahead, or fewer where answers share
  /// their content.
  var heldOutputMemory: Int { heldOutputByteCount }

  /// Bytes of requests that wait for the rest of what they belong to, but for those that exchanges hold.
  var heldInputByteCount: Int { 0 }

  /// Whether there is room for what is read next.
  var hasRoomForInput: Bool { true }

  /// Whether a request has begun to arrive that is not in the table yet: a drain waits for it.
  var hasBegunRequest: Bool { false }

  /// When that request began; nil for none.
  var requestStart: MonotonicInstant? { nil }

  /// When something last happened that was not the client's sending alone.
  var lastActivity: MonotonicInstant { lastCall }

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

  /// A timer of the version's own fired, whose token is `ConnectionTimerToken.firstOfWire` or above.
  func versionTimerFired(_ token: UInt64) {}

  /// Sends the head of an answer; with `isEnd` it is all of it.
  func sendHead(_ head: HTTPResponseHead, of exchange: HTTPExchange, isEnd: Bool) {}

  /// Sends content that `write` appends.
  func sendBody(of exchange: HTTPExchange, _ write: (inout ByteBuffer) -> Void) {}

  /// Sends all the content of an answer, which shares it with others.
  func sendBody(of exchange: HTTPExchange, sharing content: HTTPContent) {
    let bytes = content.bytes
    sendBody(of: exchange) { $0.append(bytes.span) }
  }

  /// Ends an answer; `trailers` are left out where the version cannot send them.
  func sendEnd(of exchange: HTTPExchange, trailers: HTTPFields) {}

  /// Ends an answer with trailers that others have too.
  func sendEnd(of exchange: HTTPExchange, common trailers: CommonFields) {
    sendEnd(of: exchange, trailers: trailers.fields)
  }

  /// Breaks an answer off whose head was sent, so that the client does not take what it has for all of it; a client of
  /// HTTP/1.0 cannot tell.
  func breakOff(_ exchange: HTTPExchange) {}

  /// Whether content may be added to an answer now: the client has room for it, and so has the output.
  func maySendBody(of exchange: HTTPExchange) -> Bool { true }

  /// Gives the client room to send as many bytes of content again.
  func consumedBody(_ byteCount: Int, of exchange: HTTPExchange) {}

  // MARK: - Exchanges

  /// Takes an exchange in and tells it to begin.
  final func open(_ exchange: HTTPExchange) {
    exchanges.set(exchange.id, exchange)
    newHeadByteCount += exchange.headByteCount
    exchange.begin()
  }

  /// Takes an exchange in that is refused whatever it is.
  final func open(_ exchange: HTTPExchange, refusing error: RPCError) {
    exchanges.set(exchange.id, exchange)
    newHeadByteCount += exchange.headByteCount
    exchange.refuse(atHead: error)
  }

  /// Keeps the call of a request for others with the same head, if there is room.
  final func keep(_ reading: CallReading) {
    recentReading = reading.mayBeKept ? reading : nil
    if !spareExchanges.isEmpty { spareExchanges = [] }
  }

  /// The exchange of a request with the head of `recentReading`, made of one that nobody has.
  final func spareExchange(for arrival: HTTPArrival) -> HTTPExchange? {
    guard var exchange = spareExchanges.popLast(), isKnownUniquelyReferenced(&exchange) else {
      return nil
    }
    exchange.restart(arrival)
    return exchange
  }

  /// Keeps an exchange whose answer is out for the next request with its head.
  private final func keep(_ exchange: HTTPExchange) {
    guard let reading = exchange.reusableReading, reading === recentReading,
      spareExchanges.count < Self.spareExchangeCountMax
    else { return }
    // It holds the connection.
    exchange.call = nil
    spareExchanges.append(exchange)
  }

  /// Exchanges that are kept for the next requests: as many as most clients have open.
  private static let spareExchangeCountMax = 16

  /// Gives memory back that requests have needed, and what was kept of the last one.
  final func rest() {
    (recentReading, spareExchanges) = (nil, [])
    dropSpareCall()
    if exchanges.isEmpty { exchanges = NumberTable() }
    if calls.isEmpty { calls = NumberTable() }
  }

  /// Forgets an exchange whose answer has gone out, or which nobody can answer.
  final func close(_ exchange: HTTPExchange, isAbandoned: Bool) {
    guard exchanges.remove(exchange.id) != nil else { return }
    calls.remove(exchange.id)
    if isAbandoned { exchange.abandoned() } else { keep(exchange) }
    if phase == .draining, exchanges.isEmpty { scheduleFlush() }
  }

  /// Gives up what is open, in the order in which it came.
  final func giveUpExchanges() {
    let open = exchanges.values.sorted { $0.id < $1.id }
    exchanges = NumberTable()
    calls = NumberTable()
    for exchange in open { exchange.abandoned() }
  }

  /// Notes what is held of requests that wait for the client.
  final func countInput() {
    newHeadByteCount = 0
    count(.assembly, heldRequestByteCount)
  }

  /// The bytes of requests that wait for the client: for the rest of them, or to take their answers.
  final var heldRequestByteCount: Int {
    exchanges.values.reduce(heldInputByteCount) { $0 + $1.waitingByteCount }
  }
}
