/// Reads the columns of a row one after the other, in the order in which they were selected.
///
/// Each call takes the next column. A column of another type than asked for is as `Row` has it.
public struct RowReader: ~Copyable {
  private let statement: SQLiteStatement
  /// The column that is read next.
  @usableFromInline private(set) var next: Int

  /// Begins at a column of a row.
  @usableFromInline
  init(_ row: borrowing Row, at column: Int = 0) {
    (statement, next) = (row.statement, column)
  }

  private mutating func take() -> Int {
    defer { next += 1 }
    return next
  }

  /// Passes over a column.
  public mutating func skip() { next += 1 }

  /// Text.
  public mutating func text() -> String { statement.text(take()) }

  /// A whole number.
  public mutating func integer() -> Int64 { statement.integer(take()) }

  /// Whether a whole number is not 0.
  public mutating func boolean() -> Bool { statement.integer(take()) != 0 }

  /// A floating-point number.
  public mutating func real() -> Double { statement.real(take()) }

  /// Bytes.
  public mutating func blob() -> [UInt8] { statement.blob(take()) }

  /// Text, or nil for NULL.
  public mutating func optionalText() -> String? {
    let column = take()
    return statement.isNull(column) ? nil : statement.text(column)
  }

  /// A whole number, or nil for NULL.
  public mutating func optionalInteger() -> Int64? {
    let column = take()
    return statement.isNull(column) ? nil : statement.integer(column)
  }

  /// A floating-point number, or nil for NULL.
  public mutating func optionalReal() -> Double? {
    let column = take()
    return statement.isNull(column) ? nil : statement.real(column)
  }

  /// Bytes, or nil for NULL.
  public mutating func optionalBlob() -> [UInt8]? {
    let column = take()
    return statement.isNull(column) ? nil : statement.blob(column)
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
    guard !statement.isNull(next) else {
      next = end
      return nil
    }
    return try read(&self)
  }

  /// The case that text stands for; it throws for text that stands for none.
  public mutating func known<Case: RawRepresentable>(
    _: Case.Type = Case.self
  ) throws(StoreError) -> Case where Case.RawValue == String {
    try Self.known(text())
  }

  /// The case that a whole number stands for; it throws for a number that stands for none.
  public mutating func known<Case: RawRepresentable>(
    _: Case.Type = Case.self
  ) throws(StoreError) -> Case where Case.RawValue == Int64 {
    try Self.known(integer())
  }

  private static func known<Case: RawRepresentable>(
    _ value: Case.RawValue
  ) throws(StoreError) -> Case {
    guard let known = Case(rawValue: value) else {
      throw .statement("a row has \(value) as \(Case.self)")
    }
    return known
  }
}
