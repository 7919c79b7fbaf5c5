internal import TextEncodings

/// A head while its fields arrive: what frames the content is taken out of them and checked.
///
/// Where RFC 9112 leaves a choice between repairing and refusing, this refuses: anyone who is in front of the
/// server may have chosen otherwise.
struct HTTP1RequestBuilder {
  private let line: HTTP1RequestLine
  private var section: HTTP1FieldSection
  private var fields = HTTPFields()
  private var host: String?
  private var contentLength: Int?
  private var transferCodings: [String]?
  private var isClosed = false
  private var awaitsContinue = false
  /// How many fields are the first ones of the last request, and not looked at again; nil once one was not.
  private var repeatedCount: Int?

  /// `isRepeated` tells that the request line is that of the last request.
  init(_ line: HTTP1RequestLine, isRepeated: Bool, _ limits: HTTPLimits) {
    self.line = line
    repeatedCount = isRepeated ? 0 : nil
    section = HTTP1FieldSection(limits)
  }

  /// Whether the head that has come in full is the last one.
  func isRepeated(_ recent: borrowing RecentFields) -> Bool {
    repeatedCount != nil && repeatedCount == recent.wholeCount
  }

  /// The path that is asked for.
  var path: String { line.target.path }

  /// Bytes that are kept, about.
  var byteCount: Int { fields.byteCount }

  /// Takes a field line.
  mutating func add(
    _ bytes: Span<UInt8>,
    _ recent: inout RecentFields
  ) throws(HTTP1Rejection) {
    if let repeatedCount {
      guard try !section.repeats(bytes, recent) else {
        self.repeatedCount = repeatedCount + 1
        return
      }
      try takeRepeated(recent)
    }
    try take(section.next(bytes, &recent))
  }

  /// Looks at the fields that were only compared until now.
  private mutating func takeRepeated(_ recent: borrowing RecentFields) throws(HTTP1Rejection) {
    guard let count = repeatedCount.take() else { return }
    for index in 0..<count { try take(recent.fields[index]) }
  }

  private mutating func take(_ field: HTTPFields.Field) throws(HTTP1Rejection) {
    // Lengths first: most names are none of these.
    switch (field.name.utf8.count, field.name) {
    case (4, "host"): try addHost(field.value)
    case (14, "content-length"):
      guard contentLength == nil else { throw .badRequest("content-length is there twice") }
      contentLength = try Self.length(field.value)
      fields.append(received: field)
    case (17, "transfer-encoding"):
      guard transferCodings == nil else { throw .badRequest("transfer-encoding is there twice") }
      transferCodings = HTTP1Syntax.listElements(field.value)
    case (10, "connection"):
      for option in HTTP1Syntax.listElements(field.value) where option == "close" {
        isClosed = true
      }
    case (6, "expect"):
      guard field.value.lowercased() == "100-continue" else {
        throw HTTP1Rejection(417, "the only expectation that is known is 100-continue")
      }
      awaitsContinue = true
    // About the connection, which HTTP/2 has no fields for. No upgrade is ever made (RFC 9110 section 7.8).
    case (10, "keep-alive"), (16, "proxy-connection"), (7, "upgrade"), (14, "http2-settings"): break
    default: fields.append(received: field)
    }
  }

  private mutating func addHost(_ value: String) throws(HTTP1Rejection) {
    guard host == nil else { throw .badRequest("host is there twice") }
    try HTTP1Authority.check(value.utf8.span)
    host = value
  }

  /// Only digits, without a sign and without a zero in front, up to 2⁶³.
  private static func length(_ value: String) throws(HTTP1Rejection) -> Int {
    let digits = value.utf8
    guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit),
      digits.count == 1 || digits.first != UInt8(ascii: "0"), let length = Int(value)
    else { throw .badRequest("content-length is not a number of bytes") }
    return length
  }

  /// The request, once the empty line has come.
  mutating func finish(_ recent: inout RecentFields) throws(HTTP1Rejection) -> HTTP1Request {
    try takeRepeated(recent)
    recent.finish(section.count)
    let content = try content()
    return HTTP1Request(
      head: HTTPRequestHead(
        method: line.method,
        path: line.target.path,
        query: line.target.query,
        authority: try authority(),
        fields: fields,
        version: line.version
      ),
      content: content,
      isPersistent: line.version != .http1_0 && !isClosed,
      awaitsContinue: awaitsContinue && line.version != .http1_0 && content != .none
    )
  }

  private func authority() throws(HTTP1Rejection) -> String {
    guard let host else {
      guard line.version == .http1_0 else { throw .badRequest("host is missing") }
      return line.target.authority ?? ""
    }
    guard let authority = line.target.authority else { return host }
    guard authority.lowercased() == host.lowercased() else {
      throw .badRequest("host is not that of the target")
    }
    return authority
  }

  private func content() throws(HTTP1Rejection) -> HTTP1Request.Content {
    guard let transferCodings else {
      return contentLength.map { $0 == 0 ? .none : .length($0) } ?? .none
    }
    guard line.version != .http1_0 else {
      throw .badRequest("HTTP/1.0 has no transfer-encoding")
    }
    guard contentLength == nil else {
      throw .badRequest("content-length and transfer-encoding are both there")
    }
    if transferCodings == ["chunked"] { return .chunked }
    let isDoubtful =
      transferCodings.dropLast().contains("chunked") || transferCodings.contains("identity")
      || !transferCodings.allSatisfy { HTTP1Syntax.isToken(Array($0.utf8).span) }
    guard isDoubtful else {
      // A coding that is not known is another matter than one that makes no sense (RFC 9112 section 6.1).
      throw HTTP1Rejection(501, "the only transfer coding that is known is chunked")
    }
    throw .badRequest("transfer-encoding is not chunked")
  }
}
