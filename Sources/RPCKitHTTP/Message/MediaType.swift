/// The value of `content-type`: a type and its parameters (RFC 9110 section 8.3.1).
struct MediaType: Hashable {
  /// Type and subtype in lower case: `application/grpc`.
  let essence: String
  /// Parameters with names in lower case, and values without quotes.
  let parameters: [String: String]

  /// Reads a field value; what is no media type has an essence that nobody knows.
  init(_ text: String) {
    guard !Self.isPlain(text.utf8.span) else {
      essence = text
      parameters = [:]
      return
    }
    var parts = text.split(separator: ";", omittingEmptySubsequences: false)
    essence = Self.trimmed(parts.removeFirst()).lowercased()
    var parameters: [String: String] = [:]
    for part in parts {
      guard let equals = part.firstIndex(of: "=") else { continue }
      let name = Self.trimmed(part[..<equals]).lowercased()
      var value = Self.trimmed(part[part.index(after: equals)...])
      if value.count >= 2, value.first == "\"", value.last == "\"" {
        value = value.dropFirst().dropLast()
      }
      parameters[name] = String(value)
    }
    self.parameters = parameters
  }

  /// Whether a text is all essence as it stands, as most are: `application/grpc+proto`.
  private static func isPlain(_ text: Span<UInt8>) -> Bool {
    for index in text.indices {
      switch text[index] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "/"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
        continue
      default: return false
      }
    }
    return true
  }

  /// Whether text of this type is UTF-8, said or not.
  var isUTF8: Bool { parameters["charset"].map { $0.lowercased() == "utf-8" } ?? true }

  /// Whether a list names it only to say that it is not wanted: `gzip;q=0` (RFC 9110 section 12.4.2).
  var isRefused: Bool { parameters["q"].map { Double($0) == 0 } ?? false }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}

extension HTTPFields {
  /// The media type of the content; nil unless there is one field that says it.
  var contentType: MediaType? {
    only("content-type").map { MediaType($0) }
  }
}
