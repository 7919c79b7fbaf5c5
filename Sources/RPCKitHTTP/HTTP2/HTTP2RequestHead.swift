extension HTTPRequestHead {
  /// Why a request of HTTP/2 that is well-formed by itself is not for this server.
  enum HTTP2Refusal: Int, Error {
    /// The target, the scheme or the authority cannot be right.
    case badRequest = 400
    /// CONNECT and TRACE, which no resource has.
    case methodNotAllowed = 405
    /// A method that no resource has; methods are distinguished by case (RFC 9110 section 9.1).
    case notImplemented = 501
    /// An expectation other than `100-continue` (RFC 9110 section 10.1.1).
    case expectationFailed = 417
  }

  /// Makes the head of a request of its fields (RFC 9113 section 8.3).
  ///
  /// The library has refused what is malformed: unknown, repeated, missing or misplaced pseudo-header fields,
  /// upper case in names, fields of the connection, `te` other than `trailers` (sections 8.2 and 8.3). What is
  /// left are the rules that are the same for HTTP/1.1, so that no proxy and this server read one request in
  /// two ways.
  ///
  /// `recent` is the head of the last request, which was found good: its target needs no second look.
  convenience init(
    _ block: HTTP2FieldBlock,
    after recent: HTTPRequestHead?
  ) throws(HTTP2Refusal) {
    guard !block.isMalformed else { throw .badRequest }
    if let recent, recent.hasTarget(of: block), block.fields["expect"] == nil {
      self.init(
        method: recent.method,
        path: recent.path,
        authority: recent.authority,
        fields: block.fields,
        version: .http2
      )
      return
    }
    guard block.method != "CONNECT", block.method != "TRACE" else { throw .methodNotAllowed }
    guard HTTPRequestHead.methods.contains(block.method) else { throw .notImplemented }
    guard block.scheme == "http" || block.scheme == "https" else { throw .badRequest }
    let authority = try Self.authority(of: block)
    // By bytes, as comparing characters would take longer than all the rest.
    let target = block.path.utf8
    guard Self.isTarget(target.span) || (block.path == "*" && block.method == "OPTIONS")
    else { throw .badRequest }
    if let expectation = block.fields["expect"], expectation.lowercased() != "100-continue" {
      throw .expectationFailed
    }
    let mark = Self.mark(in: target.span).map { target.index(target.startIndex, offsetBy: $0) }
    self.init(
      method: block.method,
      path: mark.map { String(block.path[..<$0]) } ?? block.path,
      query: mark.map { String(block.path[target.index(after: $0)...]) },
      authority: authority,
      fields: block.fields,
      version: .http2
    )
  }

  /// Whether a block names this target, as a head of HTTP/2 without a query.
  private func hasTarget(of block: HTTP2FieldBlock) -> Bool {
    query == nil && path == block.path && method == block.method && block.hosts.isEmpty
      && authority == block.authority && (block.scheme == "http" || block.scheme == "https")
  }

  /// Whether a text is a path of visible ASCII without a fragment (RFC 9113 section 8.3.1).
  private static func isTarget(_ text: Span<UInt8>) -> Bool {
    guard text.count > 0, text[0] == UInt8(ascii: "/") else { return false }
    for index in text.indices {
      let byte = text[index]
      guard byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "#") else { return false }
    }
    return true
  }

  /// Where the query begins.
  private static func mark(in target: Span<UInt8>) -> Int? {
    for index in target.indices where target[index] == UInt8(ascii: "?") { return index }
    return nil
  }

  /// The authority, which `host` may repeat and must not contradict (RFC 9113 section 8.3.1).
  private static func authority(of block: HTTP2FieldBlock) throws(HTTP2Refusal) -> String {
    guard block.hosts.count <= 1 else { throw .badRequest }
    guard let authority = block.authority ?? block.hosts.first else { return "" }
    if let host = block.hosts.first, host != authority, host.lowercased() != authority.lowercased()
    {
      throw .badRequest
    }
    // No user information, path or list, as for `Host` (RFC 9110 section 4.2.4).
    let bytes = authority.utf8.span
    for index in bytes.indices where Self.isForbiddenInAuthority(bytes[index]) {
      throw .badRequest
    }
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
