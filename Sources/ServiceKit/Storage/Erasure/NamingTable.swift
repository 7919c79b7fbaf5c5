/// A table, as far as it can name a user, and the statements about its rows.
///
/// Rows are found by the primary key, so that this is the same on every engine.
struct NamingTable: Sendable {
  let name: String
  /// The primary key, in its order.
  let key: [StoreColumn]
  /// All columns whose values can be read.
  let columns: [StoreColumn]

  /// Those that can name a user: texts and bytes.
  private var naming: [StoreColumn] { columns.filter { $0.kind == .text || $0.kind == .blob } }

  /// The tables of the store that can, by name.
  static func all(_ tx: borrowing some Queryable) throws -> [NamingTable] {
    try Dictionary(grouping: tx.storeColumns(), by: \.table)
      .map { name, columns in
        let key = columns.filter { $0.keyPlace > 0 }.sorted { $0.keyPlace < $1.keyPlace }
        let readable = columns.filter { $0.kind != .other }
        // The table with the identity of the store has none: one row, told by all that it has.
        return NamingTable(name: name, key: key.isEmpty ? readable : key, columns: readable)
      }
      .filter { !$0.naming.isEmpty }
      .sorted { $0.name < $1.name }
  }

  private var keyList: String { Self.list(key) }

  private static func list(_ columns: [StoreColumn]) -> String {
    columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
  }

  private static func equality(_ columns: [StoreColumn]) -> String {
    columns.map { "\"\($0.name)\" = ?" }.joined(separator: " AND ")
  }

  private static func value(
    _ place: Int,
    _ column: StoreColumn,
    of row: borrowing Row
  ) -> SQLValue {
    guard !row.isNull(place) else { return .null }
    return switch column.kind {
    case .integer: .integer(row.integer(place))
    case .text: .text(row.text(place))
    case .blob, .other: .blob(row.blob(place))
    }
  }

  private static func values(_ columns: [StoreColumn], of row: borrowing Row) -> [SQLValue] {
    var values: [SQLValue] = []
    for (place, column) in columns.enumerated() { values.append(value(place, column, of: row)) }
    return values
  }

  /// The key of the row that is `count` rows behind the one with a key, or the first ones; nil without.
  func key(
    after start: [SQLValue],
    skipping count: Int,
    in tx: borrowing some Queryable
  ) throws -> [SQLValue]? {
    let condition = start.isEmpty ? "" : "WHERE (\(keyList)) > (\(Placeholders.list(key.count)))"
    return try tx.query(
      """
      SELECT \(keyList) FROM "\(name)" \(condition) ORDER BY \(keyList) LIMIT 1 OFFSET ?
      """,
      values: start + [.integer(count - 1)]
    ) { Self.values(key, of: $0) }.first
  }

  /// The keys of rows that name `user`, after one row and up to another; nil is to the end.
  func keys(
    naming user: String,
    after start: [SQLValue],
    through last: [SQLValue]?,
    in tx: borrowing some Queryable
  ) throws -> [[SQLValue]] {
    let marks = Placeholders.list(key.count)
    var conditions: [String] = []
    if !start.isEmpty { conditions.append("(\(keyList)) > (\(marks))") }
    if last != nil { conditions.append("(\(keyList)) <= (\(marks))") }
    let mentions = naming.map { "instr(\"\($0.name)\", ?) > 0" }.joined(separator: " OR ")
    conditions.append("(\(mentions))")
    let names = naming.map { column -> SQLValue in
      column.kind == .blob ? .blob(Array(user.utf8)) : .text(user)
    }
    return try tx.query(
      "SELECT \(keyList) FROM \"\(name)\" WHERE \(conditions.joined(separator: " AND "))",
      values: start + (last ?? []) + names
    ) { Self.values(key, of: $0) }
  }

  /// Puts one text in the place of another in the row with a key, if it is still there.
  ///
  /// A row that is as this one becomes gives way: both are of the same user.
  func replace(
    _ user: String,
    by pseudonym: String,
    at place: [SQLValue],
    unique keys: [[String]],
    in tx: borrowing WriteTransaction
  ) throws {
    let found = try tx.query(
      "SELECT \(Self.list(columns)) FROM \"\(name)\" WHERE \(Self.equality(key))",
      values: place
    ) { Self.values(columns, of: $0) }.first
    guard let old = found else { return }
    let new = old.map { $0.replacing(Array(user.utf8), by: Array(pseudonym.utf8)) }
    let changed = columns.indices.filter { old[$0] != new[$0] }
    guard !changed.isEmpty else { return }
    for names in keys {
      let places = columns.indices.filter { names.contains(columns[$0].name) }
      guard places.count == names.count, !changed.allSatisfy({ !places.contains($0) }),
        !places.contains(where: { new[$0] == .null })
      else { continue }
      try tx.execute(
        """
        DELETE FROM "\(name)" WHERE \(Self.equality(places.map { columns[$0] }))
          AND NOT (\(Self.equality(key)))
        """,
        values: places.map { new[$0] } + place
      )
    }
    let assignments = changed.map { "\"\(columns[$0].name)\" = ?" }.joined(separator: ", ")
    try tx.execute(
      "UPDATE \"\(name)\" SET \(assignments) WHERE \(Self.equality(key))",
      values: changed.map { new[$0] } + place
    )
  }
}

extension SQLValue {
  /// Replaces bytes in a text or in bytes; other values stay as they are.
  fileprivate func replacing(_ old: [UInt8], by new: [UInt8]) -> SQLValue {
    switch self {
    case .null, .integer, .real: self
    case .text(let text):
      .text(String(decoding: Array(text.utf8).replacing(old, with: new), as: UTF8.self))
    case .blob(let bytes): .blob(bytes.replacing(old, with: new))
    }
  }
}
