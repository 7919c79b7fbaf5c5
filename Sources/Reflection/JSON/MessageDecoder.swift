internal import ProtoSchema
internal import StrictJSON
internal import TextEncodings

/// Encoded message in, JSON out.
struct MessageDecoder {
  let registry: SchemaRegistry
  /// Which fields are written that are not set.
  let unset: MessageJSON.UnsetFields
  private let rules: MessageJSON.Rules
  private var depth: Int

  /// `depth` is how many messages what it decodes lies in.
  init(
    registry: SchemaRegistry,
    unset: MessageJSON.UnsetFields,
    rules: MessageJSON.Rules,
    depth: Int = 0
  ) {
    self.depth = depth
    self.registry = registry
    self.unset = unset
    self.rules = rules
  }

  mutating func message(
    _ bytes: ArraySlice<UInt8>,
    _ type: String
  ) throws(SchemaError) -> JSONValue {
    depth += 1
    defer { depth -= 1 }
    guard depth <= MessageJSON.depthMax else { throw SchemaError("nested too deeply") }
    if let value = try WellKnownJSON.decode(bytes, type) { return value }
    if let field = WrapperJSON.field(of: type) { return try wrapped(bytes, field) }
    if type == AnyJSON.type, let value = try any(bytes) { return value }
    let schema = try registry.message(type)
    let values = try values(bytes, schema)
    var object = JSONObject()
    for field in schema.fields {
      var value: JSONValue?
      if let found = values[field.number] { value = try decoded(found, field) }
      if value == nil, unset != .omitted, !isLeftOut(field, values, schema) {
        value = try absent(field)
      }
      if let value { object[field.jsonName] = value }
    }
    return .object(object)
  }

  /// The value in a wrapper, which is there even where its bytes are not: then it is the default.
  private mutating func wrapped(
    _ bytes: ArraySlice<UInt8>,
    _ field: FieldSchema
  ) throws(SchemaError) -> JSONValue {
    var last = field.defaultValue
    var fields = WireFields(bytes)
    while let (number, value) = try fields.next() {
      if number == field.number { last = value }
    }
    return try single(last, field)
  }

  /// Whether a field that has no value is left out: because it then means that there is none, or because another
  /// field says so, as of a list that is too long.
  private func isLeftOut(
    _ field: FieldSchema,
    _ values: [Int: [WireFields.Value]],
    _ schema: MessageSchema
  ) -> Bool {
    guard rules == .rest, let json = field.json else { return false }
    if json.omitsEmpty { return true }
    guard !json.absentIf.isEmpty,
      let flag = schema.fields.first(where: { $0.name == json.absentIf })
    else { return false }
    return values[flag.number]?.last?.isDefault == false
  }

  /// How a field is written that is not set; nil when it is left out even then.
  mutating func absent(_ field: FieldSchema) throws(SchemaError) -> JSONValue? {
    if field.isRepeated {
      return registry.mapEntry(of: field) == nil ? .array([]) : .object([:])
    }
    if field.realOneof != nil { return nil }
    // No text is no JSON.
    if field.isEmbedded, rules == .rest { return nil }
    if field.hasPresence || field.kind == .message { return unset == .all ? .null : nil }
    return try single(field.defaultValue, field)
  }

  /// The values of each field, in their order; of a oneof, those of the member that came last.
  private func values(
    _ bytes: ArraySlice<UInt8>,
    _ schema: MessageSchema
  ) throws(SchemaError) -> [Int: [WireFields.Value]] {
    let chosen = schema.fields.filter { $0.oneof != nil }
    var values: [Int: [WireFields.Value]] = [:]
    var fields = WireFields(bytes)
    while let (number, value) = try fields.next() {
      values[number, default: []].append(value)
      guard let oneof = chosen.first(where: { $0.number == number })?.oneof else { continue }
      for other in chosen where other.oneof == oneof && other.number != number {
        values[other.number] = nil
      }
    }
    return values
  }

  /// A message of a type that it names itself; nil when that type is not known here.
  private mutating func any(_ bytes: ArraySlice<UInt8>) throws(SchemaError) -> JSONValue? {
    let (url, content) = try AnyJSON.parts(bytes)
    let type = AnyJSON.typeName(url)
    guard registry.hasMessage(type) else { return nil }
    return AnyJSON.value(url, try message(content, type))
  }

