internal import StrictJSON
internal import TextEncodings

/// JSON in, encoded message out.
struct MessageEncoder {
  let registry: SchemaRegistry
  /// Members that a message does not have are ignored.
  private let ignoresUnknown: Bool
  private let rules: MessageJSON.Rules
  private var depth: Int

  /// `depth` is how many messages what it encodes lies in.
  init(
    registry: SchemaRegistry,
    ignoresUnknown: Bool,
    rules: MessageJSON.Rules,
    depth: Int = 0
  ) {
    self.depth = depth
    self.registry = registry
    self.ignoresUnknown = ignoresUnknown
    self.rules = rules
  }

  mutating func message(
    _ value: JSONValue,
    _ type: String,
    path: String
  ) throws(SchemaError) -> [UInt8] {
    depth += 1
    defer { depth -= 1 }
    guard depth <= MessageJSON.depthMax else { throw failure(path, "is nested too deeply") }
    if let bytes = try WellKnownJSON.encode(value, type, path: path) { return bytes }
    if let field = WrapperJSON.field(of: type) { return try single(value, field, path: path) }
    if type == AnyJSON.type, let bytes = try any(value, path: path) { return bytes }
    let schema = try registry.message(type)
    var bytes: [UInt8] = []
    // Places of fields, as a copy of a field retains everything that is known of it.
    var given: [Int] = []
    for member in try members(value, path) {
      guard let place = schema.fields.firstIndex(where: { $0.isCalled(member.name) }) else {
        guard !ignoresUnknown else { continue }
        let known = schema.fields.map(\.jsonName).joined(separator: ", ")
        throw SchemaError(unknown: member.name, of: type, at: path, known: known)
      }
      let field = schema.fields[place]
      // Errors spell a field in one way, however the request did.
      let path = path.isEmpty ? field.jsonName : "\(path).\(field.jsonName)"
      // Null leaves a field out, except for the types that can hold it.
      guard member.value != .null || holdsNull(field) else { continue }
      try check(field, given, of: schema, path)
      given.append(place)
      bytes += try encoded(member.value, field, path: path)
    }
    return bytes
  }

  private func holdsNull(_ field: FieldSchema) -> Bool {
    !field.isRepeated
      && (field.typeName == "google.protobuf.Value" || field.typeName == DynamicValue.nullType)
  }

  /// A field is given once, by either of its names, and one of a oneof at most.
  private func check(
    _ field: FieldSchema,
    _ given: [Int],
    of schema: MessageSchema,
    _ path: String
  ) throws(SchemaError) {
    let place = given.first {
      let other = schema.fields[$0]
      return other.number == field.number || (other.oneof != nil && other.oneof == field.oneof)
    }
    guard let place else { return }
    let other = schema.fields[place]
    let isSame = other.number == field.number
    throw failure(
      path,
      isSame ? "is set twice" : "cannot be set together with \(other.jsonName)"
    )
  }

  /// A message that says its type; nil when it is given as `typeUrl` and `value`.
  private mutating func any(
    _ value: JSONValue,
    path: String
  ) throws(SchemaError) -> [UInt8]? {
    guard let object = value.object, let url = object[AnyJSON.typeMember]?.string else {
      return nil
    }
    let type = AnyJSON.typeName(url)
    guard registry.hasMessage(type) else {
      throw failure(path, "has the unknown message type \(type)")
    }
    let content = try message(AnyJSON.content(object, type), type, path: path)
    return WireWriting.bytes(Array(url.utf8), field: 1) + WireWriting.bytes(content, field: 2)
  }

  private func members(
    _ value: JSONValue,
    _ path: String
  ) throws(SchemaError) -> [JSONObject.Member] {
    guard let object = value.object else {
      throw failure(path, "must be an object, not \(value.kind)")
    }
    return object.members
  }

  /// A field with its value, as it lies on the wire.
  mutating func encoded(
    _ value: JSONValue,
    _ field: FieldSchema,
    path: String
  ) throws(SchemaError) -> [UInt8] {
    guard field.isRepeated else { return try single(value, field, path: path) }
    if let entry = registry.mapEntry(of: field) {
      return try map(value, field, entry, path: path)
    }
    guard let elements = value.array else {
      throw failure(path, "must be an array, not \(value.kind)")
    }
    var bytes: [UInt8] = []
    for (index, element) in elements.enumerated() {
      bytes += try single(element, field, path: "\(path)[\(index)]")
    }
    return bytes
  }

  private mutating func map(
    _ value: JSONValue,
    _ field: FieldSchema,
    _ entry: MessageSchema,
    path: String
  ) throws(SchemaError) -> [UInt8] {
    var bytes: [UInt8] = []
    for member in try members(value, path) {
      var pair: [UInt8] = []
      for part in entry.fields {
        let value = part.number == 1 ? key(member.name, part) : member.value
        pair += try single(value, part, path: "\(path).\(member.name)")
      }
      bytes += WireWriting.bytes(pair, field: field.number)
    }
    return bytes
  }

  /// Names of members are strings; truth values as keys are written as such.
  private func key(_ name: String, _ field: FieldSchema) -> JSONValue {
    guard field.kind == .bool, let flag = Bool(name) else { return .string(name) }
    return .boolean(flag)
  }

