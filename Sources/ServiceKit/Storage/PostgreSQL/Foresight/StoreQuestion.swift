/// A question as a transaction asks it: equal ones have equal answers, as long as nothing changes.
struct StoreQuestion: Hashable {
  /// The text, as the server gets it.
  let sql: String
  let values: [SQLValue]

  /// Of no more than `limit` rows; one that wants the first row alone says so to a server, which sends all that it is
  /// asked for.
  init(_ sql: String, _ values: [SQLValue], limit: Int) {
    self.sql = limit == 1 && Self.isReading(sql) && !sql.contains("LIMIT") ? "\(sql) LIMIT 1" : sql
    self.values = values
  }

  /// Whether a statement changes nothing.
  static func isReading(_ sql: String) -> Bool { sql.hasPrefix("SELECT") }
}
