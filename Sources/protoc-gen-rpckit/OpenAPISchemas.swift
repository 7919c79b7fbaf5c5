import ProtoSchema

/// Where a value stands, which says what it may be and what is sure to be there.
enum OpenAPIUse {
  /// In a path or a query.
  case parameter
  /// In a body that a client sends.
  case request
  /// In what a service answers.
  case answer
}

/// Messages and enums as schemas of OpenAPI 3.1, whose schemas are those of JSON Schema 2020-12.
struct OpenAPISchemas {
  /// A schema that was asked for.
  private struct Component {
    let type: String
    let use: OpenAPIUse
  }

  let schema: Schema
  let examples: OpenAPIExamples
  private let reach: OpenAPIReach
  /// Those that were asked for and have not been written.
  private var wanted: [String] = []
  private var known: [String: Component] = [:]
  /// Messages that are whole bodies, which have examples.
  private var bodies: Set<String> = []

  init(_ schema: Schema) {
    self.schema = schema
    reach = OpenAPIReach(schema)
    examples = OpenAPIExamples(schema: schema)
  }

  /// A reference to a message or enum, which is written with the others; `isBody` says that it is all that is
  /// sent or answered.
  mutating func reference(to type: String, _ use: OpenAPIUse, isBody: Bool = false) -> JSONNode {
    let name = name(of: type, use)
    if known[name] == nil {
      known[name] = Component(type: type, use: use)
      wanted.append(name)
    }
    if isBody { bodies.insert(name) }
    return ["$ref": .text("#/components/schemas/\(name)")]
  }

  /// The name of a schema; a type in requests and answers is two: an answer has all its fields, and a request
  /// need not.
  private func name(of type: String, _ use: OpenAPIUse) -> String {
    use == .request && schema.messages[type] != nil && reach.answers.contains(type)
      ? "\(type).Input" : type
  }

  /// All that was referred to, and what that refers to, by name.
  mutating func components() -> [(name: String, value: JSONNode)] {
    var components: [(name: String, value: JSONNode)] = []
    while let name = wanted.popLast() {
      guard let component = known[name] else { continue }
      if let message = schema.messages[component.type] {
        let isBody = bodies.contains(name)
        components.append(
          (name, object(message.fields, of: message, component.use, isBody: isBody))
        )
      } else if let enumeration = schema.enums[component.type] {
        components.append((name, self.enumeration(enumeration)))
      }
    }
    return components.sorted { $0.name < $1.name }
  }

  /// Some fields of a message as an object.
  mutating func object(
    _ fields: [FieldSchema],
    of message: MessageSchema,
    _ use: OpenAPIUse,
    isBody: Bool = false
  ) -> JSONNode {
    var members: [(name: String, value: JSONNode)] = [("type", "object")]
    if !message.comment.isEmpty {
      members.append(("description", .text(Self.prose(message.comment))))
    }
    var properties: [(name: String, value: JSONNode)] = []
    for field in fields { properties.append((field.jsonName, property(field, use))) }
    members.append(("properties", .object(properties)))
    let required = fields.filter { use == .answer ? Self.isAlwaysThere($0) : Self.isNeeded($0) }
      .map { JSONNode.text($0.jsonName) }
    if !required.isEmpty { members.append(("required", .list(required))) }
    if use == .request, !reach.lenientRequests.contains(message.fullName),
      !reach.openRequests.contains(message.fullName)
    {
      members.append(("additionalProperties", .flag(false)))
    }
    let choices = choices(fields, of: message)
    if !choices.isEmpty { members.append(("allOf", .list(choices))) }
    if isBody { members.append(("examples", [examples.object(fields, use)])) }
    return .object(members)
  }

  /// Whether a request is refused without the field.
  static func isNeeded(_ field: FieldSchema) -> Bool {
    field.rules.isRequired || field.rules.itemCountMin > 0
  }

  /// Whether an answer has the field whatever its value: what has presence is left out where it is not set.
  static func isAlwaysThere(_ field: FieldSchema) -> Bool {
    if field.isRepeated { return field.absentIf.isEmpty }
    if field.isEmbedded { return false }
    if case .message = field.type { return false }
    return !field.isOptional && field.realOneof == nil
  }

