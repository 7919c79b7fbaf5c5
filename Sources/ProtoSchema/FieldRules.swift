/// Which values a field accepts: `(gatehouse.field)`, extension 50101 of FieldOptions
/// (gatehouse/options.proto).
public struct FieldRules: Sendable, Equatable {
  /// The kind of text that a string holds.
  public enum Text: Int, Sendable {
    /// Any Unicode text.
    case any
    /// A name or a title, shown in one line.
    case singleLine
    /// A note of several lines.
    case multiLine
    /// One that this program does not know.
    case newer
  }

  /// Whether it must be set, and neither empty nor zero.
  public internal(set) var isRequired = false
  /// Fewest bytes of a string or bytes field; 0 for no limit, as below.
  public internal(set) var byteCountMin = 0
  /// Most bytes of a string or bytes field.
  public internal(set) var byteCountMax = 0
  /// The pattern that the whole string must match; empty for anything.
  public internal(set) var pattern = ""
  /// The least number.
  public internal(set) var minimum: Double?
  /// The greatest number.
  public internal(set) var maximum: Double?
  /// Whether an enum's value must be one that the contract defines.
  public internal(set) var isDefinedOnly = false
  /// Fewest elements of a list or map.
  public internal(set) var itemCountMin = 0
  /// Most elements of a list or map.
  public internal(set) var itemCountMax = 0
  /// Most bytes of a message when encoded.
  public internal(set) var encodedByteCountMax = 0
  /// The kind of text.
  public internal(set) var text = Text.any
  /// The number that 0 stands for in a page size; 0 for what lists have if nothing is said.
  public internal(set) var standard = 0

  /// Whether it accepts everything.
  package var isEmpty: Bool { self == FieldRules() }

  /// The choices of a pattern, if it is only words separated by `|`; empty for others.
  public var choices: [String] {
    let choices = pattern.split(separator: "|", omittingEmptySubsequences: false)
    let isPlain = choices.allSatisfy { choice in
      !choice.isEmpty
        && choice.allSatisfy {
          $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-")
        }
    }
    return isPlain ? choices.map(String.init) : []
  }
}

extension FieldRules {
  /// Reads the rules from a field's options.
  mutating func read(options: ArraySlice<UInt8>) throws(SchemaError) {
    var fields = WireFields(options)
    while let (number, value) = try fields.next() {
      guard number == 50101 else { continue }
      var rules = WireFields(value.bytes ?? [])
      while let (number, value) = try rules.next() { try set(number, value) }
    }
  }

  private mutating func set(_ number: Int, _ value: WireFields.Value) throws(SchemaError) {
    switch (number, value) {
    case (1, _): isRequired = value.isTrue
    case (2, _): byteCountMin = value.count
    case (3, _): byteCountMax = value.count
    case (4, _): pattern = try value.text()
    case (5, .fixed64(let bits)): minimum = Double(bitPattern: bits)
    case (6, .fixed64(let bits)): maximum = Double(bitPattern: bits)
    case (7, _): isDefinedOnly = value.isTrue
    case (8, _): itemCountMin = value.count
    case (9, _): itemCountMax = value.count
    case (10, _): encodedByteCountMax = value.count
    case (11, _): text = Text(rawValue: value.count) ?? .newer
    case (13, _): standard = value.count
    default: break
    }
  }
}
