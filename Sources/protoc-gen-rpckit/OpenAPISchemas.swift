/// Messages and enums as schemas of OpenAPI 3.1, whose schemas are those of JSON Schema 2020-12.
struct OpenAPISchemas {
  let schema: Schema
  /// Those that were asked for and have not been written.
  private var wanted: [String] = []
  private var known: Set<String> = []

  init(_ schema: Schema) {
    self.schema = schema
  }

  /// A reference to a message or enum, which is written with the others.
  mutating func reference(to name: String) -> JSONNode {
    if known.insert(name).inserted { wanted.append(name) }
    return ["$ref": .text("#/components/schemas/\(name)")]
  }

  /// All that was referred to, and what that refers to, by name.
  mutating func components() -> [(name: String, value: JSONNode)] {
    var components: [(name: String, value: JSONNode)] = []
    while let name = wanted.popLast() {
      if let message = schema.messages[name] {
        components.append((name, object(message.fields, of: message)))
      } else if let enumeration = schema.enums[name] {
        components.append((name, self.enumeration(enumeration)))
      }
    }
    return components.sorted { $0.name < $1.name }
  }

  /// Some fields of a message as an object.
  mutating func object(_ fields: [SchemaField], of message: SchemaMessage) -> JSONNode {
    var members: [(name: String, value: JSONNode)] = [("type", "object")]
    if !message.comment.isEmpty {
      members.append(("description", .text(Self.prose(message.comment))))
    }
    var properties: [(name: String, value: JSONNode)] = []
    for field in fields { properties.append((field.jsonName, property(field))) }
    members.append(("properties", .object(properties)))
    let required = fields.filter(\.rules.isRequired).map { JSONNode.text($0.jsonName) }
    if !required.isEmpty { members.append(("required", .list(required))) }
    let choices = choices(fields, of: message)
    if !choices.isEmpty { members.append(("allOf", .list(choices))) }
    return .object(members)
  }

  /// Of each oneof at most one member.
  private func choices(_ fields: [SchemaField], of message: SchemaMessage) -> [JSONNode] {
    message.oneofs.indices.compactMap { index in
      let names = fields.filter { $0.oneofIndex == index }.map { $0.jsonName }
      guard names.count > 1 else { return nil }
      let each = names.map { name -> JSONNode in ["required": [.text(name)]] }
      return ["oneOf": .list([["not": ["anyOf": .list(each)]]] + each)]
    }
  }

  private func enumeration(_ enumeration: SchemaEnum) -> JSONNode {
    let values = enumeration.values.map { value in
      let comment = Self.prose(value.comment)
      return "- `\(value.name)`\(comment.isEmpty ? "" : ": \(comment)")"
    }
    let prose = Self.prose(enumeration.comment)
    return [
      "type": "string",
      "description": .text(([prose] + values).filter { !$0.isEmpty }.joined(separator: "\n")),
      "enum": .list(enumeration.values.map { .text($0.name) }),
    ]
  }

  /// A field with its comment and its rules.
  mutating func property(_ field: SchemaField) -> JSONNode {
    var result: JSONNode
    if let entry = schema.mapEntry(field) {
      result = ["type": "object", "additionalProperties": value(entry.fields[1])]
    } else if field.isRepeated {
      result = ["type": "array", "items": value(field)]
      if field.rules.itemCountMin > 0 {
        result = result.adding([("minItems", .number("\(field.rules.itemCountMin)"))])
      }
      if field.rules.itemCountMax > 0 {
        result = result.adding([("maxItems", .number("\(field.rules.itemCountMax)"))])
      }
    } else {
      result = value(field)
    }
    let prose = Self.prose(field.comment)
    return prose.isEmpty ? result : result.adding([("description", .text(prose))])
  }

  /// One value of a field, with the rules that each value has.
  private mutating func value(_ field: SchemaField) -> JSONNode {
    let rules = field.rules
    var bounds: [(name: String, value: JSONNode)] = []
    switch field.type {
    case .message(let name): return wellKnown(name) ?? reference(to: name)
    case .enumeration(let name): return reference(to: name)
    case .string:
      // Characters are never more than bytes, which the rule counts.
      if rules.byteCountMax > 0 { bounds.append(("maxLength", .number("\(rules.byteCountMax)"))) }
      if rules.isRequired { bounds.append(("minLength", .number("1"))) }
      if !rules.pattern.isEmpty, !field.isRepeated {
        // Without presence an empty text says that there is none.
        let pattern = "^(?:\(rules.pattern))\(rules.isRequired || field.hasPresence ? "" : "?")$"
        bounds.append(("pattern", .text(pattern)))
      }
    default:
      if let minimum = rules.minimum { bounds.append(("minimum", .number(Self.number(minimum)))) }
      if let maximum = rules.maximum { bounds.append(("maximum", .number(Self.number(maximum)))) }
    }
    return Self.scalar(field.type, isBounded: rules.minimum != nil).adding(bounds)
  }

  private static func scalar(_ type: SchemaType, isBounded: Bool) -> JSONNode {
    switch type {
    case .double: ["type": "number", "format": "double"]
    case .float: ["type": "number", "format": "float"]
    case .int32: ["type": "integer", "format": "int32"]
    case .uint32: isBounded ? ["type": "integer"] : ["type": "integer", "minimum": .number("0")]
    // Numbers of 64 bits are text: JSON's own are not exact in every language.
    case .int64: ["type": "string", "format": "int64"]
    case .uint64: ["type": "string", "format": "uint64"]
    case .bool: ["type": "boolean"]
    case .bytes: ["type": "string", "format": "byte"]
    default: ["type": "string"]
    }
  }

  /// Types of google.protobuf with a JSON form of their own.
  private func wellKnown(_ name: String) -> JSONNode? {
    switch name {
    case "google.protobuf.Timestamp": ["type": "string", "format": "date-time"]
    case "google.protobuf.Duration":
      ["type": "string", "pattern": #"^-?[0-9]+(\.[0-9]{1,9})?s$"#]
    case "google.protobuf.FieldMask": ["type": "string"]
    case "google.protobuf.Struct", "google.protobuf.Empty": ["type": "object"]
    case "google.protobuf.Value": [:]
    case "google.protobuf.ListValue": ["type": "array", "items": [:]]
    case "google.protobuf.Any":
      ["type": "object", "properties": ["@type": ["type": "string"]], "required": ["@type"]]
    default: nil
    }
  }

  private static func number(_ value: Double) -> String {
    Int64(exactly: value).map { "\($0)" } ?? "\(value)"
  }

  /// A comment as running text.
  static func prose(_ comment: String) -> String {
    comment.split(whereSeparator: \.isNewline)
      .map { line in
        var line = line.drop { $0 == " " }
        while line.last?.isWhitespace == true { line.removeLast() }
        return String(line)
      }
      .joined(separator: " ")
  }
}
