/// Elements that lie in one field, without a tag each.
enum PackedFields {
  static func values(
    _ bytes: ArraySlice<UInt8>,
    _ kind: FieldSchema.Kind
  ) throws(ReflectionError) -> [WireFields.Value] {
    let tag: UInt8 =
      switch kind {
      case .double, .fixed64, .sfixed64: 1 << 3 | 1
      case .float, .fixed32, .sfixed32: 1 << 3 | 5
      default: 1 << 3
      }
    // Each element becomes a field of its own, so that one reader of fields is enough.
    var values: [WireFields.Value] = []
    var rest = bytes
    while !rest.isEmpty {
      let end = rest.firstIndex { $0 & 0x80 == 0 } ?? rest.endIndex - 1
      let width = tag & 7 == 1 ? 8 : tag & 7 == 5 ? 4 : end - rest.startIndex + 1
      try WireFields(([tag] + rest.prefix(width))[...]).forEach { (_, value) in
        values.append(value)
      }
      rest = rest.dropFirst(width)
    }
    return values
  }
}

extension FieldSchema {
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
