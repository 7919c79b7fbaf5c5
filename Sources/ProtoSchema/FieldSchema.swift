/// A field of a message.
public struct FieldSchema: Sendable {
  /// The kind of a field's value; numbers are those of `FieldDescriptorProto.Type`.
  public enum Kind: Int, Sendable {
    case double = 1
    case float
    case int64
    case uint64
    case int32
    case fixed64
    case fixed32
    case bool
    case string
    /// Proto2 alone has it; neither the generator nor the registry takes such a field.
    case group
    case message
    case bytes
    case uint32
    case `enum`
    case sfixed32
    case sfixed64
    case sint32
    case sint64
  }

  /// `page_size`.
  public package(set) var name = ""
  /// `pageSize`.
  public package(set) var jsonName = ""
  /// Its number on the wire.
  public package(set) var number = 0
  /// The kind of its value.
  public package(set) var kind = Kind.string
  /// The message or enum it holds, by full name.
  public internal(set) var typeName = ""
  /// Whether there can be several.
  public internal(set) var isRepeated = false
  /// Whether it is `optional`.
  public internal(set) var isOptional = false
  /// Which values it accepts.
  public internal(set) var rules = FieldRules()
  /// The bool of its message that says that JSON by HTTP leaves it out; empty for none.
  public internal(set) var absentIf = ""
  /// Whether it is a string that holds JSON, which JSON by HTTP has as a value.
  public internal(set) var isEmbedded = false
  /// The contract's comment, in lines; empty for none.
  public internal(set) var comment = ""
  /// Its line in the contract.
  package internal(set) var line = 1
  /// Which oneof of its message it belongs to, that of an `optional` field included; nil for none.
  package internal(set) var oneof: Int?

  /// Makes a field of a message without a descriptor.
  package init() {}

  /// Reads `(gatehouse.field)` and `(gatehouse.json)` (gatehouse/options.proto).
  mutating func read(options: ArraySlice<UInt8>) throws(SchemaError) {
    try rules.read(options: options)
    var fields = WireFields(options)
    while let (number, value) = try fields.next() {
      guard number == 50103 else { continue }
      var rules = WireFields(value.bytes ?? [])
      while let (number, value) = try rules.next() {
        if number == 2 { isEmbedded = value.isTrue }
        if number == 3 { absentIf = try value.text() }
      }
    }
  }

  /// Which oneof of its message it belongs to, `optional` fields excepted; nil for none.
  public var realOneof: Int? { isOptional ? nil : oneof }

  /// Whether presence is distinguished from the default value: `optional`, or part of a oneof.
  public var hasPresence: Bool { isOptional || oneof != nil }
}
