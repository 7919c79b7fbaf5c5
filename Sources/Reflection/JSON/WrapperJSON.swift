/// The wrappers of google.protobuf (wrappers.proto): messages around one value, whose JSON is that value alone.
enum WrapperJSON {
  /// The only field of a wrapper; nil for other types.
  static func field(of type: String) -> FieldSchema? { fields[type] }

  private static let fields: [String: FieldSchema] = {
    let kinds: [(String, FieldSchema.Kind)] = [
      ("Double", .double), ("Float", .float), ("Int64", .int64), ("UInt64", .uint64),
      ("Int32", .int32), ("UInt32", .uint32), ("Bool", .bool), ("String", .string),
      ("Bytes", .bytes),
    ]
    var fields: [String: FieldSchema] = [:]
    for (name, kind) in kinds {
      var field = FieldSchema()
      (field.name, field.jsonName, field.number, field.kind) = ("value", "value", 1, kind)
      fields["google.protobuf.\(name)Value"] = field
    }
    return fields
  }()
}
