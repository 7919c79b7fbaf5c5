/// The check of a step that is said to keep older programs.
///
/// Those write rows without its columns and know none of its rules, so it may only add: tables, indexes, and columns
/// that may be NULL or have a default. That older programs read what newer ones write is for people to judge.
enum Expansion {
  /// The first part of a step that older programs would notice, for people; nil when it is an expansion.
  static func finding(in sql: String, triggers: String? = nil) -> String? {
    guard triggers == nil, !words(of: sql).contains("trigger") else {
      return "it makes or removes a trigger"
    }
    let statements = SchemaTranslation.statements(of: sql).map(words)
    let made = Set(statements.compactMap(madeTable))
    return statements.lazy.compactMap { finding(in: $0, besides: made) }.first
  }

  /// Keywords and names of a statement, in small letters.
  private static func words(of sql: String) -> [String] {
    SQLToken.all(in: sql).compactMap { $0.name?.lowercased() }
  }

  /// The table that a statement makes.
  private static func madeTable(by words: [String]) -> String? {
    words.starts(with: ["create", "table"]) ? words.dropFirst(2).first : nil
  }

  private static func finding(in words: [String], besides made: Set<String>) -> String? {
    switch Array(words.prefix(2)) {
    case ["create", "table"]: return finding(inTable: words, besides: made)
    case ["create", "index"]: return nil
    case ["create", "unique"]: return finding(inUniqueIndex: words, besides: made)
    case ["alter", "table"]: return finding(inAlteration: words)
    default:
      let start = words.prefix(3).joined(separator: " ").uppercased()
      return "\(start) … adds neither a table, nor an index, nor a column"
    }
  }

  /// Rows of older programs could no longer be deleted while rows of the new table refer to them.
  private static func finding(inTable words: [String], besides made: Set<String>) -> String? {
    for (word, next) in zip(words, words.dropFirst()) where word == "references" {
      if !made.contains(next) { return "a new table refers to \(next), which was there" }
    }
    return nil
  }

  private static func finding(
    inUniqueIndex words: [String],
    besides made: Set<String>
  ) -> String? {
    let table = zip(words, words.dropFirst()).first { $0.0 == "on" }?.1 ?? "?"
    return made.contains(table) ? nil : "a unique index is a new rule for rows of \(table)"
  }

  /// Keywords by which a column has a rule over rows that older programs write.
  private static let rules = ["check", "generated", "primary", "references", "unique"]

  private static func finding(inAlteration words: [String]) -> String? {
    guard words.count > 5, words[3] == "add", words[4] == "column" else {
      return "a table is altered other than by ADD COLUMN"
    }
    let (column, rest) = (words[5], words.dropFirst(6))
    if let rule = rules.first(where: { rest.contains($0) }) {
      return "the column \(column) has the rule \(rule.uppercased())"
    }
    if rest.contains("not"), !rest.contains("default") {
      return "the column \(column) is NOT NULL and has no default"
    }
    return nil
  }
}
