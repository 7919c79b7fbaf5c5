/// The value of a field of a log line.
public enum LogValue: Sendable, Hashable {
  /// Text, escaped when written.
  case string(String)
  /// A whole number.
  case integer(Int64)
  /// A number; one that JSON cannot say (infinite, NaN) is written as text.
  case double(Double)
  /// True or false.
  case boolean(Bool)
}

extension LogValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
  /// Text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A number.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// True or false.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// A whole number; one past `Int64.max` saturates.
  public init(_ value: some BinaryInteger) { self = .integer(Int64(clamping: value)) }
  /// Text.
  public init(_ value: String) { self = .string(value) }
}

/// The fields of a log line, in order.
public struct LogFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// One field.
  public struct Field: Sendable, Hashable {
    /// The name in the JSON object.
    public var key: String
    /// The value, before redaction.
    public var value: LogValue
  }

  /// The fields in the order they were added; a key appears once.
  public private(set) var entries: [Field] = []

  /// Makes no fields.
  public init() {}

  /// `["peer": "127.0.0.1:4040", "attempt": 3]`.
  public init(dictionaryLiteral elements: (String, LogValue)...) {
    for (key, value) in elements { self[key] = value }
  }

  /// The value of a key; assigning replaces it in its place, or adds it at the end.
  public subscript(key: String) -> LogValue? {
    get { entries.first { $0.key == key }?.value }
    set {
      let index = entries.firstIndex { $0.key == key }
      switch (index, newValue) {
      case (let index?, let value?): entries[index].value = value
      case (let index?, nil): entries.remove(at: index)
      case (nil, let value?): entries.append(Field(key: key, value: value))
      case (nil, nil): break
      }
    }
  }

  /// These fields and others; where both have a key, the value of the others counts.
  public func merging(_ others: LogFields) -> LogFields {
    var merged = self
    for field in others.entries { merged[field.key] = field.value }
    return merged
  }
}
