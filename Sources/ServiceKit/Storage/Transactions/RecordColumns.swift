/// The columns of a table that a record holds, declared once: what is selected, inserted and read.
///
/// ```swift
/// static let columns = RecordColumns<Shelf>(
///   "shelf",
///   .text("id", \.id),
///   .optionalText("note", \.note),
///   .integer("created_at", \.created)
/// ) { row in
///   Shelf(id: row.text(), note: row.optionalText(), created: row.integer())
/// }
/// ```
///
/// The closure reads every column, in the order in which they are declared. A column that the table has and the
/// record has not, such as the account that a list belongs to, is named in `beside`: insertions are given its
/// value, and it is not selected.
public struct RecordColumns<Record>: Sendable {
  /// The names, with commas, for a SELECT.
  public let list: String
  /// `SELECT … FROM …`: what follows begins with WHERE, ORDER BY or a join.
  public let selection: String
  /// `INSERT INTO … (…) VALUES (…)`.
  @usableFromInline let insertion: String

  private let table: String
  /// The columns of the table that the record has not.
  private let others: [String]
  @usableFromInline let columns: [RecordColumn<Record>]
  /// Those that an insertion gives values for.
  @usableFromInline let written: [RecordColumn<Record>]
  @usableFromInline let read: @Sendable (inout RowReader) throws -> Record

  /// Declares the columns of a table.
  ///
  /// `alias` and `joins` are for records that hold columns of other tables as well, each declared as
  /// `RecordColumn.joined`: `as: "s", joining: "JOIN room r ON r.id = s.room_id"`.
  public init(
    _ table: String,
    as alias: String = "",
    joining joins: String = "",
    beside names: [String] = [],
    _ columns: RecordColumn<Record>...,
    read: @escaping @Sendable (inout RowReader) throws -> Record
  ) {
    (self.table, others, self.columns, self.read) = (table, names, columns, read)
    written = columns.filter { !$0.isGenerated && !$0.isJoined }
    let prefix = alias.isEmpty ? "" : "\(alias)."
    list = columns.map { $0.isJoined ? $0.name : prefix + $0.name }.joined(separator: ", ")
    let source = [table, alias, joins].filter { !$0.isEmpty }.joined(separator: " ")
    selection = "SELECT \(list) FROM \(source)"
    let inserted = (names + written.map(\.name)).joined(separator: ", ")
    let placeholders = Placeholders.list(names.count + written.count)
    insertion = "INSERT INTO \(table) (\(inserted)) VALUES (\(placeholders))"
  }

  /// The names with those of a table in front, for a SELECT on several tables: `s.id, s.name`.
  public func list(of table: String) -> String {
    columns.map { "\(table).\($0.name)" }.joined(separator: ", ")
  }

  /// The record of a row that was selected with `list`, whose columns begin at a place.
  ///
  /// Inlinable, because generic code would copy each record once more.
  @inlinable
  public func record(_ row: borrowing Row, at column: Int = 0) throws -> Record {
    var reader = RowReader(row, at: column)
    let record = try read(&reader)
    let readCount = reader.next - column
    assert(readCount == columns.count, "\(readCount) of \(columns.count) columns read: \(list)")
    return record
  }

  /// The values that an insertion writes, `beside` first.
  @inlinable
  func values(_ record: Record, beside values: [SQLValue] = []) -> [SQLValue] {
    written.values(record, between: values, and: [])
  }

  /// The values of all columns, in their order.
  fileprivate func allValues(_ record: Record) -> [SQLValue] { columns.map { $0.value(record) } }

  /// An UPDATE of some of the columns: `condition` begins behind WHERE, and its values follow those of the record.
  ///
  /// It is a mistake of the program to name a column that is not declared. Made once, as the columns are.
  public func update(_ names: String..., where condition: String) -> RecordUpdate<Record> {
    let changed = names.map { name in
      guard let column = columns.first(where: { $0.name == name }) else {
        preconditionFailure("\(table) has no column \(name)")
      }
      return column
    }
    return RecordUpdate(table, changed, where: condition)
  }

  /// An INSERT that replaces the row which has the same `key` already, in all columns but `kept`, if `condition` holds
  /// for it.
  ///
  /// Made once, as the columns are.
  public func upsert(
    on key: String...,
    keeping kept: String...,
    where condition: String = ""
  ) -> RecordUpsert<Record> {
    let assignments = (others + written.map(\.name))
      .filter { !(key + kept).contains($0) }
      .map { "\($0) = excluded.\($0)" }
      .joined(separator: ", ")
    let conflict = "ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET \(assignments)"
    let filter = condition.isEmpty ? "" : " WHERE \(condition)"
    return RecordUpsert(sql: "\(insertion) \(conflict)\(filter)", columns: self)
  }
}

/// An insertion that replaces the row with the same key; see `RecordColumns.upsert`.
public struct RecordUpsert<Record>: Sendable {
  @usableFromInline let sql: String
  @usableFromInline let columns: RecordColumns<Record>
}

