internal import RPCKit
internal import StrictJSON

/// Types of google.protobuf that have a JSON form of their own.
enum WellKnownJSON {
  /// Where all of them are.
  private static let package = "google.protobuf."

  /// Whether a type has a form of its own.
  static func has(_ type: String) -> Bool {
    names.contains(type) || WrapperJSON.field(of: type) != nil
  }

  private static let names: Set<String> = [
    "google.protobuf.Timestamp", "google.protobuf.Duration", "google.protobuf.FieldMask",
    "google.protobuf.Struct", "google.protobuf.Value", "google.protobuf.ListValue", AnyJSON.type,
  ]

  /// The encoded message; nil for a type without a form of its own.
  static func encode(
    _ value: JSONValue,
    _ type: String,
    path: String
  ) throws(SchemaError) -> [UInt8]? {
    guard type.hasPrefix(package) else { return nil }
    switch type {
    case "google.protobuf.Timestamp":
      // RFC 3339 (section 5.6) lets a protocol demand capitals, and protobuf's conformance suite does.
      guard let text = value.string, !text.utf8.contains(where: Self.isLowerCase),
        let instant = InstantText.instant(text)
      else {
        throw SchemaError(at: path, "must be a date like 2026-11-21T08:00:00Z")
      }
      return Google_Protobuf.Timestamp(seconds: instant.seconds, nanos: instant.nanoseconds)
        .protobufBytes
    case "google.protobuf.Duration":
      guard let duration = value.string.flatMap({ DurationText.parse($0) }) else {
        throw SchemaError(at: path, "must be a duration like 1.5s")
      }
      return Google_Protobuf.Duration(seconds: duration.seconds, nanos: duration.nanoseconds)
        .protobufBytes
    case "google.protobuf.FieldMask":
      guard let text = value.string else {
        throw SchemaError(at: path, "must be field names separated by commas")
      }
      guard let paths = FieldMaskText.paths(text) else {
        throw SchemaError(at: path, "must be field names in lowerCamelCase between commas")
      }
      return Google_Protobuf.FieldMask(paths: paths).protobufBytes
    case "google.protobuf.Struct":
      guard let object = value.object else {
        throw SchemaError(at: path, "must be an object, not \(value.kind)")
      }
      return try DynamicValue.structure(object)
    case "google.protobuf.Value": return try DynamicValue.encode(value)
    case "google.protobuf.ListValue":
      guard let elements = value.array else {
        throw SchemaError(at: path, "must be an array, not \(value.kind)")
      }
      return try DynamicValue.list(elements)
    default: return nil
    }
  }

  /// The JSON form; nil for a type without one of its own.
  static func decode(
    _ bytes: ArraySlice<UInt8>,
    _ type: String
  ) throws(SchemaError) -> JSONValue? {
    guard type.hasPrefix(package) else { return nil }
    switch type {
    case "google.protobuf.Timestamp":
      let time = try message(Google_Protobuf.Timestamp.self, bytes)
      return .string(try text(time))
    case "google.protobuf.Duration":
      let duration = try message(Google_Protobuf.Duration.self, bytes)
      guard
        let text = DurationText.text(seconds: duration.seconds, nanoseconds: duration.nanos)
      else { throw SchemaError("a google.protobuf.Duration is out of range") }
      return .string(text)
    case "google.protobuf.FieldMask":
      let mask = try message(Google_Protobuf.FieldMask.self, bytes)
      guard let text = FieldMaskText.text(mask.paths) else {
        throw SchemaError(
          "a google.protobuf.FieldMask has paths that cannot be written as JSON"
        )
      }
      return .string(text)
    case "google.protobuf.Struct": return .object(try DynamicValue.object(bytes, depth: 0))
    case "google.protobuf.Value": return try DynamicValue.decode(bytes, depth: 0)
    case "google.protobuf.ListValue": return .array(try DynamicValue.elements(bytes, depth: 0))
    default: return nil
    }
  }

  private static func isLowerCase(_ letter: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
  }

  /// With three, six or nine digits of a second where there are some.
  private static func text(_ time: Google_Protobuf.Timestamp) throws(SchemaError) -> String {
    guard InstantText.range.contains(time.seconds), (0..<1_000_000_000).contains(time.nanos) else {
      throw SchemaError("a google.protobuf.Timestamp is out of range")
    }
    // Without the `.000Z` of whole seconds.
    let text = InstantText.text(time.seconds * 1000).dropLast(5)
    return text + DurationText.decimals(UInt32(time.nanos)) + "Z"
  }

  private static func message<Result: Message>(
    _ type: Result.Type,
    _ bytes: ArraySlice<UInt8>
  ) throws(SchemaError) -> Result {
    do {
      return try Result(protobuf: bytes.span, limits: MessageLimits())
    } catch {
      throw SchemaError("a \(Result.protobufName) cannot be read: \(error)")
    }
  }
}
