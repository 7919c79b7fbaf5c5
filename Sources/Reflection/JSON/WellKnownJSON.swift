internal import RPCKit
internal import ServiceKit

/// Types of google.protobuf that have a JSON form of their own.
enum WellKnownJSON {
  /// The encoded message; nil for a type without a form of its own.
  static func encode(
    _ value: JSONValue,
    _ type: String,
    path: String
  ) throws(ReflectionError) -> [UInt8]? {
    switch type {
    case "google.protobuf.Timestamp":
      guard let text = value.string, let milliseconds = InstantText.milliseconds(text) else {
        throw ReflectionError("\(path): a date like 2026-11-21T08:00:00Z is needed")
      }
      return Google_Protobuf.Timestamp(milliseconds: milliseconds).protobufBytes
    case "google.protobuf.Duration":
      guard let text = value.string, text.hasSuffix("s"), let seconds = Double(text.dropLast()),
        seconds.magnitude < 315_576_000_000
      else { throw ReflectionError("\(path): a duration like 1.5s is needed") }
      let whole = seconds.rounded(.towardZero)
      let nanoseconds = Int32(((seconds - whole) * 1e9).rounded())
      return Google_Protobuf.Duration(seconds: Int64(whole), nanos: nanoseconds).protobufBytes
    case "google.protobuf.FieldMask":
      guard let text = value.string else {
        throw ReflectionError("\(path): field names separated by commas are needed")
      }
      let paths = text.split(separator: ",").map(String.init)
      return Google_Protobuf.FieldMask(paths: paths).protobufBytes
    case "google.protobuf.Struct":
      guard let object = value.object else {
        throw ReflectionError("\(path): an object is needed, this is \(value.kind)")
      }
      return try DynamicValue.structure(object)
    case "google.protobuf.Value": return try DynamicValue.encode(value)
    case "google.protobuf.ListValue":
      guard let elements = value.array else {
        throw ReflectionError("\(path): an array is needed, this is \(value.kind)")
      }
      return try DynamicValue.list(elements)
    default: return nil
    }
  }

  /// The JSON form; nil for a type without one of its own.
  static func decode(
    _ bytes: ArraySlice<UInt8>,
    _ type: String
  ) throws(ReflectionError) -> JSONValue? {
    switch type {
    case "google.protobuf.Timestamp":
      let time = try message(Google_Protobuf.Timestamp.self, bytes)
      return .string(InstantText.text(time.milliseconds))
    case "google.protobuf.Duration":
      let duration = try message(Google_Protobuf.Duration.self, bytes)
      return .string("\(Double(duration.seconds) + Double(duration.nanos) / 1e9)s")
    case "google.protobuf.FieldMask":
      let mask = try message(Google_Protobuf.FieldMask.self, bytes)
      return .string(mask.paths.joined(separator: ","))
    case "google.protobuf.Struct": return .object(try DynamicValue.object(bytes, depth: 0))
    case "google.protobuf.Value": return try DynamicValue.decode(bytes, depth: 0)
    case "google.protobuf.ListValue": return .array(try DynamicValue.elements(bytes, depth: 0))
    default: return nil
    }
  }

  private static func message<Result: Message>(
    _ type: Result.Type,
    _ bytes: ArraySlice<UInt8>
  ) throws(ReflectionError) -> Result {
    do {
      return try Result(protobuf: bytes.span, limits: MessageLimits())
    } catch {
      throw ReflectionError("a \(Result.protobufName) that is none: \(error)")
    }
  }
}