/// A change of some columns of a row to what a record has in them; see `RecordColumns.update`.
public struct RecordUpdate<Record>: Sendable {
  @usableFromInline let sql: String
  @usableFromInline let columns: [RecordColumn<Record>]

  fileprivate init(_ table: String, _ columns: [RecordColumn<Record>], where condition: String) {
    self.columns = columns
    let assignments = columns.enumerated()
      .map { "\($1.name) = \(Placeholders.one($0))" }
      .joined(separator: ", ")
    sql = "UPDATE \(table) SET \(assignments) WHERE \(condition)"
  }
}

extension Array {
  /// The values of a record.
  ///
  /// Inlinable like `record`: a session is inserted with a third of the instructions.
  @inlinable
  func values<Record>(
    _ record: Record,
    between before: [SQLValue],
    and after: [SQLValue]
  ) -> [SQLValue] where Element == RecordColumn<Record> {
    var values = before
    values.reserveCapacity(before.count + count + after.count)
    for column in self { values.append(column.value(record)) }
    values.append(contentsOf: after)
    return values
  }
}

/// How statements say where values go: the one place that would differ in another engine.
public enum Placeholders {
  /// That of the value at a place, which counts from 0.
  static func one(_ place: Int) -> String { "?" }

  /// Those of the first `count` values, with commas.
  public static func list(_ count: Int) -> String {
    (0..<count).map { one($0) }.joined(separator: ", ")
  }
}

// MARK: - Transactions

extension StoreTransaction where Self: ~Copyable {
  /// The records of the rows for which `condition` holds: it follows `RecordColumns.selection` and begins with WHERE,
  /// ORDER BY or a join, or is empty for all.
  @inlinable
  public func query<Record>(
    _ columns: RecordColumns<Record>,
    _ condition: String,
    _ values: SQLValue...
  ) throws -> [Record] {
    try query(columns, condition, values: values)
  }

  /// The same for values that a condition gathers.
  @inlinable
  public func query<Record>(
    _ columns: RecordColumns<Record>,
    _ condition: String,
    values: [SQLValue]
  ) throws -> [Record] {
    try query("\(columns.selection) \(condition)", values: values, limit: .max) {
      try columns.record($0)
    }
  }

  /// The record of the first row for which `condition` holds, or nil without one; see `query`.
  @inlinable
  public func first<Record>(
    _ columns: RecordColumns<Record>,
    _ condition: String,
    _ values: SQLValue...
  ) throws -> Record? {
    try query("\(columns.selection) \(condition)", values: values, limit: 1) {
      try columns.record($0)
    }.first
  }

  /// The record as it would be read back, for tests: one that differs has columns in two orders.
  package func readBack<Record>(
    _ record: Record,
    _ columns: RecordColumns<Record>
  ) throws -> Record? {
    let values = columns.allValues(record)
    return try query("SELECT \(Placeholders.list(values.count))", values: values, limit: 1) {
      try columns.record($0)
    }.first
  }
}

extension WriteTransaction {
  /// Inserts a record, `beside` the values of the columns that it does not hold.
  ///
  /// `clause` follows the values: `ON CONFLICT (id) DO NOTHING`.
  @inlinable
  public func insert<Record>(
    _ record: Record,
    _ columns: RecordColumns<Record>,
    beside values: SQLValue...,
    clause: String = ""
  ) throws(StoreError) {
    let sql = clause.isEmpty ? columns.insertion : "\(columns.insertion) \(clause)"
    try execute(sql, values: columns.values(record, beside: values))
  }

  /// As `insert`; whether the row is new, where `clause` leaves one that is there as it is.
  @inlinable
  public func insertIfNew<Record>(
    _ record: Record,
    _ columns: RecordColumns<Record>,
    beside values: SQLValue...,
    clause: String
  ) throws(StoreError) -> Bool {
    let sql = "\(columns.insertion) \(clause)"
    return try rowsChanged(by: sql, values: columns.values(record, beside: values)) > 0
  }

  /// Inserts a record or replaces the row with its key, as `insert` does.
  @inlinable
  public func save<Record>(
    _ record: Record,
    _ upsert: RecordUpsert<Record>,
    beside values: SQLValue...
  ) throws(StoreError) {
    try execute(upsert.sql, values: upsert.columns.values(record, beside: values))
  }

  /// As `update`; the number of rows that it changed.
  @inlinable
  public func rowsChanged<Record>(
    by update: RecordUpdate<Record>,
    to record: Record,
    _ values: SQLValue...
  ) throws(StoreError) -> Int {
    try rowsChanged(
      by: update.sql,
      values: update.columns.values(record, between: [], and: values)
    )
  }

  /// Changes the columns of an update to what a record has in them.
  ///
  /// `values` are those of the update's condition.
  @inlinable
  public func update<Record>(
    _ record: Record,
    _ update: RecordUpdate<Record>,
    _ values: SQLValue...
  ) throws(StoreError) {
    try execute(update.sql, values: update.columns.values(record, between: [], and: values))
  }
}
