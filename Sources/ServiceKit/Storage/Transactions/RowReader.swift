/// Reads the columns of a row one after the other, in the order in which they were selected.
///
/// Each call takes the next column. A column of another type than asked for is as `Row` has it.
public struct RowReader: ~Copyable {
  private let cursor: any StoreCursor
  /// The column that is read next.
  @usableFromInline private(set) var next: Int

  /// Begins at a column of a row.
  @usableFromInline
  init(_ row: borrowing Row, at column: Int = 0) {
    (cursor, next) = (row.cursor, column)
  }

  private mutating func take() -> Int {
    defer { next += 1 }
    return next
  }

  /// Text.
  public mutating func text() -> String { cursor.text(take()) }

  /// A whole number.
  public mutating func integer() -> Int64 { cursor.integer(take()) }

  /// Whether a whole number is not 0.
  public mutating func boolean() -> Bool { cursor.integer(take()) != 0 }

  /// A floating-point number.
  public mutating func real() -> Double { cursor.real(take()) }

  /// Bytes.
  public mutating func blob() -> [UInt8] { cursor.blob(take()) }

  /// Text, or nil for NULL.
  public mutating func optionalText() -> String? {
    let column = take()
    return cursor.isNull(column) ? nil : cursor.text(column)
  }

  /// A whole number, or nil for NULL.
  public mutating func optionalInteger() -> Int64? {
    let column = take()
    return cursor.isNull(column) ? nil : cursor.integer(column)
  }

  /// A floating-point number, or nil for NULL.
  public mutating func optionalReal() -> Double? {
    let column = take()
    return cursor.isNull(column) ? nil : cursor.real(column)
  }

  /// Bytes, or nil for NULL.
  public mutating func optionalBlob() -> [UInt8]? {
    let column = take()
    return cursor.isNull(column) ? nil : cursor.blob(column)
  }

  /// The value that the next `count` columns hold together; nil when the first of them is NULL.
  public mutating func group<Value>(
    of count: Int,
    _ read: (inout RowReader) throws -> Value
  ) rethrows -> Value? {
    let end = next + count
    defer {
      assert(next == end, "a group of \(count) columns was read as another number")
    }
    guard !cursor.isNull(next) else {
      next = end
      return nil
    }
    return try read(&self)
  }

  /// The case of an enumeration that is stored as text; throws for a text of which it has none.
  @inlinable
  public mutating func text<Value: RawRepresentable<String>>(as type: Value.Type) throws -> Value {
    try known(text())
  }

  /// The case of an enumeration that is stored as a whole number; throws for one of which it has none.
  @inlinable
  public mutating func integer<Value: RawRepresentable<Int64>>(
    as type: Value.Type
  ) throws -> Value {
    try known(integer())
  }

  @inlinable
  func known<Value: RawRepresentable>(_ raw: Value.RawValue) throws -> Value {
    guard let value = Value(rawValue: raw) else {
      throw StoreError.statement("column \(next - 1) has \(raw), which is no \(Value.self)")
    }
    return value
  }
}
