internal import TextEncodings

/// The state that tracing systems pass beside `traceparent`: the W3C header `tracestate`.
///
/// Follows "Trace Context" (Recommendation of 23 November 2021, keys as in Level 2), sections 3.3 and 4.3. It is
/// passed on as it came: nothing here adds an entry. A list that is not valid is dropped, and leaves `traceparent`
/// as it is.
public struct TraceState: Sendable, Hashable {
  /// The key in call metadata.
  public static let metadataKey = "tracestate"
  /// Entries that a list may have.
  static let memberCountMax = 32
  /// Bytes that are passed on, at most: what everybody must be able to pass on.
  static let byteCountMax = 512
  /// Entries longer than this are cut first (section 3.3.1.5).
  static let longMemberByteCount = 128

  /// The list in one line, with at least one entry.
  public let text: String

  /// Reads the values of the header in the order they came; nil without an entry, or when one is not valid.
  ///
  /// What is longer than 512 bytes is cut by whole entries: those of more than 128 bytes first, then from the end.
  public init?(_ values: [String]) {
    var members: [Substring] = []
    for value in values {
      for part in value.split(separator: ",") {
        let member = Self.trimmed(part)
        guard !member.isEmpty else { continue }
        guard members.count < Self.memberCountMax, Self.isMember(member) else { return nil }
        members.append(member)
      }
    }
    Self.cut(&members)
    guard !members.isEmpty else { return nil }
    text = members.joined(separator: ",")
  }

  private static func cut(_ members: inout [Substring]) {
    // Each with its comma.
    var byteCount = members.reduce(-1) { $0 + $1.utf8.count + 1 }
    while byteCount > byteCountMax {
      let place =
        members.lastIndex { $0.utf8.count > longMemberByteCount } ?? members.count - 1
      byteCount -= members.remove(at: place).utf8.count + 1
    }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let rest = text.drop { $0 == " " || $0 == "\t" }
    let end = rest.lastIndex { $0 != " " && $0 != "\t" }
    return end.map { rest[...$0] } ?? ""
  }

  private static func isMember(_ text: Substring) -> Bool {
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return false }
    return isKey(text.utf8[..<equals]) && isValue(text.utf8[text.utf8.index(after: equals)...])
  }

  private static func isKey(_ key: Substring.UTF8View) -> Bool {
    guard (1...256).contains(key.count), let first = key.first, isLetterOrDigit(first) else {
      return false
    }
    return key.allSatisfy { isLetterOrDigit($0) || keySigns.contains($0) }
  }

  private static let keySigns = [UInt8]("_-*/@".utf8)

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    byte.isASCIILowercase || byte.isASCIIDigit
  }

  /// Printable characters but comma and equals sign; spaces not at the end, which were trimmed.
  private static func isValue(_ value: Substring.UTF8View) -> Bool {
    (1...256).contains(value.count)
      && value.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
  }
}
