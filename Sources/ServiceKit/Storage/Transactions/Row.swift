/// One row of an answer, readable while the closure that received it runs.
///
/// Columns count from 0. A column of another type than asked for, or NULL where no optional was
/// asked for, gives an empty value and makes the query throw `StoreError.statement`.
public struct Row: ~Copyable {
  let cursor: any StoreCursor

  init(_ cursor: any StoreCursor) { self.cursor = cursor }

  /// Text.
  public func text(_ column: Int) -> String { cursor.text(column) }

  /// A whole number.
  public func integer(_ column: Int) -> Int64 { cursor.integer(column) }

  /// A floating-point number.
  public func real(_ column: Int) -> Double { cursor.real(column) }

  /// Bytes.
  public func blob(_ column: Int) -> [UInt8] { cursor.blob(column) }

  /// Whether a whole number is not 0.
  public func boolean(_ column: Int) -> Bool { cursor.integer(column) != 0 }

  /// Whether the column is NULL.
  public func isNull(_ column: Int) -> Bool { cursor.isNull(column) }

  /// Text, or nil for NULL.
  public func optionalText(_ column: Int) -> String? {
    cursor.isNull(column) ? nil : cursor.text(column)
  }

  /// A whole number, or nil for NULL.
  public func optionalInteger(_ column: Int) -> Int64? {
    cursor.isNull(column) ? nil : cursor.integer(column)
  }

  /// Bytes, or nil for NULL.
  public func optionalBlob(_ column: Int) -> [UInt8]? {
    cursor.isNull(column) ? nil : cursor.blob(column)
  }
}
