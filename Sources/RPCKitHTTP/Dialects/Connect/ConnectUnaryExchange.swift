internal import RPCKit

/// A unary call by Connect: the message is the content of a POST, or in the query of a GET
/// (connectrpc.com/docs/protocol).
final class ConnectUnaryExchange: HTTPExchange {
  private let reading: ConnectUnaryReading
  /// The message as it came.
  private var content: ByteBuffer {
    @inline(__always) _read { yield confinedContent.value }
    @inline(__always) _modify { yield &confinedContent.value }
  }
  private let confinedContent = Confined(ByteBuffer())
  /// The answer is complete.
  private var isOver = false

  private var method: BoundMethod { reading.method }
  private var codec: MessageCodec { reading.codec }
  private var query: ConnectQuery? { reading.query }

  init(_ arrival: HTTPArrival, _ reading: ConnectUnaryReading) {
    self.reading = reading
    super.init(arrival)
  }

  override var reusableReading: CallReading? { reading }

  override func restart(_ arrival: HTTPArrival) {
    super.restart(arrival)
    content.release()
    isOver = false
  }

  // MARK: - The request

  override func begin() {
    guard !reading.isRead else { return }
    do throws(RPCError) {
      reading.metadata = try Metadata(request: head.fields, malformed: .invalidArgument)
      guard try readMethod() else { return }
      try ConnectHead.checkVersion(head.fields)
      reading.timeout = try CallTimeout.connect(head.fields)
      if head.method == "POST" {
        reading.requestCoding = try ContentCoding.ofRequest("content-encoding", head.fields)
      }
      if let length = head.fields["content-length"].flatMap({ Int($0) }) { try checkSize(length) }
    } catch {
      return refuse(error)
    }
    reading.isRead = true
    connection.keep(reading)
  }

  /// How the client lets the answer be compressed.
  private var acceptedCoding: ContentCoding {
    head.fields["accept-encoding"] == nil && head.method == "POST"
      ? reading.requestCoding : ContentCoding.ofResponse("accept-encoding", head.fields)
  }

  /// Reads what is different for GET and POST; false when the request was refused for that.
  private func readMethod() throws(RPCError) -> Bool {
    let allowed = method.descriptor.hasNoSideEffects ? "GET, POST" : "POST"
    guard head.method == "POST" || (head.method == "GET" && method.descriptor.hasNoSideEffects)
    else {
      refuse(
        RPCError(
          .unimplemented,
          .protocolViolation,
          "method \(method.descriptor.fullName) is called by \(allowed)"
        ),
        status: 405,
        fields: ["allow": allowed]
      )
      return false
    }
    if head.method == "GET" {
      let query = try ConnectQuery(head.query ?? "")
      reading.query = query
      reading.requestCoding = query.compression
      return choose(query.encoding.map { "application/\($0)" }, isUTF8: true)
    }
    let type = head.fields.contentType
    return choose(type?.essence, isUTF8: type?.isUTF8 ?? true)
  }

  /// Chooses the codec; false when the request was refused because there is none.
  private func choose(_ type: String?, isUTF8: Bool) -> Bool {
    let isUnary = method.descriptor.kind == .unary
    switch (type, reading.transcoder) {
    case ("application/proto", _) where isUnary: return true
    case ("application/json", .some(let transcoder)) where isUnary && isUTF8:
      reading.codec = .json(transcoder)
      return true
    default:
      let prefix = isUnary ? "application/" : ConnectStreamingExchange.typePrefix
      let types = reading.transcoder == nil ? ["proto"] : ["proto", "json"]
      let accepted = types.map { prefix + $0 }.joined(separator: ", ")
      refuse(
        RPCError(
          .invalidArgument,
          .protocolViolation,
          "content-type is not supported for \(method.descriptor.fullName); use \(accepted)"
        ),
        status: 415,
        fields: ["accept-post": accepted]
      )
      return false
    }
  }

