public import StrictJSON

/// Converts between encoded messages and JSON by proto3's mapping
/// (protobuf.dev/programming-guides/json).
///
/// Writing: names in lowerCamelCase, 64-bit numbers as strings, enums by name, bytes as base64; fields
/// with their default value are left out unless they have presence, or all is shown. Reading accepts
/// the alternatives that the mapping lists, and refuses names that the message does not have.
public struct MessageJSON: Sendable {
  /// Messages inside one another, at most.
  static let depthMax = 64
  private let registry: SchemaRegistry
  private let unset: UnsetFields
  private let rules: Rules

  /// Which fields are written that are not set.
  public enum UnsetFields: Sendable {
    /// None.
    case omitted
    /// Lists, numbers, texts and truth values with their defaults; what has presence is left out, and what a
    /// contract's `absent_if` says.
    case defaults
    /// All, and null for what has presence, members of a oneof excepted. Such JSON can be read again.
    case all
  }

  /// Which mapping counts.
  public enum Rules: Sendable {
    /// Proto3's own.
    case proto3
    /// With what `(gatehouse.json)` says of fields, for JSON by HTTP.
    case rest
  }

  /// Makes a converter of the types of `registry`.
  public init(
    _ registry: SchemaRegistry,
    unset: UnsetFields = .omitted,
    rules: Rules = .proto3
  ) {
    self.registry = registry
    self.unset = unset
    self.rules = rules
  }

  /// Encodes `value` as the message `type`; throws what does not fit, by path.
  ///
  /// With `ignoresUnknown` members that a message does not have are no mistake, at any depth.
  public func encode(
    _ value: JSONValue,
    as type: String,
    ignoresUnknown: Bool = false
  ) throws(SchemaError) -> [UInt8] {
    var encoder = MessageEncoder(
      registry: registry,
      ignoresUnknown: ignoresUnknown,
      rules: rules
    )
    return try encoder.message(value, type, path: "")
  }

  /// Decodes the message `type`; throws when the bytes are not one.
  public func decode(_ bytes: [UInt8], as type: String) throws(SchemaError) -> JSONValue {
    var decoder = MessageDecoder(registry: registry, unset: unset, rules: rules)
    return try decoder.message(bytes[...], type)
  }
}
