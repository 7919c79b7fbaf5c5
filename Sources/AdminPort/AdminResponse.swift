internal import RPCKitHTTP

/// An answer of the admin port.
public struct AdminResponse: Sendable, Hashable {
  /// The HTTP status code.
  public var status: Int
  /// The media type of the body.
  public var contentType: String
  /// The body; bounded by `AdminLimits.responseByteCountMax`.
  public var body: [UInt8]

  /// Makes an answer; the media type must not contain control characters.
  public init(status: Int = 200, contentType: String, body: [UInt8]) {
    precondition(contentType.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "not a media type")
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  /// A line of plain text.
  public static func text(_ text: String, status: Int = 200) -> AdminResponse {
    AdminResponse(
      status: status,
      contentType: "text/plain; charset=utf-8",
      body: Array((text + "\n").utf8)
    )
  }

  /// The answer to a request that was refused: its status and nothing about why.
  static func rejection(status: Int) -> AdminResponse {
    text("\(status) \(HTTP1ReasonPhrase.text(status))", status: status)
  }

  /// The bytes before the body.
  func head(isKeepAlive: Bool) -> [UInt8] {
    var head = "HTTP/1.1 \(status) \(HTTP1ReasonPhrase.text(status))\r\n"
    head += "Content-Type: \(contentType)\r\n"
    head += "Content-Length: \(body.count)\r\n"
    head += "Cache-Control: no-store\r\n"
    head += "X-Content-Type-Options: nosniff\r\n"
    if status == 405 { head += "Allow: GET, HEAD\r\n" }
    head += "Connection: \(isKeepAlive ? "keep-alive" : "close")\r\n\r\n"
    return Array(head.utf8)
  }
}
