/// Turns statements that are written for both engines into PostgreSQL's spelling.
///
/// What differs is little (docs/maintainers/plan-scale.md, "Dialect"): the places of values, bytes in digits,
/// `instr`, and the hint `INDEXED BY`. Texts in quotes stay as they are.
enum StatementTranslation {
  /// A statement with `?` or `?1` for its values.
  static func translate(_ sql: String) -> String {
    var writer = Writer(tokens: SQLToken.all(in: sql))
    return writer.write()
  }

  private struct Writer {
    let tokens: [SQLToken]
    private var place = 0
    private var valueCount = 0

    init(tokens: [SQLToken]) { self.tokens = tokens }

    mutating func write() -> String {
      var text = ""
      while place < tokens.count { text += next() }
      return text
    }

    private mutating func next() -> String {
      let token = tokens[place]
      place += 1
      switch token {
      case .value(let number):
        valueCount += 1
        return "$\(number ?? valueCount)"
      case .bytes(let digits): return "'\\x\(digits)'::bytea"
      case .word("instr"): return position()
      case .word("CAST"): return cast()
      case .word("INDEXED"):
        skip { if case .word("BY") = $0 { true } else { false } }
        skip { if case .word = $0 { true } else { false } }
        return ""
      default: return token.text
      }
    }

    /// Goes behind the next token for which `isLast` holds.
    private mutating func skip(_ isLast: (SQLToken) -> Bool) {
      while place < tokens.count {
        defer { place += 1 }
        if isLast(tokens[place]) { return }
      }
    }

    /// `instr(a, b)` as `position((b) IN (a))`, without its name.
    private mutating func position() -> String {
      skip { $0 == .other("(") }
      let text = argument()
      let part = argument()
      return "position((\(part)) IN (\(text)))"
    }

    /// The bytes of a text, which a cast to `bytea` would read as digits; other casts stay as they are.
    private mutating func cast() -> String {
      skip { $0 == .other("(") }
      let cast = argument()
      let toBytes = " AS BLOB"
      return cast.hasSuffix(toBytes)
        ? "convert_to(\(cast.dropLast(toBytes.count)), 'UTF8')" : "CAST(\(cast))"
    }

    /// The next argument of a call, with the comma or parenthesis behind it read too.
    private mutating func argument() -> String {
      var depth = 0
      var text = ""
      while place < tokens.count {
        switch tokens[place] {
        case .other("("): depth += 1
        case .other(")") where depth > 0: depth -= 1
        case .other(")") where depth == 0, .other(",") where depth == 0:
          place += 1
          return text
        default: break
        }
        text += next()
      }
      return text
    }
  }
}
