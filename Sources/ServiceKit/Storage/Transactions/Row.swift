/// One row of an answer, readable while the closure that received it runs.
///
/// Columns count from 0. A column of another type than asked for, or NULL where no optional was
/// asked for, gives an empty value and makes the query throw `StoreError.statement`.
public struct Row: ~Copyable {
  let statement: SQLiteStatement

  init(_ statement: SQLiteStatement) { self.statement = statement }

  /// Text.
  public func text(_ column: Int) -> String { statement.text(column) }

  /// A whole number.
  public func integer(_ column: Int) -> Int64 { statement.integer(column) }

  /// A floating-point number.
  public func real(_ column: Int) -> Double { statement.real(column) }

  /// Bytes.
  public func blob(_ column: Int) -> [UInt8] { statement.blob(column) }

  /// Whether a whole number is not 0.
  public func boolean(_ column: Int) -> Bool { statement.integer(column) != 0 }

  /// Whether the column is NULL.
  public func isNull(_ column: Int) -> Bool { statement.isNull(column) }

  /// Text, or nil for NULL.
  public func optionalText(_ column: Int) -> String? {
    statement.isNull(column) ? nil : statement.text(column)
  }

  /// A whole number, or nil for NULL.
  public func optionalInteger(_ column: Int) -> Int64? {
    statement.isNull(column) ? nil : statement.integer(column)
  }

  /// Bytes, or nil for NULL.
  public func optionalBlob(_ column: Int) -> [UInt8]? {
    statement.isNull(column) ? nil : statement.blob(column)
  }
}
