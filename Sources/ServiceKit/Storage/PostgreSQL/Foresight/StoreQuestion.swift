/// A question as a transaction asks it: equal ones have equal answers, as long as nothing changes.
struct StoreQuestion: Hashable {
  let statement: StoreStatement
  let values: [SQLValue]

  /// Of no more than `limit` rows.
  init(_ sql: String, _ values: [SQLValue], limit: Int) {
    statement = StoreStatement(sql, wantsOne: limit == 1)
    self.values = values
  }

  /// Whether a statement changes nothing.
  static func isReading(_ sql: String) -> Bool { sql.hasPrefix("SELECT") }
}

/// The text of a statement, and how much of its answer is wanted.
struct StoreStatement: Hashable {
  let sql: String
  /// Whether only the first row is looked at.
  let wantsOne: Bool

  init(_ sql: String, wantsOne: Bool = false) { (self.sql, self.wantsOne) = (sql, wantsOne) }

  /// By a few words of the text, as those who ask are many and texts are few.
  func hash(into hasher: inout Hasher) { StatementText(sql).hash(into: &hasher) }

  /// The text for a server, which sends all that it is asked for.
  var bounded: String {
    wantsOne && StoreQuestion.isReading(sql) && !sql.contains("LIMIT") ? "\(sql) LIMIT 1" : sql
  }
}
