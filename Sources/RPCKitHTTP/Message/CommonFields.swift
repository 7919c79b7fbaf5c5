/// Header fields that many answers have in common, put into the shapes of the wires once.
///
/// What an answer writes of its own is checked and put together each time, which took as long as reading a whole
/// request. A route or a kind of call makes these when the server starts, and names them in its answers.
package final class CommonFields: Sendable {
  /// The fields in order.
  let fields: HTTPFields
  /// As HTTP/1.1 writes them: each with its end of line (RFC 9112 section 5).
  let lines: [UInt8]
  /// As the compression of HTTP/2 reads them.
  let text: KeptText
  /// Whether what every answer tells browsers is among them.
  let isForBrowsers: Bool

  /// Makes fields of a program's own, which have to be fields of HTTP.
  init(_ own: HTTPFields, isForBrowsers: Bool = false) {
    var fields = own
    if isForBrowsers { fields.appendForBrowsers() }
    var lines: [UInt8] = []
    for field in fields.fields {
      precondition(
        HTTP1Syntax.isToken(field.name.utf8Span.span)
          && HTTP1Syntax.isFieldValue(field.value.utf8Span.span),
        "\(field.name) is no field of HTTP"
      )
      lines += "\(field.name): \(field.value)\r\n".utf8
    }
    (self.fields, self.lines) = (fields, lines)
    text = KeptText(fields)
    self.isForBrowsers = isForBrowsers
  }
}

extension CommonFields: Hashable {
  package static func == (a: CommonFields, b: CommonFields) -> Bool { a.fields == b.fields }

  package func hash(into hasher: inout Hasher) { hasher.combine(fields) }
}
