internal import RPCKit

/// A connection that its client reads and writes in frames, and that speaks something else with the server.
///
/// `@unchecked Sendable`: loop only, like every transport.
class TranslatingTransport: Transport, @unchecked Sendable {
  final let loop: any EventLoop
  /// Of methods whose client alone streams.
  final let streamedRequests: Set<String>
  private(set) final var receiver: (any TransportReceiver)?
  /// Calls that are not over, by their numbers.
  private(set) final var calls: [UInt32: TranslatedCall] = [:]
  private var inflater = Inflater()
  private let splitter = FrameSplitter()
  /// Bytes for the client.
  private var input: [UInt8] = []
  private var isDeliveryScheduled = false
  private var isWriterWaiting = false

  /// The bytes that the client lets a stream send before it gives credit; nil until it has said hello.
  private(set) final var windowByteCount: Int?
  private var hasSaidHello = false
  private var lastCall: UInt32 = 0

  /// Why nothing more comes from the server.
  struct Ending {
    var error: TransportError?
  }
  private(set) final var ending: Ending?
  /// The client has closed the connection.
  private(set) final var isClosed = false

  /// Bytes for the server at which the client is asked to wait.
  private static let outputByteCountMax = 256 << 10

  init(loop: any EventLoop, streamedRequests: Set<String>) {
    self.loop = loop
    self.streamedRequests = streamedRequests
  }

  // MARK: - What a protocol provides

  var peer: Peer { Peer(address: "?") }

  /// Connects.
  func open() {}

  /// Bytes for the server that wait.
  var outputByteCount: Int { 0 }

  /// Sends what waits.
  func flush() {}

  /// Makes a call; throws when it cannot be made.
  func begin(
    _ request: TranslatedRequest,
    _ id: UInt32
  ) throws(TranslatedStatus) -> TranslatedCall? { nil }

  /// Sends what the request had to say of `call`, which is known now.
  func began(_ call: TranslatedCall, _ request: TranslatedRequest) {}

  /// Sends a message of a call.
  func write(_ message: [UInt8], isDeflated: Bool, of call: TranslatedCall) {}

  /// Ends the messages of a call.
  func finishRequest(of id: UInt32) {}

  /// Gives a call up that is no longer in the table.
  func giveUp(_ id: UInt32) {}

  /// Asks the server for a sign of life, or knows already.
  func ping(_ payload: [UInt8]) {}

  /// How many calls the server takes at a time; nil until that is known.
  var streamCountMax: Int? { nil }

  /// The client has taken so much of what arrived of a call.
  func released(_ byteCount: Int, of call: TranslatedCall) {}

  /// Closes what is underneath, which says so later if it must be waited for: true then.
  func closeConnections() -> Bool { false }

  // MARK: - Transport

  final func start(_ receiver: any TransportReceiver) {
    self.receiver = receiver
    open()
  }

  final func handOver(to receiver: any TransportReceiver) { self.receiver = receiver }

