extension MentionEraser {
  /// Where to go on: a table, and the primary key of the last row of it that was looked at.
  public struct Cursor: Hashable, Sendable {
    var table: String
    /// Empty before the first row.
    var key: [SQLValue]

    /// Before the first table.
    public static let start = Cursor(table: "", key: [])

    init(table: String, key: [SQLValue]) { (self.table, self.key) = (table, key) }

    /// Reads `text` back; nil when it is none.
    ///
    /// One with a number is of an older version, which went by the number of the row: it begins again.
    public init?(text: String) {
      let parts = text.split(separator: " ", omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      if Int64(parts[1]) != nil {
        self = .start
        return
      }
      var key: [SQLValue] = []
      for part in parts[1].split(separator: ",") {
        guard let value = Self.value(part) else { return nil }
        key.append(value)
      }
      self.init(table: String(parts[0]), key: key)
    }

    /// The cursor as text: no table has a blank in its name.
    public var text: String { "\(table) \(key.map(Self.text).joined(separator: ","))" }

    private static func text(_ value: SQLValue) -> String {
      switch value {
      case .integer(let number): "n\(number)"
      case .text(let text): "s\(Base64URL.encode(Array(text.utf8)))"
      case .blob(let bytes): "x\(Base64URL.encode(bytes))"
      case .null, .real: preconditionFailure("a key that no table has")
      }
    }

    private static func value(_ part: Substring) -> SQLValue? {
      let rest = part.dropFirst()
      return switch part.first {
      case "n": Int64(rest).map { .integer($0) }
      case "s": Base64URL.decode(String(rest)).map { .text(String(decoding: $0, as: UTF8.self)) }
      case "x": Base64URL.decode(String(rest)).map { .blob($0) }
      default: nil
      }
    }
  }
}
