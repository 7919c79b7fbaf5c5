internal import RPCKit
internal import StrictJSON

/// One call by Connect.
final class ConnectCall: TranslatedCall {
  let request: ConnectRequest
  private var head: HTTP1Response?
  /// The last envelope of a stream.
  private var ending: JSONObject?

  init(
    _ request: ConnectRequest,
    id: UInt32,
    hasStreamOfResponses: Bool,
    windowByteCount: Int
  ) {
    self.request = request
    super.init(
      id: id,
      hasStreamOfResponses: hasStreamOfResponses,
      windowByteCount: windowByteCount
    )
  }

  func received(_ head: HTTP1Response) { self.head = head }

  // MARK: - Messages

  override var hasEnvelopes: Bool { request.isStreaming && head?.status == 200 }

  override var isDeflateAnnounced: Bool { head?["connect-content-encoding"] == "deflate" }

  override func takeEnvelope(
    _ flags: UInt8,
    _ content: [UInt8]
  ) throws(TranslatedStatus) -> Bool {
    guard flags == 2 else { return false }
    guard ending == nil, let object = TranslatedStatus.object(content) else {
      throw TranslatedStatus(.internal, "the server's last envelope is none")
    }
    ending = object
    return true
  }

  override func decoded(
    _ message: [UInt8],
    isDeflated: Bool,
    _ inflater: inout Inflater
  ) throws(TranslatedStatus) -> ReceivedMessage {
    guard ending == nil else {
      throw TranslatedStatus(.internal, "the server sent a message behind the last envelope")
    }
    guard let json = request.json else {
      return try super.decoded(message, isDeflated: isDeflated, &inflater)
    }
    let text = isDeflated ? try Self.inflated(message, &inflater) : message
    guard let response = json.response(text) else {
      throw TranslatedStatus(.internal, "the server's message is not the JSON of a response")
    }
    return try super.decoded(response, isDeflated: false, &inflater)
  }

  override func wholeMessage(
    _ inflater: inout Inflater
  ) throws(TranslatedStatus) -> ReceivedMessage? {
    guard !request.isStreaming else { return nil }
    let isDeflated = head?["content-encoding"] == "deflate"
    return try decoded(content, isDeflated: isDeflated, &inflater)
  }

  // MARK: - The end

  override func checkStatus() throws(TranslatedStatus) {
    let status = head?.status ?? 0
    let contentType = head?["content-type"] ?? ""
    guard status == 200 else {
      throw .connect(httpStatus: status, contentType: contentType, content: content)
    }
    guard contentType == request.contentType else {
      throw TranslatedStatus(
        .unknown,
        "the server answered \(request.contentType) with \(contentType)"
      )
    }
    guard request.isStreaming else { return }
    guard let ending else {
      throw TranslatedStatus(.internal, "the server ended a stream without its last envelope")
    }
    guard let error = ending["error"] else { return }
    throw error.object.flatMap(TranslatedStatus.connect)
      ?? TranslatedStatus(.internal, "the error in the server's last envelope is none")
  }

  /// The fields that are neither HTTP's nor Connect's own, and what the last envelope has beside them.
  override var metadataFields: [Field] {
    var fields: [Field] = []
    for field in head?.fields ?? [] where !Self.isReserved(field.name) {
      let isTrailer = field.name.hasPrefix("trailer-")
      fields.append((isTrailer ? String(field.name.dropFirst(8)) : field.name, field.value))
    }
    for member in ending?["metadata"]?.object?.members ?? [] {
      for value in member.value.array ?? [] { fields.append((member.name, value.string ?? "")) }
    }
    return fields
  }

  private static func isReserved(_ name: String) -> Bool {
    name.hasPrefix("connect-") || reserved.contains(name)
  }

  private static let reserved: Set<String> = [
    "accept-encoding", "connection", "content-encoding", "content-length", "content-type", "date",
    "transfer-encoding", "vary", "www-authenticate", "x-content-type-options",
  ]
}
