internal import RPCKit

/// A streaming call by Connect (connectrpc.com/docs/protocol): envelopes both ways, and status 200 whatever
/// happens, because the outcome is in the last envelope.
final class ConnectStreamingExchange: EnvelopedExchange {
  private let transcoder: (any MessageTranscoder)?
  private let stream: EnvelopedReading
  /// The request cannot be answered by the protocol, and HTTP has a status for that.
  private var refusalStatus = 200
  private var refusalFields: HTTPFields = [:]

  /// The beginning of the content types.
  static let typePrefix = "application/connect+"

  init(_ arrival: HTTPArrival, transcoder: (any MessageTranscoder)?) {
    self.transcoder = transcoder
    stream = EnvelopedReading(arrival.head)
    super.init(arrival, stream, malformed: .invalidArgument)
  }

  override func restart(_ arrival: HTTPArrival) {
    super.restart(arrival)
    (refusalStatus, refusalFields) = (200, [:])
  }

  // MARK: - The request

  override func readHead() throws(RPCError) {
    guard head.method == "POST" else {
      refusalStatus = 405
      refusalFields = ["allow": "POST"]
      throw RPCError(.unimplemented, .protocolViolation, "calls are made by POST")
    }
    try chooseCodec()
    try ConnectHead.checkVersion(head.fields)
    stream.timeout = try CallTimeout.connect(head.fields)
    stream.requestCoding = try ContentCoding.ofRequest(encodingName, head.fields)
  }

  /// A client that does not say what it reads reads what it writes.
  override var acceptedCoding: ContentCoding {
    head.fields["connect-accept-encoding"] == nil
      ? requestCoding : ContentCoding.ofResponse("connect-accept-encoding", head.fields)
  }

  override var encodingName: String { "connect-content-encoding" }

  private func chooseCodec() throws(RPCError) {
    let type = head.fields.contentType
    switch (type?.essence, transcoder) {
    case (Self.typePrefix + "proto", _): return
    case (Self.typePrefix + "json", .some(let transcoder)) where type?.isUTF8 == true:
      stream.codec = .json(transcoder)
    default:
      refusalStatus = 415
      let types = ["proto"] + (transcoder == nil ? [] : ["json"])
      let accepted = types.map { Self.typePrefix + $0 }.joined(separator: ", ")
      refusalFields = ["accept-post": accepted]
      throw RPCError(
        .invalidArgument,
        .protocolViolation,
        "content-type is not supported; use \(accepted)"
      )
    }
  }

  override func findMethod() throws(RPCError) -> BoundMethod {
    do throws(RPCError) {
      return try super.findMethod()
    } catch {
      refusalStatus = 404
      throw error
    }
  }

  override func checkKind(_ method: BoundMethod) throws(RPCError) {
    guard method.descriptor.kind == .unary else {
      guard method.descriptor.kind == .bidirectional, head.version != .http2 else { return }
      refusalStatus = 505
      throw .needsHTTP2(method)
    }
    refusalStatus = 415
    refusalFields = ["accept-post": "application/proto"]
    throw RPCError(
      .invalidArgument,
      .protocolViolation,
      "method \(method.descriptor.fullName) does not stream; use application/proto"
    )
  }

  // MARK: - The answer

  override func sendHead(_ metadata: Metadata) { sendHead(metadata, [:]) }

  private func sendHead(_ metadata: Metadata, _ extra: HTTPFields) {
    var fields: HTTPFields = ["content-type": Self.typePrefix + codec.name]
    if responseCoding != .identity {
      fields.append(encodingName, responseCoding.rawValue)
    }
    if requestCoding != .identity { fields.append("connect-accept-encoding", ContentCoding.names) }
    metadata.forEachResponseField { fields.append($0, $1) }
    for field in extra.fields { fields.append(field.name, field.value) }
    sendHead(HTTPResponseHead(status: 200, fields: fields), isEnd: false)
  }

  override func sendSuccess(_ metadata: Metadata) { sendEndStream(nil, metadata) }

  override func sendFailure(_ error: RPCError, _ metadata: Metadata) {
    guard isHeadSent || refusalStatus == 200 else { return sendRefusal(error, metadata) }
    if !isHeadSent {
      isHeadSent = true
      var limit = HTTPFields()
      limit.appendLimit(of: error)
      sendHead(Metadata(), limit)
    }
    sendEndStream(error, metadata)
  }

  /// Answers in the way of unary calls what is no call of this protocol.
  private func sendRefusal(_ error: RPCError, _ metadata: Metadata) {
    isHeadSent = true
    sendConnectError(error, metadata, status: refusalStatus, fields: refusalFields)
  }

  private func sendEndStream(_ error: RPCError?, _ metadata: Metadata) {
    var text: [UInt8] = [UInt8(ascii: "{")]
    if let error {
      text += #""error":"#.utf8
      ConnectError.appendJSON(error, to: &text)
    }
    var names: [String] = []
    var values: [String: [String]] = [:]
    metadata.forEachResponseField { name, value in
      if values[name] == nil { names.append(name) }
      values[name, default: []].append(value)
    }
    if !names.isEmpty {
      text += (error == nil ? #""metadata":{"# : #","metadata":{"#).utf8
      for (index, name) in names.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        JSONText.appendQuoted(name, to: &text)
        text += ":[".utf8
        for (place, value) in (values[name] ?? []).enumerated() {
          if place > 0 { text.append(UInt8(ascii: ",")) }
          JSONText.appendQuoted(value, to: &text)
        }
        text.append(UInt8(ascii: "]"))
      }
      text.append(UInt8(ascii: "}"))
    }
    text.append(UInt8(ascii: "}"))
    sendContent { content in
      content.append(EnvelopeFlags.endStream)
      content.append(bigEndian: UInt32(clamping: text.count))
      content.append(text.span)
    }
    connection.sendEnd(of: self, trailers: [:])
  }
}
