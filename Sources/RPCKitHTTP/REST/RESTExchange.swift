internal import RPCKit
internal import Reflection
internal import StrictJSON

/// A call by HTTP with JSON: the request is in path, query and body, and the answer in an envelope.
final class RESTExchange: HTTPExchange {
  private let reading: RESTReading
  /// Reads path, query and body, once the caller is let in.
  private let reader: RESTRequestReader
  /// The content of an answer that is text of its own; nil for one in JSON.
  private let raw: RESTRawAnswer?
  /// The body as it came.
  private var content: ByteBuffer {
    @inline(__always) _read { yield confinedContent.value }
    @inline(__always) _modify { yield &confinedContent.value }
  }
  private let confinedContent = Confined(ByteBuffer())
  /// The head of a stream of answers is out.
  private var isStreaming = false
  /// The answer is complete.
  private var isOver = false

  /// Most messages are no longer; memory of this size the allocator has at hand.
  private static let shortByteCount = 512

  private var target: RESTTarget { reading.target }
  private var route: RESTRoute { reading.target.route }
  private var binding: HTTPBinding { reading.target.route.binding }
  private var events: EventFormat? { reading.events }

  init(_ arrival: HTTPArrival, _ reading: RESTReading) {
    self.reading = reading
    reader = reading.reader()
    raw = reading.target.route.isRaw ? RESTRawAnswer(reading.target.route) : nil
    super.init(arrival)
  }

  override var heldByteCount: Int { content.byteCount }

  override var reusableReading: CallReading? { reader === reading.sharedReader ? reading : nil }

  override func restart(_ arrival: HTTPArrival) {
    super.restart(arrival)
    content.release()
    (isStreaming, isOver) = (false, false)
  }

  // MARK: - The request

  override func begin() {
    guard !reading.isRead else { return }
    do throws(RESTFailure) {
      try readHead()
    } catch {
      return refuse(error)
    }
    reading.isRead = true
    connection.keep(reading)
  }

  private func readHead() throws(RESTFailure) {
    do throws(RPCError) {
      reading.metadata = try Metadata(request: head.fields, malformed: .invalidArgument)
      reading.timeout = try CallTimeout.rest(head.fields)
      reading.requestCoding = try ContentCoding.ofRequest("content-encoding", head.fields)
    } catch {
      throw RESTFailure(error, status: error.code == .unimplemented ? 415 : nil)
    }
    try checkType()
    if route.hasEvents, head.fields.accepts(EventFormat.contentType) {
      reading.events = route.events
    }
    if let length = head.fields["content-length"].flatMap({ Int($0) }) { try checkSize(length) }
  }

  /// A body of another type is not read as if it were JSON, which web pages could send unasked.
  private func checkType() throws(RESTFailure) {
    guard let said = head.fields["content-type"] else { return }
    reading.hasType = true
    // Nearly all requests say it so, and reading a media type takes longer than this.
    if said == "application/json", head.fields.only("content-type") != nil { return }
    let type = head.fields.contentType
    switch type?.essence {
    case "application/json" where type?.isUTF8 == true: return
    case "application/x-www-form-urlencoded" where binding.takesForms: reading.isForm = true
    default: throw unsupported("content-type is not supported")
    }
  }

  /// A body without a type is of none that anybody has promised (RFC 9110 section 8.3).
  private func checkTyped() throws(RESTFailure) {
    guard !reading.hasType else { return }
    throw unsupported("the body has no content-type")
  }

  private func unsupported(_ problem: String) -> RESTFailure {
    let accepted =
      "application/json" + (binding.takesForms ? ", application/x-www-form-urlencoded" : "")
    return RESTFailure(
      RPCError(.invalidArgument, .malformedRequest, "\(problem); send \(accepted)"),
      // AuthZEN has this among what is wrong with a request.
      status: binding.errors == .text ? 400 : 415,
      fields: ["accept": accepted]
    )
  }

  private func checkSize(_ byteCount: Int) throws(RESTFailure) {
    let byteCountMax = target.method.requestByteCountMax
    guard byteCount > byteCountMax else { return }
    throw RESTFailure(
      RPCError(
        .resourceExhausted,
        .requestTooLarge,
        "the body has more than \(byteCountMax) bytes; send less at once"
      ),
      status: 413
    )
  }

  override func receivedBody(_ bytes: Span<UInt8>) {
    guard !isOver else { return connection.consumedBody(bytes.count, of: self) }
    if content.allocatedByteCount == 0, (1...Self.shortByteCount).contains(bytes.count) {
      content = ByteBuffer(capacity: bytes.count)
    }
    content.append(bytes)
    connection.consumedBody(bytes.count, of: self)
    do throws(RESTFailure) {
      if bytes.count > 0 { try checkTyped() }
      try checkSize(content.byteCount)
    } catch {
      refuse(error)
    }
  }

  override func receivedEnd(_ trailers: HTTPFields) {
    guard !isOver else { return }
    var body = ByteBuffer()
    swap(&body, &content)
    start(
      target.method,
      body,
      coding: reading.requestCoding,
      metadata: reading.metadata,
      timeout: reading.timeout,
      transcoding: reading.transcoding(by: reader)
    )
  }

  override func abandoned() {
    finish()
    super.abandoned()
  }

  // MARK: - The answer

  override func respond(_ append: MessageAppending) throws(RPCError) {
    try respond(content: writer.answer(Self.bytes(append)))
  }

  override func respond(_ message: EncodedMessage) throws(RPCError) {
    try respond(content: message.bytes)
  }

  /// The writer of JSON responses.
  private var writer: RESTAnswerWriter { RESTAnswerWriter(target, reader) }