  /// The values of a field as one; nil when it is left out.
  mutating func decoded(
    _ values: [WireFields.Value],
    _ field: FieldSchema
  ) throws(SchemaError) -> JSONValue? {
    guard field.isRepeated else {
      guard var last = values.last else { return nil }
      if field.kind == .message, values.count > 1 {
        // Pieces of a message add up, and so do their bytes (encoding guide, "Last One Wins").
        last = .bytes(values.flatMap { Array($0.bytes ?? []) }[...])
      }
      let isShown = field.hasPresence || field.kind == .message || !last.isDefault
      // Not by a conditional expression: there `nil` would be the JSON value null.
      guard isShown else { return nil }
      return try single(last, field)
    }
    if let entry = registry.mapEntry(of: field) { return try map(values, entry) }
    var elements: [JSONValue] = []
    for value in values {
      if let packed = value.bytes, field.isPackable {
        for value in try field.packed(packed) { elements.append(try single(value, field)) }
      } else {
        elements.append(try single(value, field))
      }
    }
    return .array(elements)
  }

  private mutating func map(
    _ values: [WireFields.Value],
    _ entry: MessageSchema
  ) throws(SchemaError) -> JSONValue {
    guard let keyField = entry.fields.first(where: { $0.number == 1 }),
      let valueField = entry.fields.first(where: { $0.number == 2 })
    else { throw SchemaError("\(entry.fullName) is not an entry of a map") }
    var members = UniqueMembers()
    for value in values {
      guard let pair = value.bytes else {
        throw SchemaError("an entry of \(entry.fullName) is not encoded as its contract says")
      }
      // Either may be missing when it has its default value.
      var key: WireFields.Value?
      var content: WireFields.Value?
      var fields = WireFields(pair)
      while let (number, value) = try fields.next() {
        if number == 1 { key = value }
        if number == 2 { content = value }
      }
      let name = try single(key ?? keyField.defaultValue, keyField)
      members.set(
        name.string ?? name.text,
        try single(content ?? valueField.defaultValue, valueField)
      )
    }
    return .object(members.object)
  }

  private mutating func single(
    _ value: WireFields.Value,
    _ field: FieldSchema
  ) throws(SchemaError) -> JSONValue {
    switch (field.kind, value) {
    case (.message, .bytes(let bytes)): return try message(bytes, field.typeName)
    case (.string, .bytes(let bytes)):
      guard rules == .rest, let json = field.json else { return .string(try value.text()) }
      if json.isEmbedded, let value = EmbeddedJSON.value(bytes) { return value }
      let text = try value.text()
      return .string(json.spelling?.spelled(text) ?? text)
    case (.bytes, .bytes(let bytes)): return .string(Base64.encode(bytes.span, isPadded: true))
    case (.bool, .varint(let number)): return .boolean(number != 0)
    case (.enum, .varint) where field.typeName == DynamicValue.nullType: return .null
    case (.enum, .varint(let number)):
      let number = Int32(truncatingIfNeeded: number)
      let schema = try registry.enumeration(field.typeName)
      guard let known = schema.values.first(where: { $0.number == number }) else {
        return .number(JSONNumber(number))
      }
      return .string(rules == .rest ? schema.spelled(known) : known.name)
    case (.double, .fixed64(let bits)): return floating(Double(bitPattern: bits))
    case (.float, .fixed32(let bits)):
      let number = Float(bitPattern: bits)
      // By way of the shortest text, so that 0.1 is not 0.10000000149011612.
      return floating(Double("\(number)") ?? Double(number))
    default:
      guard let number = integer(value, field.kind) else {
        throw SchemaError("the field \(field.name) is not encoded as its contract says")
      }
      return number
    }
  }

  /// A whole number: of 64 bits as text, because readers of JSON may have doubles only.
  private func integer(_ value: WireFields.Value, _ kind: FieldSchema.Kind) -> JSONValue? {
    switch (kind, value) {
    case (.int32, .varint(let bits)): .number(JSONNumber(Int32(truncatingIfNeeded: bits)))
    case (.uint32, .varint(let bits)): .number(JSONNumber(UInt32(truncatingIfNeeded: bits)))
    case (.sint32, .varint(let bits)):
      .number(JSONNumber(unzigzag(UInt64(UInt32(truncatingIfNeeded: bits)))))
    case (.fixed32, .fixed32(let bits)): .number(JSONNumber(bits))
    case (.sfixed32, .fixed32(let bits)): .number(JSONNumber(Int32(bitPattern: bits)))
    case (.int64, .varint(let bits)): .string("\(Int64(bitPattern: bits))")
    case (.uint64, .varint(let bits)): .string("\(bits)")
    case (.sint64, .varint(let bits)): .string("\(unzigzag(bits))")
    case (.fixed64, .fixed64(let bits)): .string("\(bits)")
    case (.sfixed64, .fixed64(let bits)): .string("\(Int64(bitPattern: bits))")
    default: nil
    }
  }

  private func unzigzag(_ bits: UInt64) -> Int64 {
    Int64(bits >> 1) ^ -Int64(bits & 1)
  }

  private func floating(_ number: Double) -> JSONValue {
    if let finite = JSONNumber(number) { return .number(finite) }
    return .string(number.isNaN ? "NaN" : number > 0 ? "Infinity" : "-Infinity")
  }
}
