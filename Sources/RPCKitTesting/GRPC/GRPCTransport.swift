internal import RPCKit

/// A connection that its client reads and writes in frames, and that speaks gRPC with the server.
///
/// `@unchecked Sendable`: loop only, like every transport.
final class GRPCTransport: TranslatingTransport, TransportReceiver, @unchecked Sendable {
  private let base: any Transport
  private let authority: String
  private let session = HTTP2ClientSession(windowByteCount: 64 << 10)
  /// Bytes for the server.
  private var output = ByteBuffer()
  /// The number of streams in the server's settings; nil until they are known.
  private var announcedStreamCountMax: Int?
  /// The client's PINGs that the server has not answered.
  private var pings: [[UInt8]] = []
  private var isConnected = false

  init(over base: any Transport, authority: String, streamedRequests: Set<String>) {
    self.base = base
    self.authority = authority
    super.init(loop: base.loop, streamedRequests: streamedRequests)
  }

  // MARK: - Transport

  override var peer: Peer { base.peer }

  override func open() { base.start(self) }

  override func setReading(_ isReading: Bool) { base.setReading(isReading) }

  override var unacknowledgedByteCount: Int {
    output.byteCount + base.unacknowledgedByteCount
  }

  override func closeOutput() {
    flush()
    base.closeOutput()
  }

  override func closeConnections() -> Bool {
    session.terminate()
    flush()
    base.close()
    return true
  }

  // MARK: - From the client

  override var streamCountMax: Int? { announcedStreamCountMax }

  override var outputByteCount: Int { output.byteCount }

  override func begin(
    _ request: TranslatedRequest,
    _ id: UInt32
  ) throws(TranslatedStatus) -> TranslatedCall? {
    guard session.request(id, GRPCRequest.fields(of: request, authority: authority)) else {
      return nil
    }
    return GRPCCall(
      id: id,
      hasStreamOfResponses: request.hasStreamOfResponses(streamedRequests),
      windowByteCount: windowByteCount ?? .max
    )
  }

  override func began(_ call: TranslatedCall, _ request: TranslatedRequest) {
    if let message = request.message {
      let envelope = TranslatedRequest.envelope(message, isDeflated: request.isDeflated)
      session.write(call.id, envelope)
    }
    if request.isComplete { session.finish(call.id) }
  }

  override func write(_ message: [UInt8], isDeflated: Bool, of call: TranslatedCall) {
    let envelope = TranslatedRequest.envelope(message, isDeflated: isDeflated)
    // What a message counts against the client's window is as it is held, not as it travels.
    call.wrote(
      envelope.count,
      costing: isDeflated ? inflated(message).count : message.count
    )
    session.write(call.id, envelope)
  }

  override func finishRequest(of id: UInt32) { session.finish(id) }

  override func giveUp(_ id: UInt32) { session.reset(id, code: .cancel) }

  override func ping(_ payload: [UInt8]) {
    pings.append(payload)
    session.ping()
  }

  override func released(_ byteCount: Int, of call: TranslatedCall) {
    session.consume(byteCount, of: call.id)
  }

  // MARK: - With the server

  override func flush() {
    guard isConnected, ending == nil else { return }
    var producedByteCount: Int
    repeat {
      let before = output.byteCount
      guard session.send(into: &output) else { return fail("no more can be sent") }
      producedByteCount = output.byteCount - before
      takeEvents()
      base.write(from: &output)
    } while producedByteCount > 0 && output.isEmpty
  }

  private func takeEvents() {
    for event in session.takeEvents() {
      switch event {
      case .settings(let count):
        announcedStreamCountMax = announcedStreamCountMax ?? count
        sayHello()
      case .fields(let id, let fields):
        update(id) { ($0 as? GRPCCall)?.received(fields) }
      case .content(let id, let bytes):
        if calls[id] == nil { session.consume(bytes.count, of: id) }
        update(id) { $0.received(bytes) }
      case .ended(let id): update(id) { $0.receivedEnd() }
      case .closed(let id, let code): update(id) { $0.fail(.reset(code)) }
      case .unsent(let id):
        update(id) { $0.fail(.reset(HTTP2Code.refusedStream.rawValue)) }
      case .sent(let id, let byteCount):
        sent(byteCount, of: id)
      case .pong:
        if !pings.isEmpty { pong(pings.removeFirst()) }
      case .goAway(let last):
        goAway(lastAccepted: last)
      }
    }
  }

  func transportConnected() {
    isConnected = true
    receiver?.transportConnected()
    flush()
  }

  func transportReceived(_ bytes: Span<UInt8>) {
    guard !isClosed, ending == nil else { return }
    guard session.receive(bytes) else { return fail("the server does not speak HTTP/2") }
    takeEvents()
    flush()
    if session.isOver { transportReceivedEnd() } else { deliver() }
  }

  func transportReceivedEnd() {
    endOfServer(TransportError(.connectionLost, "the server closed the connection"))
    base.close()
    deliver()
  }

  func transportBecameWritable() {
    flush()
    deliver()
  }

  func transportClosed(_ error: TransportError?) {
    endOfServer(error)
    deliver()
  }

  private func fail(_ problem: String) {
    endOfServer(TransportError(.connectionLost, problem))
    base.close()
    deliverLater()
  }
}
