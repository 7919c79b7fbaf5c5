internal import StrictJSON

/// `google.protobuf.Any` in JSON: the message it holds with `@type` in front.
///
/// One of a type that is not known here stays `typeUrl` and `value`, as its fields are called.
enum AnyJSON {
  static let type = "google.protobuf.Any"
  static let typeMember = "@type"
  /// Where the message is when its JSON is not an object of its fields.
  static let valueMember = "value"

  /// The message's name: what follows the last slash of its type URL (any.proto).
  static func typeName(_ url: String) -> String {
    url.split(separator: "/").last.map(String.init) ?? ""
  }

  /// The type URL and the encoded message.
  static func parts(
    _ bytes: ArraySlice<UInt8>
  ) throws(SchemaError) -> (url: String, content: ArraySlice<UInt8>) {
    var url = ""
    var content: ArraySlice<UInt8> = []
    var fields = WireFields(bytes)
    while let (number, value) = try fields.next() {
      if number == 1 { url = try value.text() }
      if number == 2 { content = value.bytes ?? [] }
    }
    return (url, content)
  }

  /// The JSON of a message that is known.
  static func value(_ url: String, _ content: JSONValue) -> JSONValue {
    var object: JSONObject = [typeMember: .string(url)]
    if let fields = content.object, !WellKnownJSON.has(typeName(url)) {
      for member in fields.members { object[member.name] = member.value }
    } else {
      object[valueMember] = content
    }
    return .object(object)
  }

  /// The JSON of the message alone.
  static func content(_ object: JSONObject, _ type: String) -> JSONValue {
    if WellKnownJSON.has(type) { return object[valueMember] ?? .null }
    var content = object
    content[typeMember] = nil
    return .object(content)
  }
}
