import RPCKitTesting

@testable import ProtoSchema
@testable import Reflection

/// Messages of any type at random: all fields, repetitions, packed and not, unknown ones, and a mistake now and then.
struct RandomMessages {
  let registry: SchemaRegistry
  var random: SimulationRandom
  /// Of a thousand fields, those that no message may have.
  var mistakes = 0

  /// An encoded message of a type.
  mutating func message(_ type: String, depth: Int = 0) throws -> [UInt8] {
    let schema = try registry.message(type)
    var bytes: [UInt8] = []
    var chosen: Set<Int> = []
    for field in schema.fields where random.number(in: 0...3) > depth / 2 {
      if let oneof = field.oneof, !chosen.insert(oneof).inserted, !isMistaken() { continue }
      let count = field.isRepeated ? random.number(in: 0...3) : isMistaken() ? 2 : 1
      for _ in 0..<count { bytes += try value(of: field, depth: depth) }
      if field.isRepeated, field.isPackable, random.number(in: 0...1) == 0 {
        bytes += try packed(field)
      }
    }
    if random.number(in: 0...9) == 0 { bytes += WireWriting.varint(7, field: 4000) }
    if isMistaken() { bytes.append(UInt8(random.number(in: 0...255))) }
    return bytes
  }

  private mutating func isMistaken() -> Bool { random.number(in: 0...999) < mistakes }

  private mutating func packed(_ field: FieldSchema) throws -> [UInt8] {
    var content: [UInt8] = []
    for _ in 0..<random.number(in: 0...3) {
      var element = try value(of: field, depth: 0)[...]
      // Behind the tag, which takes one byte or two.
      while let byte = element.popFirst(), byte & 0x80 != 0 {}
      content += element
    }
    return WireWriting.bytes(content, field: field.number)
  }

  private mutating func value(of field: FieldSchema, depth: Int) throws -> [UInt8] {
    let number = field.number
    switch field.kind {
    case .message:
      guard depth < 4 else { return WireWriting.bytes([], field: number) }
      return WireWriting.bytes(try content(of: field.typeName, depth: depth + 1), field: number)
    case .string: return WireWriting.text(text(), field: number)
    case .bytes:
      return WireWriting.bytes((0..<random.number(in: 0...9)).map { UInt8($0) }, field: number)
    case .bool: return WireWriting.varint(UInt64(random.number(in: 0...1)), field: number)
    case .enum:
      let known = try registry.enumeration(field.typeName).values
      let value = known[random.number(in: 0...known.count - 1)].number
      return WireWriting.varint(UInt64(bitPattern: Int64(isMistaken() ? 99 : value)), field: number)
    case .double, .fixed64, .sfixed64:
      return WireWriting.fixed64(Double(random.number(in: -9...9)).bitPattern, field: number)
    case .float, .fixed32, .sfixed32:
      return WireWriting.fixed32(Float(random.number(in: -9...9)).bitPattern, field: number)
    default:
      let magnitude = UInt64(random.skewedNumber(in: 0...Int(Int32.max)))
      let wide = random.number(in: 0...3) == 0 ? UInt64(bitPattern: -Int64(magnitude)) : magnitude
      let isUnsigned = field.kind == .uint32 || field.kind == .uint64
      return WireWriting.varint(isUnsigned ? magnitude : wide, field: number)
    }
  }

  private mutating func content(of type: String, depth: Int) throws -> [UInt8] {
    switch type {
    case "google.protobuf.Timestamp", "google.protobuf.Duration":
      let seconds = UInt64(random.skewedNumber(in: 0...2_000_000_000))
      let fractions: [UInt64] = [0, 5_000_000, 123_456_789, 120_000]
      return WireWriting.varint(seconds, field: 1)
        + WireWriting.varint(fractions[random.number(in: 0...3)], field: 2)
    case "google.protobuf.FieldMask": return WireWriting.text("page_size", field: 1)
    case "google.protobuf.Value": return WireWriting.text(text(), field: 3)
    default: return try message(type, depth: depth)
    }
  }

  private mutating func text() -> String {
    let texts = [
      "", "a", "usr_06xrk5tq8k", "two words", "Zoë", "a\"quote\"", "back\\slash", "line\nfeed",
      "\u{202E}x", "{\"a\":[1,null]}", "🙂", "\u{0}", "long " + String(repeating: "x", count: 200),
    ]
    return texts[random.number(in: 0...texts.count - 1)]
  }
}
