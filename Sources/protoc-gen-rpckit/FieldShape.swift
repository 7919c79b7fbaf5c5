import ProtoSchema

/// A field with everything about it that the writers ask for.
struct FieldShape {
  enum Storage {
    /// The value itself; its default stands for absence.
    case plain
    /// An optional value: proto3 `optional`, or a message.
    case optional
    /// An optional message behind a pointer.
    case boxed
    case array
    case dictionary(key: FieldSchema, value: FieldSchema, entry: MessageSchema)
  }

  let field: FieldSchema
  let storage: Storage
  /// Name of the Swift property.
  let name: String
  /// Type of one value.
  let valueType: String
  /// Name of the C struct member.
  let cName: String
  /// Name of the oneof in C that says whether the field is set, if it needs one.
  let cPresence: String

  /// Name of the case in its oneof.
  var caseName: String { SwiftNames.oneofCase(field.name) }

  init(_ field: FieldSchema, in message: MessageSchema, schema: Schema) {
    self.field = field
    name = SwiftNames.member(field.name)
    valueType = schema.swiftType(field.type)
    cName = field.cName
    cPresence = field.cPresence
    if let entry = schema.mapEntry(field) {
      storage = .dictionary(key: entry.fields[0], value: entry.fields[1], entry: entry)
    } else if field.isRepeated {
      storage = .array
    } else if case .message(let type) = field.type {
      storage = schema.isBoxed(type, in: message.fullName) ? .boxed : .optional
    } else {
      storage = field.isOptional ? .optional : .plain
    }
  }

  /// The type of the Swift property.
  func propertyType(_ schema: Schema) -> String {
    switch storage {
    case .plain: valueType
    case .optional, .boxed: "\(valueType)?"
    case .array: "[\(valueType)]"
    case .dictionary(let key, let value, _):
      "[\(schema.swiftType(key.type)): \(schema.swiftType(value.type))]"
    }
  }

  /// The default value of the Swift property.
  var defaultValue: String {
    switch storage {
    case .optional, .boxed: return "nil"
    case .array: return "[]"
    case .dictionary: return "[:]"
    case .plain:
      switch field.type {
      case .bool: return "false"
      case .string: return "\"\""
      case .bytes: return "[]"
      case .enumeration: return "\(valueType)(rawValue: 0)"
      default: return "0"
      }
    }
  }

  /// Where a boxed field keeps its value: an array of none or one.
  var boxName: String { SwiftNames.helper(field.name, "storage") }
}
