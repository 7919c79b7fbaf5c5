internal import TextEncodings

/// The first line of a request, taken apart (RFC 9112 section 3).
struct HTTP1RequestLine {
  let method: String
  let target: HTTP1Target
  let version: HTTPRequestHead.Version

  /// Reads `GET /path?query HTTP/1.1`: single spaces, nothing around them.
  init(_ line: Span<UInt8>) throws(HTTP1Rejection) {
    let malformed = HTTP1Rejection.badRequest(
      "the request line is not a method, a target and a version"
    )
    guard let first = Self.space(line, from: 0), let second = Self.space(line, from: first + 1),
      Self.space(line, from: second + 1) == nil
    else { throw malformed }
    let method = line.extracting(0..<first)
    guard HTTP1Syntax.isToken(method) else { throw .badRequest("the method is not a token") }
    version = try Self.version(line.extracting((second + 1)..<line.count))
    self.method = HTTP1Syntax.text(method)
    if ["CONNECT", "TRACE"].contains(self.method) {
      throw HTTP1Rejection(405, "no resource has the method \(self.method)")
    }
    guard HTTPRequestHead.methods.contains(self.method) else {
      throw HTTP1Rejection(501, "the method is not known; methods are in upper case")
    }
    target = try HTTP1Target(line.extracting((first + 1)..<second), method: self.method)
  }

  /// The path in a line that was rejected, for anyone who answers it; empty where there is none to be seen.
  static func path(inRejected line: Span<UInt8>) -> String {
    guard let first = space(line, from: 0) else { return "" }
    let start = first + 1
    var path: [UInt8] = []
    for index in start..<line.count {
      guard line[index] != UInt8(ascii: " "), line[index] != UInt8(ascii: "?") else { break }
      path.append(line[index])
    }
    return path.first == UInt8(ascii: "/") ? String(decoding: path, as: UTF8.self) : ""
  }

  private static func space(_ line: Span<UInt8>, from start: Int) -> Int? {
    var index = start
    while index < line.count {
      if line[index] == UInt8(ascii: " ") { return index }
      index += 1
    }
    return nil
  }

  /// A later version of HTTP/1 is treated as the one that is spoken (RFC 9110 section 2.5); another major version
  /// has another framing.
  private static func version(
    _ text: Span<UInt8>
  ) throws(HTTP1Rejection) -> HTTPRequestHead.Version {
    guard text.count == 8, HTTP1Syntax.isEqual(text.extracting(first: 5), "HTTP/"),
      text[5].isASCIIDigit, text[6] == UInt8(ascii: "."), text[7].isASCIIDigit
    else { throw .badRequest("the version is not HTTP/1.1") }
    guard text[5] == UInt8(ascii: "1") else {
      throw HTTP1Rejection(505, "the version is not HTTP/1.1 or HTTP/1.0")
    }
    return text[7] == UInt8(ascii: "0") ? .http1_0 : .http1_1
  }
}
