internal import RPCKit

/// A connection that its client reads and writes in frames, and that speaks gRPC with the server.
///
/// `@unchecked Sendable`: loop only, like every transport.
final class GRPCTransport: Transport, TransportReceiver, @unchecked Sendable {
  let loop: any EventLoop
  private let base: any Transport
  private let authority: String
  private let streamedRequests: Set<String>
  private var receiver: (any TransportReceiver)?

  private let session = HTTP2ClientSession(windowByteCount: 64 << 10)
  private var inflater = Inflater()
  private var calls: [UInt32: GRPCCall] = [:]
  private let splitter = FrameSplitter()
  /// Bytes for the server.
  private var output = ByteBuffer()
  /// Bytes for the client.
  private var input: [UInt8] = []
  private var isDeliveryScheduled = false
  private var isWriterWaiting = false

  /// What the client lets a stream send before it gives credit; nil until it has said hello.
  private var windowByteCount: Int?
  private var streamCountMax: Int?
  private var hasSaidHello = false
  /// The client's PINGs that the server has not answered.
  private var pings: [[UInt8]] = []
  private var lastCall: UInt32 = 0

  private var isConnected = false
  /// Why nothing more comes from the server.
  private struct Ending {
    var error: TransportError?
  }
  private var ending: Ending?
  /// The client has closed the connection.
  private var isClosed = false

  /// Bytes for the server at which the client is asked to wait.
  private static let outputByteCountMax = 256 << 10

  init(over base: any Transport, authority: String, streamedRequests: Set<String>) {
    loop = base.loop
    self.base = base
    self.authority = authority
    self.streamedRequests = streamedRequests
  }

  // MARK: - Transport

  var peer: Peer { base.peer }

  func start(_ receiver: any TransportReceiver) {
    self.receiver = receiver
    base.start(self)
  }

  func handOver(to receiver: any TransportReceiver) { self.receiver = receiver }

  func write(from output: inout ByteBuffer) {
    guard !isClosed, !output.isEmpty else { return }
    guard self.output.byteCount < Self.outputByteCountMax else {
      isWriterWaiting = true
      return
    }
    let bytes = output.withBytes { [UInt8](copying: $0) }
    output.consume(bytes.count)
    for frame in splitter.take(bytes) { take(frame) }
    flush()
    // Not from inside this call: the client is in the middle of its own turn.
    deliverLater()
  }

  func setReading(_ isReading: Bool) { base.setReading(isReading) }

  var unacknowledgedByteCount: Int { output.byteCount + base.unacknowledgedByteCount }

  func closeOutput() {
    flush()
    base.closeOutput()
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    calls = [:]
    session.terminate()
    flush()
    base.close()
    // If the other end was there first, what is underneath has said so already.
    if ending != nil { loop.execute { [self] in finishIfEnded() } }
  }

  // MARK: - From the client

  private func take(_ frame: WireFrame) {
    switch frame.type {
    case WireFrame.hello:
      let fields = WireMessage.fields(frame.payload) ?? []
      windowByteCount = fields.reduce(64 << 10) { window, field in
        if case (5, .number(let number)) = field { Int(number) } else { window }
      }
      sayHello()
    case WireFrame.request:
      begin(frame)
    case WireFrame.data:
      guard calls[frame.stream] != nil else { return }
      if frame.flags & GRPCRequest.Flags.noData == 0 { write(frame.payload, frame) }
      if frame.flags & GRPCRequest.Flags.remoteClosed != 0 { session.finish(frame.stream) }
    case WireFrame.cancel:
      calls[frame.stream] = nil
      session.reset(frame.stream, code: .cancel)
    case WireFrame.credit:
      guard case .number(let count)? = WireMessage.fields(frame.payload)?.first?.value else {
        return
      }
      guard let call = calls[frame.stream] else { return }
      call.credited(Int(truncatingIfNeeded: count))
      advance(call)
    case WireFrame.ping where frame.flags == 0:
      pings.append(frame.payload)
      session.ping()
    default:
      break
    }
  }

  private func begin(_ frame: WireFrame) {
    guard let request = GRPCRequest(frame, authority: authority) else { return }
    lastCall = frame.stream
    let call = GRPCCall(
      id: frame.stream,
      hasStreamOfResponses: request.hasStreamOfResponses
        && !(streamedRequests.contains(request.path) && !request.isComplete),
      windowByteCount: windowByteCount ?? .max
    )
    calls[call.id] = call
    guard ending == nil, session.request(call.id, request.fields) else {
      call.fail(GRPCStatus(.unavailable, "the connection is over", isNotProcessed: true))
      return advance(call)
    }
    if let message = request.message { write(message, frame) }
    if request.isComplete { session.finish(call.id) }
  }

  private func write(_ message: [UInt8], _ frame: WireFrame) {
    let isDeflated = frame.flags & GRPCRequest.Flags.deflated != 0
    if frame.type == WireFrame.data {
      let byteCount = isDeflated ? inflatedByteCount(message) : message.count
      calls[frame.stream]?.wrote(message.count, costing: byteCount)
    }
    session.write(frame.stream, GRPCRequest.envelope(message, isDeflated: isDeflated))
  }

