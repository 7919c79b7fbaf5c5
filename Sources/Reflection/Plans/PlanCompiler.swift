internal import RPCKit
internal import StrictJSON

/// Makes plans of types and of what they hold, each once.
struct PlanCompiler {
  private let registry: SchemaRegistry
  private let unset: MessageJSON.UnsetFields
  private let rules: MessageJSON.Rules
  /// Types in the order of their places.
  private var types: [String] = []
  private(set) var places: [String: Int] = [:]
  private(set) var messages: [MessagePlan] = []
  private(set) var enums: [EnumPlan] = []
  private var enumPlaces: [String: Int] = [:]

  init(_ registry: SchemaRegistry, unset: MessageJSON.UnsetFields, rules: MessageJSON.Rules) {
    (self.registry, self.unset, self.rules) = (registry, unset, rules)
  }

  /// The place that the plan of a type will have.
  @discardableResult
  mutating func add(_ type: String) -> Int {
    if let place = places[type] { return place }
    types.append(type)
    places[type] = types.count - 1
    return types.count - 1
  }

  /// Makes the plans of what was added, and of what those hold.
  mutating func compile() throws(SchemaError) {
    while messages.count < types.count {
      messages.append(try plan(try registry.message(types[messages.count])))
    }
  }

  private mutating func plan(_ schema: MessageSchema) throws(SchemaError) -> MessagePlan {
    var text: [UInt8] = []
    var names: [MessagePlan.Name] = []
    var fields: [FieldPlan] = []
    for (place, field) in schema.fields.enumerated() {
      for name in [field.jsonName] + (field.name == field.jsonName ? [] : [field.name])
        + (field.json?.also ?? [])
      {
        names.append(.init(place: Self.append(Array(name.utf8), to: &text), field: place))
      }
      var key: [UInt8] = []
      JSONText.appendQuoted(field.jsonName, to: &key)
      key.append(UInt8(ascii: ":"))
      fields.append(
        FieldPlan(
          number: field.number,
          form: try form(of: field),
          isRepeated: field.isRepeated,
          isPackable: field.isPackable,
          showsDefault: field.hasPresence || field.kind == .message,
          oneof: field.oneof,
          key: Self.append(key, to: &text),
          absent: Self.append(try absent(field), to: &text),
          absentIf: absentIf(field, schema)
        )
      )
    }
    return MessagePlan(schema, fields, names, text: text)
  }

  private static func append(_ part: [UInt8], to text: inout [UInt8]) -> MessagePlan.Place {
    let start = text.count
    text += part
    return .init(start: Int32(start), end: Int32(text.count))
  }

  private func absent(_ field: FieldSchema) throws(SchemaError) -> [UInt8] {
    guard unset != .omitted, rules != .rest || field.json?.omitsEmpty != true else { return [] }
    var decoder = MessageDecoder(registry: registry, unset: unset, rules: rules)
    return try decoder.absent(field)?.bytes ?? []
  }

  private func absentIf(_ field: FieldSchema, _ schema: MessageSchema) -> Int? {
    guard rules == .rest, let name = field.json?.absentIf, !name.isEmpty else { return nil }
    return schema.fields.firstIndex { $0.name == name }
  }

  private mutating func form(of field: FieldSchema) throws(SchemaError) -> FieldPlan.Form {
    switch field.kind {
    case .string:
      let isOwn = rules == .rest && (field.isEmbedded || field.json?.spelling != nil)
      return isOwn ? .tree : .string
    case .bool: return .bool
    case .int32: return .int32
    case .int64: return .int64
    case .uint32: return .uint32
    case .uint64: return .uint64
    case .enum:
      guard field.typeName != DynamicValue.nullType else { return .tree }
      return .enumeration(try enumeration(field.typeName))
    case .message:
      if field.typeName == "google.protobuf.Timestamp" { return .timestamp }
      guard !WellKnownJSON.has(field.typeName), registry.mapEntry(of: field) == nil else {
        return .tree
      }
      return .message(add(field.typeName))
    default: return .tree
    }
  }

  private mutating func enumeration(_ type: String) throws(SchemaError) -> Int {
    if let place = enumPlaces[type] { return place }
    enums.append(EnumPlan(try registry.enumeration(type), rules))
    enumPlaces[type] = enums.count - 1
    return enums.count - 1
  }
}
