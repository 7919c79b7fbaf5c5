internal import RPCKit

/// A call whose messages stand one behind the other in the content, each in an envelope: what gRPC, gRPC-Web
/// and streaming Connect share.
///
/// A method that takes one message is started when the request has ended, and one that takes a stream when the
/// head was read. Until then a request takes no place among the running handlers.
class EnvelopedExchange: HTTPExchange {
  private final let reading: EnvelopedReading
  /// How messages of the answer may be compressed, known when its head is sent.
  private(set) final var responseCoding = ContentCoding.identity
  /// The code of content that is not what it should be.
  final let malformed: StatusCode
  /// The head of the answer is out.
  final var isHeadSent = false
  /// The head of the answer has metadata of the call.
  private final var hasMetadataInHead = false
  /// The answer is complete.
  private(set) final var isOver = false
  private final var decoder: EnvelopeDecoder {
    @inline(__always) _read { yield confinedDecoder.value }
    @inline(__always) _modify { yield &confinedDecoder.value }
  }
  private final let confinedDecoder: Confined<EnvelopeDecoder>
  /// The one message of a method that takes one, as it came.
  private final var message: [UInt8]?
  private final var isMessageCompressed = false
  private final var receivedByteCount = 0
  /// Bytes of the incomplete message for which the client was given room already.
  private final var creditedByteCount = 0

  init(_ arrival: HTTPArrival, _ reading: EnvelopedReading, malformed: StatusCode) {
    self.reading = reading
    self.malformed = malformed
    let byteCountMax = arrival.connection.limits.frameByteCountMax
    confinedDecoder = Confined(EnvelopeDecoder(byteCountMax: byteCountMax))
    super.init(arrival)
  }

  override final var reusableReading: CallReading? { reading }

  override func restart(_ arrival: HTTPArrival) {
    super.restart(arrival)
    decoder.release()
    (message, isMessageCompressed, receivedByteCount, creditedByteCount) = (nil, false, 0, 0)
    (responseCoding, isHeadSent, hasMetadataInHead, isOver) = (.identity, false, false, false)
  }

  final var requestCoding: ContentCoding { reading.requestCoding }
  final var codec: MessageCodec { reading.codec }
  private final var method: BoundMethod? { reading.method }

  // MARK: - What a way of putting calls into envelopes provides

  /// Reads the head into its reading: how long the call may take, how messages are compressed and written.
  func readHead() throws(RPCError) {}

  /// The method that the path names; throws that there is none.
  func findMethod() throws(RPCError) -> BoundMethod { try connection.method(at: head.path).get() }

  /// Refuses methods that cannot be called in this way.
  func checkKind(_ method: BoundMethod) throws(RPCError) {}

  /// The field that says how messages are compressed.
  var encodingName: String { "" }

  /// How the client lets messages be compressed.
  var acceptedCoding: ContentCoding { .identity }

  /// Sends the head of an answer that is none of refusal.
  func sendHead(_ metadata: Metadata) {}

  /// Ends an answer with OK.
  func sendSuccess(_ metadata: Metadata) {}

  /// Ends an answer with an error, or begins and ends it, as `isHeadSent` says.
  func sendFailure(_ error: RPCError, _ metadata: Metadata) {}

  /// Sends content.
  func sendContent(_ write: (inout ByteBuffer) -> Void) {
    connection.sendBody(of: self, write)
  }

  // MARK: - From the client

  override func begin() {
    do throws(RPCError) {
      if reading.method == nil { try read() }
    } catch {
      return refuse(error)
    }
    guard let method else { return }
    decoder = EnvelopeDecoder(byteCountMax: method.requestByteCountMax)
    guard !method.isUnaryRequest, let call = beginCall(method) else { return }
    connection.start(call, Span(), hasPayload: false, malformed: malformed)
  }

  private final func read() throws(RPCError) {
    reading.metadata = try Metadata(request: head.fields, malformed: malformed)
    try readHead()
    let method = try findMethod()
    try checkKind(method)
    reading.method = method
    connection.keep(reading)
  }

  override func refuse(atHead error: RPCError) {
    do throws(RPCError) {
      try readHead()
    } catch {
      return refuse(error)
    }
    refuse(error)
  }

  /// Answers a request for which no call is begun.
  final func refuse(_ error: RPCError) {
    fail(connection.refused(error, reading.metadata), Metadata())
  }

  private final func beginCall(_ method: BoundMethod) -> CallContext? {
    let call = connection.beginCall(
      of: method,
      for: self,
      metadata: reading.metadata,
      timeout: reading.timeout,
      requestByteCount: receivedByteCount
    )
    if let transcoding = codec.transcoding(to: method.descriptor.requestType) {
      call?.transcoding = transcoding
    }
    return call
  }

