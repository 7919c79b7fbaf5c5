/// Puts a user's pseudonym in the place of the identifier, wherever in a store it still is.
///
/// Looks at every column of text or bytes of every table, whichever a service has, so that no table can be
/// forgotten. The tables are read in slices, by a reader, and only rows that name the user are written, so
/// neither calls nor other writes wait for it. What belongs to the user alone is deleted before it.
public struct MentionEraser: Sendable {
  /// Where to go on: a table, and the last row of it that was looked at.
  public struct Cursor: Hashable, Sendable {
    fileprivate var table: String
    fileprivate var row: Int64

    /// Before the first table.
    public static let start = Cursor(table: "", row: .min)

    fileprivate init(table: String, row: Int64) { (self.table, self.row) = (table, row) }

    /// Reads `text` back; nil when it is none.
    public init?(text: String) {
      let parts = text.split(separator: " ", omittingEmptySubsequences: false)
      guard parts.count == 2, let row = Int64(parts[1]) else { return nil }
      self.init(table: String(parts[0]), row: row)
    }

    /// The cursor as text: no table has a blank in its name.
    public var text: String { "\(table) \(row)" }
  }

  /// Rows that are looked at in one transaction.
  static let sliceRowCount = 5_000
  /// Slices that one call of `advance` looks at, at most.
  static let sliceCountMax = 20
  /// Rows that one transaction writes, at most.
  private static let writtenRowCountMax = 500

  private let store: ServiceStore
  private let name: String
  private let pseudonym: String
  private let spared: Set<String>

  /// Replaces `name`, an identifier, by a pseudonym of the same length, except in tables whose contents are
  /// not the service's to change.
  public init(
    _ store: ServiceStore,
    replacing name: String,
    by pseudonym: String,
    sparing spared: Set<String> = []
  ) {
    precondition(!name.isEmpty, "nothing would be everywhere")
    (self.store, self.name, self.pseudonym, self.spared) = (store, name, pseudonym, spared)
  }

  /// Looks at the next hundred thousand rows or so; where to go on, nil when all were looked at.
  ///
  /// Throws `StoreError`. May be called again from any cursor: what was replaced is not found again.
  public func advance(from start: Cursor) async throws -> Cursor? {
    var cursor = start
    let tables = try await store.database.read { tx in try Table.all(tx) }
      .filter { !spared.contains($0.name) && !$0.columns.isEmpty }
    var sliceCount = 0
    for table in tables where table.name >= cursor.table {
      if table.name != cursor.table { cursor = Cursor(table: table.name, row: .min) }
      guard table.hasRowIDs else {
        try await replaceAll(in: table)
        continue
      }
      while let last = try await replaceSlice(of: table, after: cursor.row) {
        cursor.row = last
        sliceCount += 1
        if sliceCount >= Self.sliceCountMax { return cursor }
      }
    }
    return nil
  }

  /// Replaces the name in the next rows of a table; the last of them, nil when there are none.
  private func replaceSlice(of table: Table, after row: Int64) async throws -> Int64? {
    let name = name
    let slice = try await store.database.read { tx -> (last: Int64, rows: [Int64])? in
      let last = try tx.first(
        """
        SELECT max(rowid) FROM (
          SELECT rowid FROM "\(table.name)" WHERE rowid > ? ORDER BY rowid LIMIT ?)
        """,
        .integer(row),
        .integer(Self.sliceRowCount)
      ) { $0.optionalInteger(0) }
      guard let last = last ?? nil else { return nil }
      let names = table.columns.map { _ in SQLValue.text(name) }
      let rows = try tx.query(
        "SELECT rowid FROM \"\(table.name)\" WHERE rowid > ? AND rowid <= ? AND (\(table.condition))",
        values: [SQLValue.integer(row), .integer(last)] + names
      ) { $0.integer(0) }
      return (last, rows)
    }
    guard let slice else { return nil }
    var rest = slice.rows[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(Self.writtenRowCountMax))
      rest = rest.dropFirst(part.count)
      let marks = part.map { "\($0)" }.joined(separator: ", ")
      try await replace(in: table, where: "rowid IN (\(marks))", [])
    }
    return slice.last
  }

  /// Replaces the name in a table whose rows have no numbers.
  ///
  /// Such tables are small.
  private func replaceAll(in table: Table) async throws {
    let values = table.columns.map { _ in SQLValue.text(name) }
    let isThere = try await store.database.read { tx in
      try !tx.query(
        "SELECT 1 FROM \"\(table.name)\" WHERE \(table.condition)",
        values: values,
        limit: 1
      ) { _ in }.isEmpty
    }
    guard isThere else { return }
    try await replace(in: table, where: table.condition, values)
  }

  private func replace(
    in table: Table,
    where condition: String,
    _ values: [SQLValue]
  ) async throws {
    let (name, pseudonym) = (name, pseudonym)
    // A row that the pseudonym has already gives way: both are of the same user.
    let sql = "UPDATE OR REPLACE \"\(table.name)\" SET \(table.assignments) WHERE \(condition)"
    let pairs = table.columns.flatMap { _ in [SQLValue.text(name), .text(pseudonym)] }
    try await store.writeOwn { tx in
      _ = try tx.execute(sql, values: pairs + values)
    }
  }
}

/// A table, as far as it can name somebody.
private struct Table: Sendable {
  struct Column: Sendable {
    let name: String
    let isBlob: Bool
  }

  let name: String
  let hasRowIDs: Bool
  let columns: [Column]

  /// All tables of the store, by name.
  static func all(_ tx: borrowing ReadTransaction) throws -> [Table] {
    let tables = try tx.query(
      """
      SELECT name, wr FROM pragma_table_list
      WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name
      """
    ) { (name: $0.text(0), hasRowIDs: !$0.boolean(1)) }
    return try tables.map { table in
      let columns = try tx.query(
        "SELECT name, type = 'BLOB' FROM pragma_table_info(?) WHERE type IN ('TEXT', 'BLOB')",
        .text(table.name)
      ) { Column(name: $0.text(0), isBlob: $0.boolean(1)) }
      return Table(name: table.name, hasRowIDs: table.hasRowIDs, columns: columns)
    }
  }

  /// True for rows that have the name somewhere; takes it once for each column.
  var condition: String {
    columns.map { "instr(\"\($0.name)\", ?) > 0" }.joined(separator: " OR ")
  }

  /// Takes the name and the pseudonym for each column.
  ///
  /// `replace` compares bytes and works on text; bytes pass through it as they are
  /// (sqlite.org/lang_corefunc.html).
  var assignments: String {
    columns.map { column in
      column.isBlob
        ? "\"\(column.name)\" = CAST(replace(CAST(\"\(column.name)\" AS TEXT), ?, ?) AS BLOB)"
        : "\"\(column.name)\" = replace(\"\(column.name)\", ?, ?)"
    }.joined(separator: ", ")
  }
}
