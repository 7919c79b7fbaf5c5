/// The request line, taken apart.
public struct HTTPRequestStart: Sendable {
  let method: HTTPRequest.Method
  let path: String
  let query: String?
  let isVersion11: Bool

  /// Parses `GET /path?query HTTP/1.1` (RFC 9112, section 3): single blanks, origin form only.
  init(line: [UInt8]) throws(HTTPRejection) {
    let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(HTTPToken.contains) else {
      throw .badRequest
    }
    isVersion11 = try Self.isVersion11(parts[2])
    guard let method = HTTPRequest.Method(rawValue: String(decoding: parts[0], as: UTF8.self))
    else { throw .methodNotAllowed }
    self.method = method
    // A fragment never travels (RFC 9110, section 4.2.5); a tab is the one blank left in a line.
    guard parts[1].first == UInt8(ascii: "/"),
      parts[1].allSatisfy({ $0 != UInt8(ascii: "#") && $0 != 0x09 })
    else { throw .badRequest }
    let target = parts[1].split(
      separator: UInt8(ascii: "?"),
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    path = String(decoding: target[0], as: UTF8.self)
    query = target.count > 1 ? String(decoding: target[1], as: UTF8.self) : nil
  }

  /// A version that is well-formed but another one gets an answer of its own.
  private static func isVersion11(_ text: ArraySlice<UInt8>) throws(HTTPRejection) -> Bool {
    let text = Array(text)
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard text.count == 8, text.starts(with: "HTTP/".utf8), digits.contains(text[5]),
      text[6] == UInt8(ascii: "."), digits.contains(text[7])
    else { throw .badRequest }
    switch (text[5], text[7]) {
    case (UInt8(ascii: "1"), UInt8(ascii: "1")): return true
    case (UInt8(ascii: "1"), UInt8(ascii: "0")): return false
    default: throw .versionNotSupported
    }
  }
}

/// The bytes of names and methods (RFC 9110, section 5.6.2).
enum HTTPToken {
  static func contains(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
