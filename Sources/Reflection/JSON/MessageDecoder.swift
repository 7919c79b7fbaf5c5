internal import ServiceKit

/// Encoded message in, JSON out.
struct MessageDecoder {
  let registry: SchemaRegistry
  private var depth = 0

  init(registry: SchemaRegistry) {
    self.registry = registry
  }

  mutating func message(
    _ bytes: ArraySlice<UInt8>,
    _ type: String
  ) throws(ReflectionError) -> JSONValue {
    depth += 1
    defer { depth -= 1 }
    guard depth <= MessageJSON.depthMax else { throw ReflectionError("nested too deeply") }
    if let value = try WellKnownJSON.decode(bytes, type) { return value }
    let schema = try registry.message(type)
    var values: [Int: [WireFields.Value]] = [:]
    try WireFields(bytes).forEach { (number, value) in values[number, default: []].append(value) }
    var object = JSONObject()
    for field in schema.fields {
      guard let found = values[field.number] else { continue }
      if let value = try decoded(found, field) { object[field.jsonName] = value }
    }
    return .object(object)
  }

  private mutating func decoded(
    _ values: [WireFields.Value],
    _ field: FieldSchema
  ) throws(ReflectionError) -> JSONValue? {
    guard field.isRepeated else {
      guard let last = values.last else { return nil }
      let isShown = field.hasPresence || field.kind == .message || !last.isDefault
      return isShown ? try single(last, field) : nil
    }
    if let entry = registry.mapEntry(of: field) { return try map(values, entry) }
    var elements: [JSONValue] = []
    for value in values {
      if let packed = value.bytes, field.isPackable {
        for value in try PackedFields.values(packed, field.kind) {
          elements.append(try single(value, field))
        }
      } else {
        elements.append(try single(value, field))
      }
    }
    return .array(elements)
  }

  private mutating func map(
    _ values: [WireFields.Value],
    _ entry: MessageSchema
  ) throws(ReflectionError) -> JSONValue {
    var object = JSONObject()
    for value in values {
      var key = ""
      var content = JSONValue.null
      try WireFields(value.bytes ?? []).forEach { (number, value) throws(ReflectionError) in
        guard let field = entry.fields.first(where: { $0.number == number }) else { return }
        let decoded = try single(value, field)
        if number == 1 { key = decoded.string ?? decoded.text } else { content = decoded }
      }
      object[key] = content
    }
    return .object(object)
  }

  private mutating func single(
    _ value: WireFields.Value,
    _ field: FieldSchema
  ) throws(ReflectionError) -> JSONValue {
    switch (field.kind, value) {
    case (.message, .bytes(let bytes)): return try message(bytes, field.typeName)
    case (.string, .bytes): return .string(value.text ?? "")
    case (.bytes, .bytes(let bytes)): return .string(Base64.encode(bytes))
    case (.bool, .varint(let number)): return .boolean(number != 0)
    case (.enum, .varint(let number)):
      let number = Int32(truncatingIfNeeded: number)
      let known = try registry.enumeration(field.typeName).values.first { $0.number == number }
      return known.map { .string($0.name) } ?? .number(JSONNumber(number))
    case (.double, .fixed64(let bits)): return floating(Double(bitPattern: bits))
    case (.float, .fixed32(let bits)): return floating(Double(Float(bitPattern: bits)))
    default:
      guard let number = integer(value, field.kind) else {
        throw ReflectionError("the field \(field.name) is not encoded as its contract says")
      }
      return number
    }
  }

  /// A whole number: of 64 bits as text, because readers of JSON may have doubles only.
  private func integer(_ value: WireFields.Value, _ kind: FieldSchema.Kind) -> JSONValue? {
    switch (kind, value) {
    case (.int32, .varint(let bits)): .number(JSONNumber(Int32(truncatingIfNeeded: bits)))
    case (.uint32, .varint(let bits)): .number(JSONNumber(UInt32(truncatingIfNeeded: bits)))
    case (.sint32, .varint(let bits)): .number(JSONNumber(unzigzag(bits)))
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
