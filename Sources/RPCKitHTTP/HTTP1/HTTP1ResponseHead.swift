internal import RPCKit

/// The head of an answer as HTTP/1.1 writes it (RFC 9112 section 4).
struct HTTP1ResponseHead {
  /// The content's length, as far as the fields do not say it.
  enum Content: Hashable {
    /// Nothing: there is none, or it ends with the connection.
    case unsaid
    case length(Int)
    case chunked
  }

  let head: HTTPResponseHead
  let content: Content
  /// Whether the connection ends with the answer.
  let isLast: Bool
  /// The value of the field `date`.
  let date: String

  /// Appends the status line, the fields and the empty line.
  func append(to output: inout ByteBuffer) {
    precondition((200...599).contains(head.status), "\(head.status) is the status of no answer")
    output.append(text: Self.statusLine(head.status))
    output.append(text: "date: ")
    output.append(text: date)
    output.append(text: "\r\n")
    if let lines = head.common?.lines { output.append(lines.span) }
    for field in head.fields.fields where !Self.isOfTheWire(field.name) {
      append(field, to: &output)
    }
    switch content {
    case .unsaid: break
    case .length(let byteCount):
      output.append(text: "content-length: ")
      output.append(decimal: byteCount)
      output.append(text: "\r\n")
    case .chunked: output.append(text: "transfer-encoding: chunked\r\n")
    }
    if isLast { output.append(text: "connection: close\r\n") }
    output.append(text: "\r\n")
  }

  /// The status line with its end.
  private static func statusLine(_ status: Int) -> String {
    // Nearly all answers have this one, and putting a text together costs as much as the rest of a head.
    guard status != 200 else { return "HTTP/1.1 200 OK\r\n" }
    return "HTTP/1.1 \(status) \(HTTP1ReasonPhrase.text(status))\r\n"
  }

  /// Fields that frame the answer are sent once, by the wire.
  private static func isOfTheWire(_ name: String) -> Bool {
    // Lengths first: comparing a text with six others costs more than writing it.
    switch (name.utf8.count, name) {
    case (4, "date"), (7, "upgrade"), (10, "connection"), (10, "keep-alive"),
      (14, "content-length"), (17, "transfer-encoding"):
      true
    default: false
    }
  }

  /// A field with a name that is none is left out; a control character in a value, which could end the head,
  /// becomes a space (RFC 9110 section 5.5).
  private func append(_ field: HTTPFields.Field, to output: inout ByteBuffer) {
    guard HTTP1Syntax.isToken(field.name.utf8Span.span) else { return }
    output.append(text: field.name)
    output.append(text: ": ")
    let value = field.value.utf8Span.span
    if HTTP1Syntax.isFieldValue(value) {
      output.append(value)
    } else {
      for index in value.indices {
        output.append(HTTP1Syntax.isFieldValue(value[index]) ? value[index] : UInt8(ascii: " "))
      }
    }
    output.append(text: "\r\n")
  }
}

extension ByteBuffer {
  /// Adds the bytes of a text at the end.
  mutating func append(text: String) {
    append(text.utf8Span.span)
  }

  /// Adds the digits of a number that is not below zero, without a text in between.
  mutating func append(decimal number: Int) {
    var divisor = 1
    while number / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }
}