  override func receivedBody(_ bytes: Span<UInt8>) {
    guard !isOver, let method else { return connection.consumedBody(bytes.count, of: self) }
    receivedByteCount += bytes.count
    if method.isUnaryRequest { connection.consumedBody(bytes.count, of: self) }
    // Moved out while it decodes: what it finds may end the exchange, which touches the decoder.
    var decoder = EnvelopeDecoder(byteCountMax: connection.limits.frameByteCountMax)
    swap(&decoder, &self.decoder)
    do throws(RPCError) {
      try decoder.decode(bytes) { header, message in take(header, message, of: method) }
    } catch {
      return giveUp(error)
    }
    guard !isOver else { return }
    swap(&decoder, &self.decoder)
    if !method.isUnaryRequest { creditIncompleteMessage() }
  }

  override func receivedEnd(_ trailers: HTTPFields) {
    guard !isOver, let method else { return }
    guard decoder.waitingByteCount == 0 else {
      return giveUp(
        RPCError(
          malformed,
          .malformedRequest,
          "the request ends inside of a message; send all of it"
        )
      )
    }
    guard method.isUnaryRequest else {
      call?.inboundMessages?.finish(nil)
      return
    }
    guard let message = message.take() else { return giveUp(.notOneMessage(method, "none")) }
    guard let call = beginCall(method) else { return }
    call.isRequestCompressed = isMessageCompressed
    let error = readable(message.span, isCompressed: isMessageCompressed, of: method) {
      message,
      inflation in
      if let inflation { call.inflation = inflation }
      connection.start(call, message, hasPayload: true, malformed: malformed)
      return nil
    }
    if let error { call.reject(error) }
    release(consume call)
  }

  override var heldByteCount: Int { decoder.waitingByteCount + (message?.count ?? 0) }

  override func abandoned() {
    finish()
    super.abandoned()
  }

  /// Takes one message; false when no other is wanted.
  private final func take(
    _ header: EnvelopeDecoder.Header,
    _ message: Span<UInt8>,
    of method: BoundMethod
  ) -> Bool {
    if let error = problem(ofFlags: header.flags) ?? deliver(message, header, of: method) {
      giveUp(error)
    }
    return !isOver
  }

  /// The problem of an envelope's flags; nil for none.
  private final func problem(ofFlags flags: UInt8) -> RPCError? {
    guard flags & ~EnvelopeFlags.compressed == 0 else {
      return RPCError(.internal, .protocolViolation, "flags of a message are unknown; send 0 or 1")
    }
    guard flags == 0 || requestCoding != .identity else {
      return RPCError(
        .internal,
        .protocolViolation,
        "a message is compressed without \(encodingName); name the compression"
      )
    }
    return nil
  }

  /// See `HTTPConnection.withReadable`.
  private final func readable(
    _ message: Span<UInt8>,
    isCompressed: Bool,
    of method: BoundMethod,
    _ body: (Span<UInt8>, Inflation?) -> RPCError?
  ) -> RPCError? {
    let format = isCompressed ? requestCoding.format : nil
    return connection.withReadable(message, format, for: method, malformed: malformed, body)
  }

  private final func deliver(
    _ message: Span<UInt8>,
    _ header: EnvelopeDecoder.Header,
    of method: BoundMethod
  ) -> RPCError? {
    if method.isUnaryRequest {
      guard self.message == nil else { return .notOneMessage(method, "several") }
      var bytes: [UInt8] = []
      bytes.replaceAll(with: message)
      self.message = bytes
      isMessageCompressed = header.isCompressed
      return nil
    }
    let cost = EnvelopeDecoder.headerByteCount + header.byteCount - creditedByteCount
    creditedByteCount = 0
    guard let call, let inbound = call.inboundMessages else { return nil }
    connection.core.observer.receivedMessage(call)
    return readable(message, isCompressed: header.isCompressed, of: method) {
      message,
      inflation in
      inbound.receive(
        message,
        cost: cost,
        isCompressed: header.isCompressed,
        inflation: inflation
      )
    }
  }

  /// Gives the client room for what arrived of a message that is longer than half of its window.
  ///
  /// The rest of the room comes back when the handler takes the message, so that a message of any length gets
  /// through and a handler that stops taking still stops the client.
  private final func creditIncompleteMessage() {
    let credited = max(0, decoder.waitingByteCount - connection.limits.streamWindowByteCount / 2)
    guard credited > creditedByteCount else { return }
    connection.consumedBody(credited - creditedByteCount, of: self)
    creditedByteCount = credited
  }

  /// Ends the exchange because of what the client sent.
  final func giveUp(_ error: RPCError) {
    guard let call, call.isOpen else { return refuse(error) }
    call.fail(error)
  }

  // MARK: - From the call

  override func respond(_ append: MessageAppending) throws(RPCError) {
    let metadata = call?.metadataByPlace ?? (head: [:], trailers: [:])
    sendHeadOnce(metadata.head)
    try sendMessage(append)
    finish()
    sendSuccess(metadata.trailers)
  }

