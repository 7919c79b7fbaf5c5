/// Collects lines of Swift with their indentation.
struct SourceWriter {
  private(set) var text = ""
  private var depth = 0

  /// Adds a line.
  mutating func line(_ line: String = "") {
    if !line.isEmpty { text += String(repeating: "  ", count: depth) + line }
    text += "\n"
  }

  /// Adds a line that opens a block, the block, and the line that closes it.
  mutating func block(
    _ opening: String,
    closing: String = "}",
    _ body: (inout SourceWriter) -> Void
  ) {
    line(opening)
    depth += 1
    body(&self)
    depth -= 1
    line(closing)
  }

  /// Adds lines one level deeper.
  mutating func indented(_ body: (inout SourceWriter) -> Void) {
    depth += 1
    body(&self)
    depth -= 1
  }

  /// Adds the comment of a declaration as documentation, or `fallback` when there is none.
  mutating func documentation(_ comment: String, fallback: String) {
    // Swift ends a comment at a carriage return too, which protoc takes for a part of the line.
    var lines = comment.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map {
      var line = String($0.drop { $0 == " " })
      while line.last?.isWhitespace == true { line.removeLast() }
      return line
    }
    while lines.first?.isEmpty == true { lines.removeFirst() }
    while lines.last?.isEmpty == true { lines.removeLast() }
    if lines.isEmpty { lines = [fallback] }
    for line in lines { self.line(line.isEmpty ? "///" : "/// \(line)") }
  }

  /// A Swift string literal.
  static func literal(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      default:
        if scalar.value < 0x20 || scalar.value == 0x7f {
          result += "\\u{\(String(scalar.value, radix: 16))}"
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }
}
