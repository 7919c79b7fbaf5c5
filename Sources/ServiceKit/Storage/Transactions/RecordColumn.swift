/// One column of a table, and what a record has in it.
///
/// ```swift
/// .text("email", \.email), .integer("created_at", \.created)
/// ```
public struct RecordColumn<Record>: Sendable {
  @usableFromInline let name: String
  /// Whether the store makes the value when it inserts a row.
  @usableFromInline let isGenerated: Bool
  /// Whether it is of a table that is joined, or worked out: it is read and never written.
  private(set) var isJoined = false
  @usableFromInline let value: @Sendable (Record) -> SQLValue

  @usableFromInline
  init(
    _ name: String,
    isGenerated: Bool = false,
    _ value: @escaping @Sendable (Record) -> SQLValue
  ) {
    (self.name, self.isGenerated, self.value) = (name, isGenerated, value)
  }

  /// A whole number that the store counts up by itself: it is read and never written.
  @inlinable
  public static func generated(
    _ name: String,
    _ value: @escaping @Sendable (Record) -> Int64
  ) -> RecordColumn {
    RecordColumn(name, isGenerated: true) { .integer(value($0)) }
  }

  /// A column of a table that is joined, with its alias, or an expression: it is read and never written.
  ///
  /// ```swift
  /// .joined(.text("e.name", \.entityName))
  /// ```
  public static func joined(_ column: RecordColumn) -> RecordColumn {
    var column = column
    column.isJoined = true
    return column
  }

  /// Text.
  @inlinable
  public static func text(
    _ name: String,
    _ value: @escaping @Sendable (Record) -> String
  ) -> RecordColumn {
    RecordColumn(name) { .text(value($0)) }
  }

  /// A whole number, an instant in milliseconds.
  @inlinable
  public static func integer(
    _ name: String,
    _ value: @escaping @Sendable (Record) -> Int64
  ) -> RecordColumn {
    RecordColumn(name) { .integer(value($0)) }
  }

  /// A whole number of the machine's size.
  @inlinable
  public static func integer(
    _ name: String,
    _ value: @escaping @Sendable (Record) -> Int
  ) -> RecordColumn {
    RecordColumn(name) { .integer(value($0)) }
  }

  /// A truth value, 0 or 1.
  @inlinable
  public static func boolean(
    _ name: String,
    _ value: @escaping @Sendable (Record) -> Bool
  ) -> RecordColumn {
    RecordColumn(name) { .boolean(value($0)) }
  }

  /// A floating-point number.
  @inlinable
  public static func real(
    _ name: String,
    _ value: @escaping @Sendable (Record) -> Double
  ) -> RecordColumn {
    RecordColumn(name) { .real(value($0)) }
  }

  /// Bytes.
  @inlinable
  public static func blob(
    _ name: String,
    _ value: @escaping @Sendable (Record) -> [UInt8]
  ) -> RecordColumn {
    RecordColumn(name) { .blob(value($0)) }
  }

  /// Text, or NULL for nil.
  @inlinable
  public static func optionalText(
    _ name: String,
    _ value: @escaping @Sendable (Record) -> String?
  ) -> RecordColumn {
    RecordColumn(name) { .optionalText(value($0)) }
  }

  /// A whole number, or NULL for nil.
  @inlinable
  public static func optionalInteger(
    _ name: String,
    _ value: @escaping @Sendable (Record) -> Int64?
  ) -> RecordColumn {
    RecordColumn(name) { .optionalInteger(value($0)) }
  }

  /// A floating-point number, or NULL for nil.
  @inlinable
  public static func optionalReal(
    _ name: String,
    _ value: @escaping @Sendable (Record) -> Double?
  ) -> RecordColumn {
    RecordColumn(name) { .optionalReal(value($0)) }
  }

  /// Bytes, or NULL for nil.
  @inlinable
  public static func optionalBlob(
    _ name: String,
    _ value: @escaping @Sendable (Record) -> [UInt8]?
  ) -> RecordColumn {
    RecordColumn(name) { .optionalBlob(value($0)) }
  }
}
