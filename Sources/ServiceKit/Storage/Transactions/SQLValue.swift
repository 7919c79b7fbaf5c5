/// A value that goes into a statement; it never becomes part of the SQL text.
public enum SQLValue: Hashable, Sendable {
  /// NULL.
  case null
  /// A whole number, an instant in milliseconds, a truth value (0 or 1).
  case integer(Int64)
  /// A floating-point number.
  case real(Double)
  /// Text, kept byte for byte as UTF-8.
  case text(String)
  /// Bytes.
  case blob([UInt8])

  /// Text, or NULL for nil.
  public static func optionalText(_ value: String?) -> SQLValue { value.map { .text($0) } ?? .null }

  /// A whole number, or NULL for nil.
  public static func optionalInteger(_ value: Int64?) -> SQLValue {
    value.map { .integer($0) } ?? .null
  }

  /// A floating-point number, or NULL for nil.
  public static func optionalReal(_ value: Double?) -> SQLValue { value.map { .real($0) } ?? .null }

  /// Bytes, or NULL for nil.
  public static func optionalBlob(_ value: [UInt8]?) -> SQLValue {
    value.map { .blob($0) } ?? .null
  }

  /// 1 or 0.
  public static func boolean(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0) }

  /// A whole number of the machine's size.
  public static func integer(_ value: Int) -> SQLValue { .integer(Int64(value)) }
}