  override var answerEncoding: AnswerEncoding {
    let type = method?.descriptor.responseType ?? ""
    let coding = isHeadSent ? responseCoding : codingOfResponses
    return AnswerEncoding(
      transcoding: codec.encoding(of: type),
      format: call?.compresses == true ? coding.format : nil
    )
  }

  override func respond(_ message: EncodedMessage) throws(RPCError) {
    let metadata = call?.metadataByPlace ?? (head: [:], trailers: [:])
    sendHeadOnce(metadata.head)
    try sendMessage(message)
    finish()
    sendSuccess(metadata.trailers)
  }

  override func send(_ message: EncodedMessage) throws(RPCError) {
    if !isHeadSent { sendHeadOnce(call?.metadataByPlace.head ?? [:]) }
    try sendMessage(message)
  }

  override func endResponses() {
    var metadata = call?.metadataByPlace ?? (head: [:], trailers: [:])
    sendHeadOnce(metadata.head)
    finish()
    // What was set behind the first message comes too late for the head.
    let late = hasMetadataInHead ? [] : metadata.head.entries
    for entry in late { metadata.trailers.append(entry.key, entry.value) }
    sendSuccess(metadata.trailers)
  }

  override func send(_ append: MessageAppending) throws(RPCError) {
    if !isHeadSent { sendHeadOnce(call?.metadataByPlace.head ?? [:]) }
    try sendMessage(append)
  }

  override func fail(_ error: RPCError, _ metadata: Metadata) {
    guard !isOver else { return }
    finish()
    var all = error.metadata
    for entry in metadata.entries { all.append(entry.key, entry.value) }
    sendFailure(error, all)
  }

  private final func sendHeadOnce(_ metadata: Metadata) {
    guard !isHeadSent else { return }
    isHeadSent = true
    hasMetadataInHead = !metadata.isEmpty
    responseCoding = codingOfResponses
    sendHead(metadata)
  }

  /// How messages of the answer may be compressed, as the call has it before the head is sent.
  ///
  /// Anyone who chose for the first message may choose otherwise for the next, which the head has to allow.
  private final var codingOfResponses: ContentCoding {
    guard let call, call.compresses || call.compressesResponses != nil else { return .identity }
    return acceptedCoding
  }

  /// Sends one message that was encoded elsewhere.
  private final func sendMessage(_ message: EncodedMessage) throws(RPCError) {
    try checkAnswer(message.byteCount)
    sendEnvelope(message.isCompressed ? EnvelopeFlags.compressed : 0, message.bytes.span)
  }

  /// Sends one message in its envelope.
  private final func sendMessage(_ append: MessageAppending) throws(RPCError) {
    let byteCountMax = connection.limits.frameByteCountMax
    var byteCount = 0
    if case .protobuf = codec, responseCoding == .identity {
      sendContent { content in
        let start = content.byteCount
        append(&content) { content, count in
          byteCount = count
          content.append(0)
          content.append(bigEndian: UInt32(clamping: count))
        }
        if byteCount > byteCountMax { content.truncate(to: start) }
      }
    } else {
      var message = ByteBuffer()
      append(&message) { _, _ in }
      if let method { try codec.encode(&message, type: method.descriptor.responseType) }
      byteCount = message.byteCount
      if byteCount <= byteCountMax { sendEnvelope(&message) }
    }
    try checkAnswer(byteCount)
  }

  private final func sendEnvelope(_ message: inout ByteBuffer) {
    var flags: UInt8 = 0
    if let format = responseCoding.format, call?.compresses == true,
      connection.resources.compression.deflateIfWorthwhile(&message, format)
    {
      flags = EnvelopeFlags.compressed
    }
    message.withBytes { sendEnvelope(flags, $0) }
  }

  private final func sendEnvelope(_ flags: UInt8, _ message: Span<UInt8>) {
    sendContent { content in
      content.append(flags)
      content.append(bigEndian: UInt32(clamping: message.count))
      content.append(message)
    }
  }

  /// Nothing more is taken or held.
  private final func finish() {
    isOver = true
    decoder.release()
    message = nil
  }
}

/// The flags of envelopes.
enum EnvelopeFlags {
  /// The message is compressed as the head says.
  static let compressed: UInt8 = 0x01
  /// The last envelope of streaming Connect.
  static let endStream: UInt8 = 0x02
  /// The trailers of gRPC-Web.
  static let trailers: UInt8 = 0x80
}

extension RPCError {
  /// One message is due and another number of them came (grpc/grpc doc/statuscodes.md).
  static func notOneMessage(_ method: BoundMethod, _ count: String) -> RPCError {
    RPCError(
      .unimplemented,
      .protocolViolation,
      "\(count) came where \(method.descriptor.fullName) takes one message; send exactly one"
    )
  }
}