  private mutating func single(
    _ value: JSONValue,
    _ field: FieldSchema,
    path: String
  ) throws(SchemaError) -> [UInt8] {
    let number = field.number
    switch field.kind {
    case .message:
      return WireWriting.bytes(try message(value, field.typeName, path: path), field: number)
    case .string:
      let embedded = field.isEmbedded && rules == .rest ? EmbeddedJSON.text(value) : nil
      guard let text = embedded ?? value.string else {
        throw failure(path, "must be a string, not \(value.kind)")
      }
      let spelling = rules == .rest ? field.json?.spelling : nil
      return WireWriting.bytes(Array((spelling?.name(text) ?? text).utf8), field: number)
    case .bytes:
      guard let text = value.string, let bytes = Base64.decode(text.utf8.span) else {
        throw failure(path, "must be a base64 string")
      }
      return WireWriting.bytes(bytes, field: number)
    case .bool:
      guard let flag = value.boolean else {
        throw failure(path, "must be true or false, not \(value.kind)")
      }
      return WireWriting.varint(flag ? 1 : 0, field: number)
    case .enum:
      let known = try enumeration(value, field.typeName, path: path)
      return WireWriting.varint(UInt64(bitPattern: Int64(known)), field: number)
    case .double, .float: return try floating(value, field, path: path)
    default: return try integer(value, field, path: path)
    }
  }

  private func enumeration(
    _ value: JSONValue,
    _ type: String,
    path: String
  ) throws(SchemaError) -> Int32 {
    if type == DynamicValue.nullType {
      // Its only value, whatever spells it.
      guard value == .null || value.integer == 0 || value.string == "NULL_VALUE" else {
        throw failure(path, "must be null")
      }
      return 0
    }
    if let number = value.integer.flatMap({ Int32(exactly: $0) }) { return number }
    let schema = try registry.enumeration(type)
    let entry = value.string.flatMap { word in
      rules == .rest
        ? schema.value(spelled: word) : schema.values.first { $0.name == word }
    }
    guard let entry else {
      // The value that stands for none is no advice.
      let known = schema.values.filter { $0.number != 0 || !$0.name.hasSuffix("_UNSPECIFIED") }
        .map { rules == .rest ? schema.spelled($0) : $0.name }.joined(separator: ", ")
      throw failure(path, "must be one of: \(known)")
    }
    return entry.number
  }

  private func floating(
    _ value: JSONValue,
    _ field: FieldSchema,
    path: String
  ) throws(SchemaError) -> [UInt8] {
    let names = ["NaN": Double.nan, "Infinity": .infinity, "-Infinity": -.infinity]
    guard let number = value.number?.double ?? value.string.flatMap({ names[$0] ?? Double($0) })
    else { throw failure(path, "must be a number, not \(value.kind)") }
    if field.kind == .double {
      return WireWriting.fixed64(number.bitPattern, field: field.number)
    }
    let short = Float(number)
    guard short.isFinite || !number.isFinite else {
      throw failure(path, "must be a number that a float can hold")
    }
    return WireWriting.fixed32(short.bitPattern, field: field.number)
  }

  private func integer(
    _ value: JSONValue,
    _ field: FieldSchema,
    path: String
  ) throws(SchemaError) -> [UInt8] {
    let number = field.number
    // Strings are how JSON says 64-bit numbers exactly, and keys of maps.
    let text = value.string ?? value.number.map { $0.integer.map { "\($0)" } ?? $0.text } ?? ""
    switch field.kind {
    case .int32, .sfixed32, .sint32:
      let parsed = try parsed(text, Int32.self, path)
      return switch field.kind {
      case .int32: WireWriting.varint(UInt64(bitPattern: Int64(parsed)), field: number)
      case .sint32: WireWriting.zigzag(Int64(parsed), field: number)
      default: WireWriting.fixed32(UInt32(bitPattern: parsed), field: number)
      }
    case .int64, .sfixed64, .sint64:
      let parsed = try parsed(text, Int64.self, path)
      return switch field.kind {
      case .int64: WireWriting.varint(UInt64(bitPattern: parsed), field: number)
      case .sint64: WireWriting.zigzag(parsed, field: number)
      default: WireWriting.fixed64(UInt64(bitPattern: parsed), field: number)
      }
    case .uint32:
      return WireWriting.varint(UInt64(try parsed(text, UInt32.self, path)), field: number)
    case .fixed32: return WireWriting.fixed32(try parsed(text, UInt32.self, path), field: number)
    case .uint64: return WireWriting.varint(try parsed(text, UInt64.self, path), field: number)
    default: return WireWriting.fixed64(try parsed(text, UInt64.self, path), field: number)
    }
  }

  private func parsed<Number: FixedWidthInteger>(
    _ text: String,
    _ type: Number.Type,
    _ path: String
  ) throws(SchemaError) -> Number {
    guard let number = Number(text) else {
      throw failure(path, "must be an integer from \(Number.min) to \(Number.max)")
    }
    return number
  }

  private func failure(_ path: String, _ problem: String) -> SchemaError {
    SchemaError(at: path, problem)
  }
}
