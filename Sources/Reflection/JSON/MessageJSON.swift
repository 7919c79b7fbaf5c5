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
  private let showsAll: Bool

  /// Makes a converter of the types of `registry`.
  ///
  /// With `showsAll` every field is written: empty lists, zeros and false as such, and null for what is
  /// not set, members of a oneof excepted. Such JSON can be read again.
  public init(_ registry: SchemaRegistry, showsAll: Bool = false) {
    self.registry = registry
    self.showsAll = showsAll
  }

  /// Encodes `value` as the message `type`; throws what does not fit, by path.
  public func encode(_ value: JSONValue, as type: String) throws(ReflectionError) -> [UInt8] {
    var encoder = MessageEncoder(registry: registry)
    return try encoder.message(value, type, path: "")
  }

  /// Decodes the message `type`; throws when the bytes are not one.
  public func decode(_ bytes: [UInt8], as type: String) throws(ReflectionError) -> JSONValue {
    var decoder = MessageDecoder(registry: registry, showsAll: showsAll)
    return try decoder.message(bytes[...], type)
  }
}
