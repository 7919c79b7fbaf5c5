/// A column of a store's table, as the engine lists it.
public struct StoreColumn: Hashable, Sendable {
  /// The type of a column's values, as far as it matters here.
  public enum Kind: Hashable, Sendable {
    case integer, text, blob, other
  }

  /// The table.
  public let table: String
  /// The name.
  public let name: String
  /// The type of its values.
  public let kind: Kind
  /// The place in the table's primary key, which counts from 1; 0 outside of it.
  public let keyPlace: Int

  /// The kind of a type that a schema names.
  private static func kind(of type: String) -> Kind {
    switch type {
    case "INTEGER": .integer
    case "TEXT": .text
    case "BLOB": .blob
    default: .other
    }
  }

  fileprivate init(_ row: borrowing Row) {
    (table, name) = (row.text(0), row.text(1))
    (kind, keyPlace) = (Self.kind(of: row.text(2)), Int(row.integer(3)))
  }
}

extension StoreTransaction where Self: ~Copyable {
  /// The columns of all tables of the store, by table and in the order of its schema.
  public func storeColumns() throws -> [StoreColumn] {
    try query(catalog.columns) { StoreColumn($0) }
  }

  /// The columns of each UNIQUE constraint and index of a table, the primary key among them.
  ///
  /// Without those that hold for some rows only.
  public func storeUniqueKeys(of table: String) throws -> [[String]] {
    let names = try query(catalog.uniqueKeys, .text(table)) {
      (key: $0.text(0), column: $0.text(1))
    }
    var keys: [String: [String]] = [:]
    for name in names { keys[name.key, default: []].append(name.column) }
    return keys.sorted { $0.key < $1.key }.map(\.value)
  }
}
