/// Field lines one after another, within the limits: of a head, or of trailers (RFC 9112 section 5).
struct HTTP1FieldSection {
  private let limits: HTTPLimits
  private(set) var count = 0
  private var byteCount = 0

  init(_ limits: HTTPLimits) {
    self.limits = limits
  }

  static let tooLarge = HTTP1Rejection(431, "the request has too many or too large fields")

  /// Counts a line that `recent` has at its place, which was found valid before; false for any other.
  mutating func repeats(
    _ line: Span<UInt8>,
    _ recent: borrowing RecentFields
  ) throws(HTTP1Rejection) -> Bool {
    let place = count
    guard recent.has(at: place, line: line) else { return false }
    try note(byteCount: recent.byteCount(at: place))
    return true
  }

  /// Reads a line `name: value`.
  mutating func next(
    _ line: Span<UInt8>,
    _ recent: inout RecentFields
  ) throws(HTTP1Rejection) -> HTTPFields.Field {
    let place = count
    if try repeats(line, recent) { return recent.fields[place] }
    var colon = 0
    while colon < line.count, HTTP1Syntax.isToken(line[colon]) { colon += 1 }
    // Also what continues the line before (obs-fold, RFC 9112 section 5.2), as a blank begins no name.
    guard colon > 0, colon < line.count, line[colon] == UInt8(ascii: ":") else {
      throw .badRequest("a field line is not a name, a colon and a value")
    }
    let rest = line.extracting((colon + 1)..<line.count)
    guard HTTP1Syntax.isFieldValue(rest) else {
      throw .badRequest("a field value has a control character")
    }
    let value = rest.extracting(HTTP1Syntax.trimmed(rest))
    try note(byteCount: colon + value.count)
    guard let text = try? UTF8Span(validating: value) else {
      // Opaque to RFC 9110; but what cannot be handed on unchanged is not handed on.
      throw .badRequest("a field value is not UTF-8")
    }
    let raw = line.extracting(0..<colon)
    let name =
      recent.name(at: place, raw) ?? HTTPFieldNames.known(raw) ?? HTTP1Syntax.lowercased(raw)
    // Gateways that make variables of fields take one for the other.
    switch (name.utf8.count, name) {
    case (14, "content_length"), (17, "transfer_encoding"):
      throw .badRequest("a field is spelt like one that frames the content")
    default: break
    }
    let field = HTTPFields.Field(name: name, value: String(copying: text))
    recent.note(field, at: place, line: line)
    return field
  }

  /// Counts a field by the bytes of its name and value.
  private mutating func note(byteCount added: Int) throws(HTTP1Rejection) {
    count += 1
    byteCount += added + 32
    guard count <= limits.fieldCountMax, byteCount <= limits.fieldByteCountMax else {
      throw Self.tooLarge
    }
  }
}