  final func write(from output: inout ByteBuffer) {
    guard !isClosed, !output.isEmpty else { return }
    guard outputByteCount < Self.outputByteCountMax else {
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

  func setReading(_ isReading: Bool) {}

  var unacknowledgedByteCount: Int { outputByteCount }

  func closeOutput() { flush() }

  final func close() {
    guard !isClosed else { return }
    isClosed = true
    calls = [:]
    let isWaiting = closeConnections()
    // If the other end was there first, what is underneath has said so already.
    guard ending != nil || !isWaiting else { return }
    ending = ending ?? Ending(error: nil)
    loop.execute { [self] in finishIfEnded() }
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
      guard let call = calls[frame.stream] else { return }
      if frame.flags & TranslatedRequest.Flags.noData == 0 {
        let isDeflated = frame.flags & TranslatedRequest.Flags.deflated != 0
        write(frame.payload, isDeflated: isDeflated, of: call)
      }
      if frame.flags & TranslatedRequest.Flags.remoteClosed != 0 { finishRequest(of: call.id) }
    case WireFrame.cancel:
      calls[frame.stream] = nil
      giveUp(frame.stream)
    case WireFrame.credit:
      guard case .number(let count)? = WireMessage.fields(frame.payload)?.first?.value else {
        return
      }
      guard let call = calls[frame.stream] else { return }
      call.credited(Int(truncatingIfNeeded: count))
      advance(call)
    case WireFrame.ping where frame.flags == 0:
      ping(frame.payload)
    default:
      break
    }
  }

  private func begin(_ frame: WireFrame) {
    guard let request = TranslatedRequest(frame) else { return }
    lastCall = frame.stream
    do throws(TranslatedStatus) {
      guard ending == nil, let call = try begin(request, frame.stream) else {
        throw TranslatedStatus(.unavailable, "the connection is over", isNotProcessed: true)
      }
      calls[call.id] = call
      began(call, request)
    } catch {
      refuse(frame.stream, error)
    }
  }

  /// Tells the client that a call has failed of which nothing is known.
  private func refuse(_ id: UInt32, _ status: TranslatedStatus) {
    let call = TranslatedCall(id: id, hasStreamOfResponses: false, windowByteCount: .max)
    call.fail(status)
    advance(call)
  }

  /// A message without its compression.
  ///
  /// One that cannot be inflated is the server's to refuse.
  final func inflated(_ message: [UInt8]) -> [UInt8] {
    (try? TranslatedCall.inflated(message, &inflater)) ?? []
  }

  // MARK: - To the client

  /// Tells the client what it expects of a server with our extensions, once both sides are known.
  final func sayHello() {
    guard !hasSaidHello, let streamCountMax, windowByteCount != nil else { return }
    hasSaidHello = true
    let settings = WireMessage().varint(1, 1).varint(2, 1).varint(3, 4 << 20)
      .varint(4, UInt64(max(1, streamCountMax))).varint(5, 64 << 10)
    tell(
      WireFrame(stream: WireFrame.connectionStream, type: WireFrame.hello, payload: settings.bytes)
    )
    for id in calls.keys.sorted() { giveCredit(id) }
  }

  /// Bytes of the request of a call are on their way.
  final func sent(_ byteCount: Int, of id: UInt32) {
    calls[id]?.sent(byteCount: byteCount)
    giveCredit(id)
  }

  /// Lets the client send more on a stream, once it knows that it needs to be let.
  private func giveCredit(_ id: UInt32) {
    guard hasSaidHello, let credit = calls[id]?.takeCredit() else { return }
    tell(WireFrame.credit, number: UInt64(credit), of: id)
  }

  /// The server answers a PING.
  final func pong(_ payload: [UInt8]) {
    let stream = WireFrame.connectionStream
    tell(WireFrame(stream: stream, type: WireFrame.ping, flags: 1, payload: payload))
  }

  /// The server takes no calls behind this one.
  final func goAway(lastAccepted: UInt32? = nil) {
    tell(
      WireFrame.goAway,
      number: UInt64(lastAccepted ?? lastCall),
      of: WireFrame.connectionStream
    )
  }

  private func tell(_ frame: WireFrame) { input += frame.bytes }

  /// A frame whose message is one number.
  private func tell(_ type: UInt8, number: UInt64, of stream: UInt32) {
    tell(WireFrame(stream: stream, type: type, payload: WireMessage().varint(1, number).bytes))
  }

  /// Changes what is known of a call, and tells the client.
  final func update(_ id: UInt32, _ body: (TranslatedCall) -> Void) {
    guard let call = calls[id] else { return }
    body(call)
    advance(call)
  }

  /// Tells the client what is new of a call.
  private func advance(_ call: TranslatedCall) {
    let (frames, byteCount) = call.takeFrames(&inflater)
    for frame in frames { tell(frame) }
    released(byteCount, of: call)
    guard call.isOver else { return }
    calls[call.id] = nil
    // The server may go on; the client has its answer.
    giveUp(call.id)
  }

  final func deliverLater() {
    guard !isDeliveryScheduled, !input.isEmpty || ending != nil else { return }
    isDeliveryScheduled = true
    loop.execute { [self] in
      isDeliveryScheduled = false
      deliver()
    }
  }

  final func deliver() {
    while !input.isEmpty, !isClosed {
      var bytes: [UInt8] = []
      swap(&bytes, &input)
      receiver?.transportReceived(bytes.span)
    }
    if isWriterWaiting, outputByteCount < Self.outputByteCountMax {
      isWriterWaiting = false
      receiver?.transportBecameWritable()
    }
    finishIfEnded()
  }

  // MARK: - The end

  /// Nothing more comes: what is not complete never will be, but what waits for credit is still delivered.
  final func endOfServer(_ error: TransportError?) {
    guard ending == nil else { return }
    ending = Ending(error: error)
    let incomplete = calls.values.filter { !$0.isComplete }.map(\.id)
    for id in incomplete { calls[id] = nil }
    // With none of them the client learns all from the end of the connection.
    guard !calls.isEmpty else { return }
    goAway()
    for id in incomplete.sorted() {
      refuse(id, TranslatedStatus(.unavailable, "the connection to the server was lost"))
    }
  }

  final func finishIfEnded() {
    guard let ending, isClosed || calls.isEmpty else { return }
    isClosed = true
    let receiver = receiver.take()
    receiver?.transportClosed(ending.error)
  }
}
