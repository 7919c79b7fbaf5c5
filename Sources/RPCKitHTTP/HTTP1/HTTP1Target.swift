internal import TextEncodings

/// The target of a request line (RFC 9112 section 3.2).
struct HTTP1Target: Hashable {
  /// Up to the question mark, as it came; `*` for the server as a whole.
  let path: String
  let query: String?
  /// Host and port of an absolute target, which replace those of the field `host`.
  let authority: String?

  /// Reads the origin form, the absolute form, and `*` of `OPTIONS`.
  init(_ target: Span<UInt8>, method: String) throws(HTTP1Rejection) {
    guard target.count > 0 else { throw .badRequest("the target is empty") }
    for index in target.indices {
      guard (0x21...0x7E).contains(target[index]), target[index] != UInt8(ascii: "#") else {
        throw .badRequest("the target has a byte that must be percent-encoded")
      }
    }
    if target.count == 1, target[0] == UInt8(ascii: "*") {
      guard method == "OPTIONS" else { throw .badRequest("only OPTIONS may ask for *") }
      (path, query, authority) = ("*", nil, nil)
      return
    }
    var start = 0
    if target[0] == UInt8(ascii: "/") {
      authority = nil
    } else {
      guard let schemeEnd = Self.schemeEnd(target) else {
        throw .badRequest("the target is neither a path nor an http or https URL")
      }
      start = schemeEnd
      while start < target.count, target[start] != UInt8(ascii: "/"),
        target[start] != UInt8(ascii: "?")
      { start += 1 }
      authority = try HTTP1Authority.text(target.extracting(schemeEnd..<start))
    }
    (path, query) = try Self.pathAndQuery(target.extracting(start..<target.count))
  }

  private static func pathAndQuery(
    _ target: Span<UInt8>
  ) throws(HTTP1Rejection) -> (path: String, query: String?) {
    var end = 0
    while end < target.count, target[end] != UInt8(ascii: "?") {
      guard isPath(target[end]) else {
        throw .badRequest("the path has a byte that must be percent-encoded")
      }
      end += 1
    }
    let path = end == 0 ? "/" : HTTP1Syntax.text(target.extracting(0..<end))
    guard end < target.count else { return (path, nil) }
    return (path, HTTP1Syntax.text(target.extracting((end + 1)..<target.count)))
  }

  /// A backslash, which some take for a slash, and the other bytes that paths may not have (RFC 3986 section 3.3).
  ///
  /// Queries may have them: browsers send some as they are.
  private static func isPath(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"),
      UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "{"),
      UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"):
      false
    default: true
    }
  }

  /// Where the authority of an absolute target begins.
  private static func schemeEnd(_ target: Span<UInt8>) -> Int? {
    for scheme in ["http://", "https://"] {
      let scheme = Array(scheme.utf8)
      guard target.count >= scheme.count else { continue }
      var isEqual = true
      for index in scheme.indices where target[index] | 0x20 != scheme[index] | 0x20 {
        isEqual = false
      }
      if isEqual { return scheme.count }
    }
    return nil
  }
}

/// Host and port, as the field `host` and absolute targets have them (RFC 9110 section 7.2).
enum HTTP1Authority {
  /// The text of an authority that is a name or an address, with a port or without.
  ///
  /// Of what RFC 3986 allows in names only letters, digits, `-`, `.`, `_` and `~` are taken: escapes, commas and
  /// the like are in no host that exists, and others read them in different ways.
  static func text(_ authority: Span<UInt8>) throws(HTTP1Rejection) -> String {
    try check(authority)
    return HTTP1Syntax.text(authority)
  }

  /// Throws for bytes that are none.
  static func check(_ authority: Span<UInt8>) throws(HTTP1Rejection) {
    let refused = HTTP1Rejection.badRequest(
      "the host is not a name or an address, with or without a port"
    )
    guard authority.count > 0, let hostEnd = hostEnd(authority), hostEnd > 0 else { throw refused }
    if hostEnd < authority.count {
      let port = authority.extracting((hostEnd + 1)..<authority.count)
      guard authority[hostEnd] == UInt8(ascii: ":"), port.count <= 5 else { throw refused }
      var number = 0
      for index in port.indices {
        guard port[index].isASCIIDigit else { throw refused }
        number = number * 10 + Int(port[index] - UInt8(ascii: "0"))
      }
      guard number <= 65_535 else { throw refused }
    }
  }

  /// Where the host ends and the colon of the port begins, if there is one.
  private static func hostEnd(_ authority: Span<UInt8>) -> Int? {
    guard authority[0] == UInt8(ascii: "[") else {
      return authority.indices.first { !isName(authority[$0]) } ?? authority.count
    }
    for index in 1..<authority.count {
      if authority[index] == UInt8(ascii: "]") { return index > 1 ? index + 1 : nil }
      guard isAddress(authority[index]) else { return nil }
    }
    return nil
  }

  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
    default: byte.isASCIIAlphanumeric
    }
  }

  /// The characters of IPv6 addresses.
  private static func isAddress(_ byte: UInt8) -> Bool {
    byte.hexadecimalValue != nil || byte == UInt8(ascii: ":")
      || byte == UInt8(ascii: ".")
  }
}
