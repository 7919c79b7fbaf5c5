extension FieldSchema {
  /// Elements that lie in one field, without a tag each.
  func packed(_ bytes: ArraySlice<UInt8>) throws(SchemaError) -> [WireFields.Value] {
    let wireKind: WireFields.Kind =
      switch kind {
      case .double, .fixed64, .sfixed64: .fixed64
      case .float, .fixed32, .sfixed32: .fixed32
      default: .varint
      }
    var values: [WireFields.Value] = []
    var fields = WireFields(bytes)
    while !fields.isAtEnd { values.append(try fields.value(wireKind)) }
    return values
  }

  /// Whether elements may be packed.
  var isPackable: Bool { kind != .message && kind != .string && kind != .bytes }

  /// The value that stands for a missing one.
  var defaultValue: WireFields.Value {
    switch kind {
    case .double, .fixed64, .sfixed64: .fixed64(0)
    case .float, .fixed32, .sfixed32: .fixed32(0)
    case .message, .string, .bytes: .bytes([])
    default: .varint(0)
    }
  }
}

extension WireFields.Value {
  /// Whether this is what a field without presence has when it is not set.
  var isDefault: Bool {
    switch self {
    case .varint(let number): number == 0
    case .fixed32(let number): number == 0
    case .fixed64(let number): number == 0
    case .bytes(let bytes): bytes.isEmpty
    }
  }
}
