internal import RPCKit
internal import TextEncodings

/// A call by gRPC-Web, in bytes or in base64 (grpc/grpc doc/PROTOCOL-WEB.md).
///
/// Trailers are a last envelope in the content, as browsers cannot read the real ones.
final class GRPCWebExchange: GRPCExchange {
  private var textDecoder: GRPCWebTextDecoder?

  private static let text = "application/grpc-web-text"

  override var isForBrowsers: Bool { true }

  override class var contentTypes: [String] {
    [
      "application/grpc-web", "application/grpc-web+proto", "application/grpc-web-text",
      "application/grpc-web-text+proto",
    ]
  }

  override func restart(_ arrival: HTTPArrival) {
    super.restart(arrival)
    textDecoder = nil
  }

  // MARK: - The request

  override func responseType(for requestType: String) -> String {
    grpc.isText = requestType.hasPrefix(Self.text)
    let wanted = head.fields.values("accept").flatMap { $0.split(separator: ",") }
      .map { MediaType(String($0)).essence }
    if wanted.contains(where: { $0.hasPrefix(Self.text) }) {
      grpc.answersInText = true
    } else {
      // A client that accepts anything has said as little as one that says nothing.
      grpc.answersInText = grpc.isText && !wanted.contains { $0.hasPrefix("application/grpc-web") }
    }
    return (grpc.answersInText ? Self.text : "application/grpc-web") + "+proto"
  }

  override func checkVersion() throws(RPCError) {}

  override func checkKind(_ method: BoundMethod) throws(RPCError) {
    guard head.version == .http2 || method.descriptor.kind != .bidirectional else {
      refusalStatus = 505
      throw .needsHTTP2(method)
    }
  }

  override func receivedBody(_ bytes: Span<UInt8>) {
    guard grpc.isText, !isOver else { return super.receivedBody(bytes) }
    if textDecoder == nil { textDecoder = GRPCWebTextDecoder() }
    var decoded: [UInt8] = []
    guard textDecoder?.decode(bytes, into: &decoded) == true else { return refuseText() }
    connection.consumedBody(bytes.count - decoded.count, of: self)
    super.receivedBody(decoded.span)
  }

  override func receivedEnd(_ trailers: HTTPFields) {
    guard textDecoder?.isAtBoundary ?? true || isOver else { return refuseText() }
    super.receivedEnd(trailers)
  }

  private func refuseText() {
    refusalStatus = 400
    giveUp(
      RPCError(.internal, .malformedRequest, "content is not base64; send it encoded and complete")
    )
  }

  // MARK: - The answer

  override var commonFields: CommonFields {
    grpc.answersInText ? Self.textFields : Self.binaryFields
  }

  private static let textFields = CommonFields(
    ["content-type": "\(text)+proto"],
    isForBrowsers: true
  )
  private static let binaryFields = CommonFields(
    ["content-type": "application/grpc-web+proto"],
    isForBrowsers: true
  )

  override func sendContent(_ write: (inout ByteBuffer) -> Void) {
    guard grpc.answersInText else { return super.sendContent(write) }
    var bytes = ByteBuffer()
    write(&bytes)
    guard !bytes.isEmpty else { return }
    // Each envelope is padded, so that a client can decode it before the next one comes.
    let text = bytes.withBytes { Base64.letters($0, isPadded: true) }
    super.sendContent { $0.append(text.span) }
  }

  override func sendTrailers(_ fields: HTTPFields) {
    send(trailers: fields)
  }

  override func sendTrailers(_ common: CommonFields) { send(trailers: common.fields) }

  private func send(trailers fields: HTTPFields) {
    var lines: [UInt8] = []
    for field in fields.fields { lines += "\(field.name):\(field.value)\r\n".utf8 }
    sendContent { content in
      content.append(EnvelopeFlags.trailers)
      content.append(bigEndian: UInt32(clamping: lines.count))
      content.append(lines.span)
    }
    connection.sendEnd(of: self, trailers: [:])
  }
}
