internal import StrictJSON

/// `google.protobuf.Value` and what is made of it (struct.proto): JSON inside protobuf.
enum DynamicValue {
  /// The enum of one value, which JSON writes as null.
  static let nullType = "google.protobuf.NullValue"

  static func encode(_ value: JSONValue) throws(SchemaError) -> [UInt8] {
    switch value {
    case .null: return WireWriting.varint(0, field: 1)
    case .number(let number):
      guard let double = number.double else { throw SchemaError("\(number.text) is too large") }
      return WireWriting.fixed64(double.bitPattern, field: 2)
    case .string(let text): return WireWriting.bytes(Array(text.utf8), field: 3)
    case .boolean(let flag): return WireWriting.varint(flag ? 1 : 0, field: 4)
    case .object(let object): return WireWriting.bytes(try structure(object), field: 5)
    case .array(let elements): return WireWriting.bytes(try list(elements), field: 6)
    }
  }

  static func structure(_ object: JSONObject) throws(SchemaError) -> [UInt8] {
    var bytes: [UInt8] = []
    for member in object.members {
      let name = WireWriting.bytes(Array(member.name.utf8), field: 1)
      let value = WireWriting.bytes(try encode(member.value), field: 2)
      bytes += WireWriting.bytes(name + value, field: 1)
    }
    return bytes
  }

  static func list(_ elements: [JSONValue]) throws(SchemaError) -> [UInt8] {
    var bytes: [UInt8] = []
    for element in elements { bytes += WireWriting.bytes(try encode(element), field: 1) }
    return bytes
  }

  static func decode(_ bytes: ArraySlice<UInt8>, depth: Int) throws(SchemaError) -> JSONValue {
    guard depth <= MessageJSON.depthMax else { throw SchemaError("nested too deeply") }
    var result = JSONValue.null
    var fields = WireFields(bytes)
    while let (number, value) = try fields.next() {
      switch (number, value) {
      case (1, _): result = .null
      case (2, .fixed64(let bits)):
        let double = Double(bitPattern: bits)
        // 5 and not 5.0: the one who wrote a whole number reads one.
        let number = Int64(exactly: double).map { JSONNumber($0) } ?? JSONNumber(double)
        guard let number else {
          throw SchemaError("a google.protobuf.Value holds \(double), which JSON cannot say")
        }
        result = .number(number)
      case (3, .bytes): result = .string(try value.text())
      case (4, .varint(let flag)): result = .boolean(flag != 0)
      case (5, .bytes(let bytes)): result = .object(try object(bytes, depth: depth + 1))
      case (6, .bytes(let bytes)): result = .array(try elements(bytes, depth: depth + 1))
      default: break
      }
    }
    return result
  }

  static func object(_ bytes: ArraySlice<UInt8>, depth: Int) throws(SchemaError) -> JSONObject {
    var members = UniqueMembers()
    var fields = WireFields(bytes)
    while let (number, value) = try fields.next() {
      guard number == 1, let pair = value.bytes else { continue }
      var name = ""
      var content = JSONValue.null
      var pairFields = WireFields(pair)
      while let (number, value) = try pairFields.next() {
        if number == 1 { name = try value.text() }
        if number == 2 { content = try decode(value.bytes ?? [], depth: depth) }
      }
      members.set(name, content)
    }
    return members.object
  }

  static func elements(
    _ bytes: ArraySlice<UInt8>,
    depth: Int
  ) throws(SchemaError) -> [JSONValue] {
    var elements: [JSONValue] = []
    var fields = WireFields(bytes)
    while let (number, value) = try fields.next() {
      if number == 1 { elements.append(try decode(value.bytes ?? [], depth: depth)) }
    }
    return elements
  }
}
