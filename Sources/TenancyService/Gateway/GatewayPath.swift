internal import RPCKit

/// The path of a request that a gateway asks about, in segments.
///
/// What is decided here counts only if the server behind the gateway understands the path in the same way.
/// So a path that two programs could understand differently is refused instead of being resolved.
struct GatewayPath: Hashable, Sendable {
  /// The segments, decoded once.
  ///
  /// The last one is empty if the path ends with a slash.
  let segments: [String]

  /// Splits and decodes the path of a target, such as `/devices/dev_1?full=true`; what follows a question mark
  /// is ignored.
  ///
  /// PATH_REFUSED for empty segments and `.` and `..`, with a parameter behind a semicolon or not; for slashes,
  /// backslashes, percent signs and control characters in escapes; and for what RFC 3986 does not allow in a
  /// path.
  init(_ target: String) throws(RPCError) {
    let path = target.prefix { $0 != "?" }
    guard path.utf8.first == UInt8(ascii: "/") else {
      throw GatewayError.pathRefused("does not begin with a slash")
    }
    var segments: [String] = []
    let raw = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for (index, segment) in raw.enumerated() {
      let text = try Self.decode(segment)
      guard !text.isEmpty || index == raw.count - 1 else {
        throw GatewayError.pathRefused("has an empty segment")
      }
      // Some servers cut what is behind a semicolon off before they resolve dots.
      let name = text.prefix { $0 != ";" }
      guard name != ".", name != ".." else {
        throw GatewayError.pathRefused("has a segment of dots")
      }
      segments.append(text)
    }
    self.segments = segments
  }

  private static func decode(_ segment: Substring) throws(RPCError) -> String {
    var bytes: [UInt8] = []
    var rest = segment.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        guard isAllowed(byte) else {
          throw GatewayError.pathRefused("has a character that must be escaped")
        }
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2).compactMap(digit)
      guard digits.count == 2 else {
        throw GatewayError.pathRefused("has a percent sign without two digits")
      }
      rest = rest.dropFirst(2)
      let value = digits[0] << 4 | digits[1]
      guard isClear(value) else {
        throw GatewayError.pathRefused(
          "has an escaped slash, backslash, percent sign or control character"
        )
      }
      bytes.append(value)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw GatewayError.pathRefused("is not UTF-8")
    }
    return text
  }

  /// Whether a byte may stand in a path without an escape (RFC 3986 section 3.3).
  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~!$&'()*+,;=:@".utf8.contains(byte)
    }
  }

  /// Whether an escaped byte means the same to anyone who decodes the path, once or twice.
  private static func isClear(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7f && !#"/\%"#.utf8.contains(byte)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