  override func receivedBody(_ bytes: Span<UInt8>) {
    connection.consumedBody(bytes.count, of: self)
    guard !isOver, bytes.count > 0 else { return }
    guard query == nil else {
      return refuse(
        RPCError(.invalidArgument, .protocolViolation, "a call by GET has no content; use POST"),
        status: 415
      )
    }
    do throws(RPCError) {
      try checkSize(content.byteCount + bytes.count)
    } catch {
      return refuse(error)
    }
    content.append(bytes)
  }

  override func receivedEnd(_ trailers: HTTPFields) {
    guard !isOver else { return }
    if let query {
      guard let message = query.message else {
        return refuse(.invalidQuery("message is missing; send it, empty if need be"))
      }
      content.append(message.span)
    }
    var message = ByteBuffer()
    swap(&message, &content)
    start(
      method,
      message,
      coding: reading.requestCoding,
      metadata: reading.metadata,
      timeout: reading.timeout,
      transcoding: reading.transcoding
    )
  }

  override var heldByteCount: Int { content.byteCount }

  override func abandoned() {
    finish()
    super.abandoned()
  }

  private func checkSize(_ byteCount: Int) throws(RPCError) {
    let byteCountMax = method.requestByteCountMax
    guard byteCount <= byteCountMax else { throw .messageTooLarge(byteCount, max: byteCountMax) }
  }

  // MARK: - The answer

  override func respond(_ append: MessageAppending) throws(RPCError) {
    var message = ByteBuffer()
    append(&message) { _, _ in }
    try codec.encode(&message, type: method.descriptor.responseType)
    try checkAnswer(message.byteCount)
    var isCompressed = false
    if let format = answerFormat {
      isCompressed = connection.resources.compression.deflateIfWorthwhile(&message, format)
    }
    message.withBytes { send($0, isCompressed: isCompressed) }
  }

  override var answerEncoding: AnswerEncoding {
    AnswerEncoding(
      transcoding: codec.encoding(of: method.descriptor.responseType),
      format: answerFormat
    )
  }

  override func respond(_ message: EncodedMessage) throws(RPCError) {
    try checkAnswer(message.byteCount)
    send(message.bytes.span, isCompressed: message.isCompressed)
  }

  /// How the answer is compressed if it shrinks.
  private var answerFormat: CompressionFormat? {
    call?.compresses == true ? acceptedCoding.format : nil
  }

  private func send(_ message: Span<UInt8>, isCompressed: Bool) {
    var fields = HTTPFields()
    if isCompressed { fields.append("content-encoding", acceptedCoding.rawValue) }
    if call?.compresses == true || call?.compressesResponses != nil || query != nil {
      fields.append("vary", "accept-encoding")
    }
    if let metadata = call?.metadataByPlace {
      metadata.head.forEachResponseField { fields.append($0, $1) }
      metadata.trailers.forEachResponseField { fields.append("trailer-\($0)", $1) }
    }
    finish()
    let head = HTTPResponseHead(
      status: 200,
      common: codec.unaryFields,
      fields: fields,
      contentLength: message.count
    )
    send(head, message)
  }

  override func fail(_ error: RPCError, _ metadata: Metadata) {
    answer(error, metadata, status: nil, fields: [:])
  }

  private func refuse(_ error: RPCError, status: Int? = nil, fields: HTTPFields = [:]) {
    answer(connection.refused(error, reading.metadata), Metadata(), status: status, fields: fields)
  }

  private func answer(
    _ error: RPCError,
    _ metadata: Metadata,
    status: Int?,
    fields: HTTPFields
  ) {
    guard !isOver else { return }
    finish()
    var fields = fields
    if error.code == .unimplemented { fields.append("accept-encoding", ContentCoding.names) }
    var all = error.metadata
    for entry in metadata.entries { all.append(entry.key, entry.value) }
    sendConnectError(error, all, status: status, fields: fields)
  }

  /// Nothing more is taken or held.
  private func finish() {
    isOver = true
    content.release()
  }
}