  override var answerEncoding: AnswerEncoding {
    if let raw {
      return AnswerEncoding(transcoding: { protobuf throws(RPCError) in
        try raw.content(of: protobuf)
      })
    }
    let (writer, events) = (writer, events)
    let kind = target.method.descriptor.kind
    let isStream = kind == .serverStreaming || kind == .bidirectional
    return AnswerEncoding(
      transcoding: { protobuf throws(RPCError) in
        guard isStream else { return try writer.answer(protobuf) }
        return if let events { try writer.event(protobuf, events) } else {
          try writer.line(protobuf)
        }
      }
    )
  }

  private static func bytes(_ append: MessageAppending) -> [UInt8] {
    var message = ByteBuffer(capacity: Self.shortByteCount)
    append(&message) { _, _ in }
    var bytes: [UInt8] = []
    message.withBytes { bytes.replaceAll(with: $0) }
    return bytes
  }

  private func respond(content: [UInt8]) throws(RPCError) {
    try checkAnswer(content.count)
    let fields = answerFields
    let isKnown = isKnown(fields["etag"])
    finish()
    let answer = HTTPResponseHead(
      status: isKnown ? 304 : binding.status,
      common: route.commonFields,
      fields: fields,
      contentLength: isKnown ? nil : content.count
    )
    send(answer, isKnown ? Span() : content.span)
  }

  /// Whether the client has the answer with this tag already (RFC 9110 section 13.1.2).
  ///
  /// Also for POST, because that is how OFREP asks. What a handler has done is done, so only those give a tag
  /// that change nothing.
  private func isKnown(_ tag: String?) -> Bool {
    guard let tag else { return false }
    return head.fields.values("if-none-match").contains { value in
      value.split(separator: ",").contains { known in
        let known = known.drop { $0 == " " }.prefix { $0 != " " }
        return known == tag || known == "W/\(tag)"
      }
    }
  }

  /// The fields that only this answer has.
  private var answerFields: HTTPFields {
    var fields = HTTPFields()
    if let requestID = reading.requestID { fields.append("x-request-id", requestID) }
    call?.metadataToSend.forEachResponseField { fields.append($0, $1) }
    return fields
  }

  override func send(_ append: MessageAppending) throws(RPCError) {
    let message = Self.bytes(append)
    if let raw {
      try send(part: raw.content(of: message))
    } else if let events {
      try send(part: writer.event(message, events))
    } else {
      try send(part: writer.line(message))
    }
  }

  override func send(_ message: EncodedMessage) throws(RPCError) {
    try send(part: message.bytes)
  }

  private func send(part: [UInt8]) throws(RPCError) {
    try checkAnswer(part.count)
    beginStream()
    sendPart(part)
  }

  /// A stream is one JSON value a line, or one an event, and its last one says how it ended: a stream that was cut
  /// off has none.
  private func beginStream() {
    guard !isStreaming else { return }
    isStreaming = true
    let json = events == nil ? "application/x-ndjson" : EventFormat.contentType
    let type = raw?.contentType ?? json
    var fields: HTTPFields = ["content-type": type, "cache-control": binding.cacheControl]
    for field in answerFields.fields { fields.append(field.name, field.value) }
    // nginx keeps what it is sent until it has enough of it, unless it reads this.
    if raw == nil { fields.append("x-accel-buffering", "no") }
    sendHead(HTTPResponseHead(status: binding.status, fields: fields), isEnd: false)
    if events != nil { sendPart(EventFormat.beginning) }
  }

  /// Sends a line, or an event.
  private func sendPart(_ part: [UInt8]) {
    connection.sendBody(of: self) { content in
      content.append(part.span)
      if raw == nil { content.append(UInt8(ascii: "\n")) }
    }
  }

  override func endResponses() {
    guard !isOver else { return }
    beginStream()
    finish()
    guard raw == nil else { return connection.sendEnd(of: self, trailers: [:]) }
    endStream("end", ["status": "success"])
  }

  /// Says how a stream ended.
  private func endStream(_ type: String, _ ending: JSONValue) {
    sendPart(events == nil ? ending.bytes : EventFormat.event(type, ending))
    connection.sendEnd(of: self, trailers: [:])
  }

  override func fail(_ error: RPCError, _ metadata: Metadata) {
    // A request that is too large has a status of its own, no matter who found out.
    let isTooLarge = error.details.contains(.errorInfo(.requestTooLarge))
    answer(RESTFailure(error, status: isTooLarge ? 413 : nil), metadata)
  }

  private func refuse(_ failure: RESTFailure) {
    let error = connection.refused(failure.error, reading.metadata)
    answer(RESTFailure(error, status: failure.status, fields: failure.fields), Metadata())
  }

  private func answer(_ failure: RESTFailure, _ metadata: Metadata) {
    guard !isOver else { return }
    finish()
    // Standards have names of their own.
    let error =
      binding.errors == .envelope
      ? RESTFieldNames(route, query: head.query ?? "").renaming(failure.error) : failure.error
    guard !isStreaming else {
      // Nobody takes text for whole that does not end.
      guard raw == nil else { return connection.breakOff(self) }
      return endStream("error", RESTErrorAnswer.envelope(error))
    }
    let hadCredentials = head.fields["authorization"] != nil
    var answer = RESTErrorAnswer(
      error,
      form: binding.errors,
      key: binding.errors == .flag ? reader.pathField("key") : nil,
      hadCredentials: hadCredentials
    )
    if let status = failure.status { answer.status = status }
    for field in failure.fields.fields { answer.fields.append(field.name, field.value) }
    error.metadata.forEachResponseField { answer.fields.append($0, $1) }
    metadata.forEachResponseField { answer.fields.append($0, $1) }
    answer.send(on: self)
  }

  /// Nothing more is taken or held.
  private func finish() {
    isOver = true
    content.release()
  }
}
