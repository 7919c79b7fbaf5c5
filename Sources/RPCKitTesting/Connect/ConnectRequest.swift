internal import RPCKit

/// A request by Connect over HTTP/1.1: its head, and how its messages are written.
struct ConnectRequest {
  let style: ConnectRequestStyle
  /// Conversions of JSON, for a request that is JSON.
  let json: ConnectJSON?
  let isStreaming: Bool
  /// The content as far as it is known.
  private(set) var content: [UInt8] = []
  /// Whether that is all of it.
  let isComplete: Bool
  private let path: String
  private let metadata: [TranslatedRequest.Field]
  private let timeoutNanoseconds: UInt64
  private let isDeflated: Bool

  /// Makes the request of a call; `inflate` undoes what frames deflate.
  init(
    _ request: TranslatedRequest,
    _ style: ConnectRequestStyle,
    json: ConnectJSON?,
    inflate: ([UInt8]) -> [UInt8]
  ) {
    var style = style
    // How long it will be is not known.
    if !request.isComplete { style.isChunked = true }
    self.style = style
    self.json = style.isJSON ? json : nil
    isStreaming = request.isStreaming
    isComplete = request.isComplete
    path = request.path
    metadata = request.metadata
    timeoutNanoseconds = request.timeoutNanoseconds
    isDeflated = request.isDeflated && self.json == nil
    // A complete request has a message, which is empty if the frame has none.
    if let message = request.message ?? (isComplete ? [] : nil) {
      content = written(message, isDeflated: request.isDeflated, inflate: inflate)
    }
  }

  /// A message as it stands in the content.
  func written(
    _ message: [UInt8],
    isDeflated: Bool,
    inflate: ([UInt8]) -> [UInt8]
  ) -> [UInt8] {
    guard let json else {
      return isStreaming
        ? TranslatedRequest.envelope(message, isDeflated: isDeflated) : message
    }
    let text = json.text(isDeflated ? inflate(message) : message)
    return isStreaming ? TranslatedRequest.envelope(text, isDeflated: false) : text
  }

  /// `application/proto` and the like.
  var contentType: String {
    "application/" + (isStreaming ? "connect+" : "") + (json == nil ? "proto" : "json")
  }

  /// Whether content waits until the server asks for it.
  var expectsContinue: Bool { style.expectsContinue && !(isComplete && content.isEmpty) }

  /// The head with the empty line behind it.
  func head(authority: String) -> [UInt8] {
    var fields: [TranslatedRequest.Field] = [
      ("host", authority), ("content-type", contentType), ("connect-protocol-version", "1"),
    ]
    // What frames deflate is the "deflate" of HTTP: a zlib stream (RFC 1950).
    if isStreaming {
      fields.append(("connect-content-encoding", "deflate"))
      fields.append(("connect-accept-encoding", "deflate"))
    } else {
      if isDeflated { fields.append(("content-encoding", "deflate")) }
      fields.append(("accept-encoding", "deflate"))
    }
    if timeoutNanoseconds > 0 {
      fields.append(("connect-timeout-ms", Self.timeout(nanoseconds: timeoutNanoseconds)))
    }
    fields += metadata
    if style.isChunked {
      fields.append(("transfer-encoding", "chunked"))
    } else {
      fields.append(("content-length", "\(content.count)"))
    }
    if style.endsConnection { fields.append(("connection", "close")) }
    if expectsContinue { fields.append(("expect", "100-continue")) }
    let lines = fields.map { "\($0.name): \($0.value)\r\n" }
    return Array("POST \(path) HTTP/1.1\r\n\(lines.joined())\r\n".utf8)
  }

  /// `connect-timeout-ms`: ten digits at most, rounded up, so that the server does not give up first.
  static func timeout(nanoseconds: UInt64) -> String {
    "\(min(9_999_999_999, nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 == 0 ? 0 : 1)))"
  }
}