  /// What a message counts against the client's window: as it is held, not as it travels.
  private func inflatedByteCount(_ message: [UInt8]) -> Int {
    var plain = ByteBuffer()
    // One that cannot be inflated is the server's to refuse.
    try? inflater.inflate(message.span, into: &plain, byteCountMax: 4 << 20)
    return plain.byteCount
  }

  // MARK: - To the client

  /// Tells the client what it expects of a server with our extensions, once both sides are known.
  private func sayHello() {
    guard !hasSaidHello, let streamCountMax, windowByteCount != nil else { return }
    hasSaidHello = true
    let settings = WireMessage().varint(1, 1).varint(2, 1).varint(3, 4 << 20)
      .varint(4, UInt64(max(1, streamCountMax))).varint(5, 64 << 10)
    tell(
      WireFrame(stream: WireFrame.connectionStream, type: WireFrame.hello, payload: settings.bytes)
    )
    for id in calls.keys.sorted() { giveCredit(id) }
  }

  /// Lets the client send more on a stream, once it knows that it needs to be let.
  private func giveCredit(_ id: UInt32) {
    guard hasSaidHello, let credit = calls[id]?.takeCredit() else { return }
    tell(WireFrame.credit, number: UInt64(credit), of: id)
  }

  private func tell(_ frame: WireFrame) { input += frame.bytes }

  /// A frame whose message is one number.
  private func tell(_ type: UInt8, number: UInt64, of stream: UInt32) {
    tell(WireFrame(stream: stream, type: type, payload: WireMessage().varint(1, number).bytes))
  }

  /// Tells the client what is new of a call.
  private func advance(_ call: GRPCCall) {
    let (frames, released) = call.takeFrames(&inflater)
    for frame in frames { tell(frame) }
    session.consume(released, of: call.id)
    guard call.isOver else { return }
    calls[call.id] = nil
    // The server may go on; the client has its answer.
    session.reset(call.id, code: .cancel)
  }

  private func deliverLater() {
    guard !isDeliveryScheduled, !input.isEmpty || ending != nil else { return }
    isDeliveryScheduled = true
    loop.execute { [self] in
      isDeliveryScheduled = false
      deliver()
    }
  }

  private func deliver() {
    while !input.isEmpty, !isClosed {
      var bytes: [UInt8] = []
      swap(&bytes, &input)
      receiver?.transportReceived(bytes.span)
    }
    if isWriterWaiting, output.byteCount < Self.outputByteCountMax {
      isWriterWaiting = false
      receiver?.transportBecameWritable()
    }
    finishIfEnded()
  }

  // MARK: - With the server

  private func flush() {
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
        streamCountMax = streamCountMax ?? count
        sayHello()
      case .fields(let id, let fields): update(id) { $0.received(fields) }
      case .content(let id, let bytes):
        if calls[id] == nil { session.consume(bytes.count, of: id) }
        update(id) { $0.received(bytes) }
      case .ended(let id): update(id) { $0.receivedEnd() }
      case .closed(let id, let code): update(id) { $0.fail(.reset(code)) }
      case .unsent(let id):
        update(id) { $0.fail(.reset(HTTP2Code.refusedStream.rawValue)) }
      case .sent(let id, let byteCount):
        calls[id]?.sent(byteCount: byteCount)
        giveCredit(id)
      case .pong:
        guard !pings.isEmpty else { break }
        let payload = pings.removeFirst()
        let stream = WireFrame.connectionStream
        tell(WireFrame(stream: stream, type: WireFrame.ping, flags: 1, payload: payload))
      case .goAway(let last):
        tell(WireFrame.goAway, number: UInt64(last), of: WireFrame.connectionStream)
      }
    }
  }

  private func update(_ id: UInt32, _ body: (GRPCCall) -> Void) {
    guard let call = calls[id] else { return }
    body(call)
    advance(call)
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

  // MARK: - The end

  private func fail(_ problem: String) {
    endOfServer(TransportError(.connectionLost, problem))
    base.close()
    deliverLater()
  }

  /// Nothing more comes: what is not complete never will be, but what waits for credit is still delivered.
  private func endOfServer(_ error: TransportError?) {
    guard ending == nil else { return }
    ending = Ending(error: error)
    let incomplete = calls.values.filter { !$0.isComplete }.map(\.id)
    for id in incomplete { calls[id] = nil }
    // With none of them the client learns all from the end of the connection.
    guard !calls.isEmpty else { return }
    tell(WireFrame.goAway, number: UInt64(lastCall), of: WireFrame.connectionStream)
    for id in incomplete.sorted() {
      let call = GRPCCall(id: id, hasStreamOfResponses: false, windowByteCount: .max)
      call.fail(GRPCStatus(.unavailable, "the connection to the server was lost"))
      advance(call)
    }
  }

  private func finishIfEnded() {
    guard let ending, isClosed || calls.isEmpty else { return }
    isClosed = true
    let receiver = receiver.take()
    receiver?.transportClosed(ending.error)
  }
}
