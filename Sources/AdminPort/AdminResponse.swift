/// An answer of the admin port.
public struct AdminResponse: Sendable, Hashable {
  /// The HTTP status code.
  public var status: Int
  /// The media type of the body.
  public var contentType: String
  /// The body; bounded by `HTTPLimits.responseByteCountMax`.
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
    text("\(status) \(reason(status))", status: status)
  }

  /// The bytes before the body.
  func head(isKeepAlive: Bool) -> [UInt8] {
    var head = "HTTP/1.1 \(status) \(Self.reason(status))\r\n"
    head += "Content-Type: \(contentType)\r\n"
    head += "Content-Length: \(body.count)\r\n"
    head += "Cache-Control: no-store\r\n"
    head += "X-Content-Type-Options: nosniff\r\n"
    if status == 405 { head += "Allow: GET, HEAD\r\n" }
    head += "Connection: \(isKeepAlive ? "keep-alive" : "close")\r\n\r\n"
    return Array(head.utf8)
  }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 400: "Bad Request"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    // The reason may be empty; the blank before it may not be missing (RFC 9112, section 4).
    default: ""
    }
  }
}
