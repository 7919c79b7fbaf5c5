import ProtoSchema

/// The type of a field in Swift and C, which do not tell the encodings of a number apart.
enum FieldType: Hashable {
  case double, float
  case int32, int64, uint32, uint64
  case bool, string, bytes
  case message(String)
  case enumeration(String)
  case group

  /// Whether `gte` and `lte` can apply.
  var isNumber: Bool {
    switch self {
    case .double, .float, .int32, .int64, .uint32, .uint64: true
    default: false
    }
  }

  /// Whether `min_len` and `max_len` can apply.
  var isText: Bool { self == .string || self == .bytes }

  /// Whether this is an enum.
  var isEnumeration: Bool {
    if case .enumeration = self { true } else { false }
  }
}

extension FieldSchema {
  var type: FieldType {
    switch kind {
    case .double: .double
    case .float: .float
    case .int32, .sint32, .sfixed32: .int32
    case .int64, .sint64, .sfixed64: .int64
    case .uint32, .fixed32: .uint32
    case .uint64, .fixed64: .uint64
    case .bool: .bool
    case .string: .string
    case .bytes: .bytes
    case .message: .message(typeName)
    case .enum: .enumeration(typeName)
    case .group: .group
    }
  }

  /// The struct member in C.
  var cName: String { CNames.field(name, number: number) }

  /// The oneof in C that says whether the field is set, if it needs one.
  var cPresence: String { CNames.presence(name, number: number) }

  /// Whether the C struct must say that the field is set although the contract does not ask for it:
  /// protobuf-c takes -0.0 for the default and would not send it.
  var needsPresenceInC: Bool {
    (type == .double || type == .float) && !isRepeated && !hasPresence
  }
}