  /// Of each oneof at most one member.
  private func choices(_ fields: [FieldSchema], of message: MessageSchema) -> [JSONNode] {
    message.oneofs.indices.compactMap { index in
      let names = fields.filter { $0.realOneof == index }.map { $0.jsonName }
      guard names.count > 1 else { return nil }
      let each = names.map { name -> JSONNode in ["required": [.text(name)]] }
      return ["oneOf": .list([["not": ["anyOf": .list(each)]]] + each)]
    }
  }

  private func enumeration(_ enumeration: EnumSchema) -> JSONNode {
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
  mutating func property(_ field: FieldSchema, _ use: OpenAPIUse) -> JSONNode {
    var result: JSONNode
    if let entry = schema.mapEntry(field) {
      result = ["type": "object", "additionalProperties": value(entry.fields[1], use)]
    } else if field.isRepeated {
      result = ["type": "array", "items": value(field, use)]
      if field.rules.itemCountMin > 0 {
        result = result.adding([("minItems", .number("\(field.rules.itemCountMin)"))])
      }
      if field.rules.itemCountMax > 0 {
        result = result.adding([("maxItems", .number("\(field.rules.itemCountMax)"))])
      }
    } else {
      result = value(field, use)
    }
    // Null is a field that is not there.
    if use == .request, !Self.isNeeded(field) { result = result.orNull }
    let prose = Self.prose(field.comment)
    return prose.isEmpty ? result : result.adding([("description", .text(prose))])
  }

  /// One value of a field, with the rules that each value has.
  private mutating func value(_ field: FieldSchema, _ use: OpenAPIUse) -> JSONNode {
    let rules = field.rules
    var bounds: [(name: String, value: JSONNode)] = []
    switch field.type {
    case .message(let name): return wellKnown(name) ?? reference(to: name, use)
    case .enumeration(let name): return reference(to: name, use)
    // Any value, as the field's comment says; in a request also a string with its text.
    case .string where field.isEmbedded: return [:]
    case .string:
      // Characters are never more than bytes, which the rule counts.
      if rules.byteCountMax > 0 { bounds.append(("maxLength", .number("\(rules.byteCountMax)"))) }
      if rules.isRequired { bounds.append(("minLength", .number("1"))) }
      if !rules.pattern.isEmpty, !field.isRepeated {
        // Without presence an empty text says that there is none.
        let pattern = "^(?:\(rules.pattern))\(rules.isRequired || field.isOptional ? "" : "?")$"
        bounds.append(("pattern", .text(pattern)))
      }
    // Text has no bounds but its digits.
    case .int64, .uint64: break
    default:
      if let minimum = rules.minimum { bounds.append(("minimum", .number(Self.number(minimum)))) }
      if let maximum = rules.maximum { bounds.append(("maximum", .number(Self.number(maximum)))) }
    }
    return Self.scalar(field.type, minimum: rules.minimum).adding(bounds)
  }

  private static func scalar(_ type: FieldType, minimum: Double?) -> JSONNode {
    switch type {
    case .double: ["type": "number", "format": "double"]
    case .float: ["type": "number", "format": "float"]
    case .int32: ["type": "integer", "format": "int32"]
    case .uint32:
      minimum == nil ? ["type": "integer", "minimum": .number("0")] : ["type": "integer"]
    // Numbers of 64 bits are text: JSON's own are not exact in every language.
    case .int64:
      [
        "type": "string", "format": "int64",
        "pattern": .text((minimum ?? -1) < 0 ? "^-?[0-9]{1,19}$" : "^[0-9]{1,19}$"),
      ]
    case .uint64: ["type": "string", "format": "uint64", "pattern": "^[0-9]{1,20}$"]
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

  static func number(_ value: Double) -> String {
    Int64(exactly: value).map { "\($0)" } ?? "\(value)"
  }

  /// The first sentence of a comment, without its full stop.
  static func summary(_ comment: String) -> String {
    let prose = prose(comment)
    var sentence = ""
    for word in prose.split(separator: " ") {
      sentence += sentence.isEmpty ? word : " \(word)"
      guard sentence.last != "." && sentence.last != ":" && sentence.last != ";" else { break }
    }
    while let last = sentence.last, ".:;".contains(last) { sentence.removeLast() }
    return sentence
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
