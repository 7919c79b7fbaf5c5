internal import RPCKit

/// A call by gRPC (grpc/grpc doc/PROTOCOL-HTTP2.md).
class GRPCExchange: EnvelopedExchange {
  final let grpc: GRPCReading
  /// The request itself is wrong, and HTTP has a status for that.
  final var refusalStatus = 200

  override var isForBrowsers: Bool { false }

  /// The media types of gRPC; messages are protobuf in all of them.
  class var contentTypes: [String] { ownContentTypes }
  private static let ownContentTypes = ["application/grpc", "application/grpc+proto"]

  init(_ arrival: HTTPArrival, _ grpc: GRPCReading) {
    self.grpc = grpc
    super.init(arrival, grpc, malformed: .internal)
  }

  override func restart(_ arrival: HTTPArrival) {
    super.restart(arrival)
    refusalStatus = 200
  }

  // MARK: - The request

  override func readHead() throws(RPCError) {
    guard let type = head.fields.contentType, Self.contentTypes.contains(type.essence) else {
      refusalStatus = 415
      throw RPCError(
        .internal,
        .protocolViolation,
        "content-type is not supported; use \(Self.contentTypes[0])"
      )
    }
    grpc.contentType = responseType(for: type.essence)
    guard head.method == "POST" else {
      refusalStatus = 405
      throw RPCError(.internal, .protocolViolation, "calls are made by POST")
    }
    try checkVersion()
    do throws(RPCError) {
      grpc.timeout = try CallTimeout.grpc(head.fields)
    } catch {
      refusalStatus = 400
      throw error
    }
    grpc.requestCoding = try ContentCoding.ofRequest(encodingName, head.fields)
  }

  /// A path with a question mark is the path of no method (grpc/grpc doc/PROTOCOL-HTTP2.md, "Path").
  override func findMethod() throws(RPCError) -> BoundMethod {
    guard let query = head.query else { return try super.findMethod() }
    connection.core.observer.unknownMethod()
    throw RPCError(
      .unimplemented,
      .methodUnknown,
      "there is no method \("\(head.path.drop { $0 == "/" })?\(query)".prefix(256)); "
        + "send the path without a query"
    )
  }

  override var acceptedCoding: ContentCoding {
    ContentCoding.ofResponse("grpc-accept-encoding", head.fields)
  }

  override var encodingName: String { "grpc-encoding" }

  /// The content type of answers.
  func responseType(for requestType: String) -> String { requestType }

  /// Trailers, and streams both ways, are for HTTP/2 alone.
  func checkVersion() throws(RPCError) {
    guard head.version == .http2 else {
      refusalStatus = 505
      throw RPCError(
        .unimplemented,
        .protocolViolation,
        "gRPC needs HTTP/2; use it, or gRPC-Web or Connect over HTTP/1.1"
      )
    }
  }

  // MARK: - The answer

  /// The fields of every answer with messages.
  var commonFields: CommonFields {
    grpc.contentType == Self.ownContentTypes[0] ? Self.plainFields : Self.namedFields
  }

  private static let plainFields = CommonFields(["content-type": ownContentTypes[0]])
  private static let namedFields = CommonFields(["content-type": ownContentTypes[1]])

  override func sendHead(_ metadata: Metadata) {
    var fields = HTTPFields()
    if responseCoding != .identity { fields.append(encodingName, responseCoding.rawValue) }
    if requestCoding != .identity { fields.append("grpc-accept-encoding", ContentCoding.names) }
    metadata.forEachResponseField { fields.append($0, $1) }
    sendHead(HTTPResponseHead(status: 200, common: commonFields, fields: fields), isEnd: false)
  }

  override func sendSuccess(_ metadata: Metadata) {
    guard !metadata.isEmpty else { return sendTrailers(GRPCStatusFields.ok) }
    var trailers = GRPCStatusFields.ok.fields
    metadata.forEachResponseField { trailers.append($0, $1) }
    sendTrailers(trailers)
  }

  override func sendFailure(_ error: RPCError, _ metadata: Metadata) {
    guard !isHeadSent else {
      var trailers = HTTPFields()
      GRPCStatusFields.append(error, to: &trailers)
      metadata.forEachResponseField { trailers.append($0, $1) }
      return sendTrailers(trailers)
    }
    isHeadSent = true
    // All in one head: a proxy that meets an empty content before the trailers may lose them.
    var fields: HTTPFields = ["content-type": grpc.contentType]
    GRPCStatusFields.append(error, to: &fields)
    if error.code == .unimplemented { fields.append("grpc-accept-encoding", ContentCoding.names) }
    if refusalStatus == 405 { fields.append("allow", "POST") }
    fields.appendLimit(of: error)
    metadata.forEachResponseField { fields.append($0, $1) }
    sendHead(HTTPResponseHead(status: refusalStatus, fields: fields), isEnd: true)
  }

  /// Ends the answer behind its messages.
  func sendTrailers(_ fields: HTTPFields) {
    connection.sendEnd(of: self, trailers: fields)
  }

  /// As the other `sendTrailers`, with what other answers end with too.
  func sendTrailers(_ common: CommonFields) {
    connection.sendEnd(of: self, common: common)
  }
}
