extension HTTPRequestHead {
  /// Why a request of HTTP/2 that is well-formed by itself is not for this server.
  enum HTTP2Refusal: Int, Error {
    /// The target, the scheme or the authority cannot be right.
    case badRequest = 400
    /// CONNECT: this is no proxy.
    case methodNotAllowed = 405
    /// An expectation other than `100-continue` (RFC 9110 section 10.1.1).
    case expectationFailed = 417
  }

  /// Makes the head of a request of its fields (RFC 9113 section 8.3).
  ///
  /// The library has refused what is malformed: unknown, repeated, missing or misplaced pseudo-header fields,
  /// upper case in names, fields of the connection, `te` other than `trailers` (sections 8.2 and 8.3). What is
  /// left are the rules that are the same for HTTP/1.1, so that no proxy and this server read one request in
  /// two ways.
  init(_ block: HTTP2FieldBlock) throws(HTTP2Refusal) {
    guard block.method != "CONNECT" else { throw .methodNotAllowed }
    guard block.scheme == "http" || block.scheme == "https" else { throw .badRequest }
    let authority = try Self.authority(of: block)
    let path = block.path.utf8
    guard path.first == UInt8(ascii: "/") || (block.path == "*" && block.method == "OPTIONS"),
      path.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
    else { throw .badRequest }
    if let expectation = block.fields["expect"], expectation.lowercased() != "100-continue" {
      throw .expectationFailed
    }
    let mark = block.path.firstIndex(of: "?")
    self.init(
      method: block.method,
      path: mark.map { String(block.path[..<$0]) } ?? block.path,
      query: mark.map { String(block.path[block.path.index(after: $0)...]) },
      authority: authority,
      fields: block.fields,
      version: .http2
    )
  }

  /// The authority, which `host` may repeat and must not contradict (RFC 9113 section 8.3.1).
  private static func authority(of block: HTTP2FieldBlock) throws(HTTP2Refusal) -> String {
    guard block.hosts.count <= 1 else { throw .badRequest }
    guard let authority = block.authority ?? block.hosts.first else { return "" }
    if let host = block.hosts.first, host.lowercased() != authority.lowercased() {
      throw .badRequest
    }
    // No user information, path or list, as for `Host` (RFC 9110 section 4.2.4).
    guard authority.utf8.allSatisfy({ !Self.isForbiddenInAuthority($0) }) else { throw .badRequest }
    return authority
  }

  private static func isForbiddenInAuthority(_ byte: UInt8) -> Bool {
    switch byte {
    case ...0x20, 0x7F...: true
    case UInt8(ascii: "@"), UInt8(ascii: "/"), UInt8(ascii: ","), UInt8(ascii: "?"),
      UInt8(ascii: "#"):
      true
    default: false
    }
  }
}
