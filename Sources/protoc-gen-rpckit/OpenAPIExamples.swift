import ProtoSchema

/// Values that show what a message looks like: valid by the rules of its fields, and the same every time.
struct OpenAPIExamples {
  let schema: Schema

  /// Messages inside one another, at most; messages can hold themselves.
  private static let depthMax = 3

  /// Some fields of a message with values.
  func object(_ fields: [FieldSchema], _ use: OpenAPIUse, depth: Int = 0) -> JSONNode {
    let shown = use == .answer ? answered(fields, depth) : asked(fields, depth)
    return .object(shown.map { ($0.jsonName, value(of: $0, use, depth)) })
  }

  /// The fields of an answer: everything, of a oneof the first member.
  private func answered(_ fields: [FieldSchema], _ depth: Int) -> [FieldSchema] {
    fields.filter { field in
      isFirst(field, in: fields) && (depth < Self.depthMax || OpenAPISchemas.isAlwaysThere(field))
    }
  }

  /// The fields of a request that it must have, and where that is nothing, the first few fields that it can
  /// have.
  private func asked(_ fields: [FieldSchema], _ depth: Int) -> [FieldSchema] {
    let needed = fields.filter { field in
      let rules = field.rules
      let isChosen = field.realOneof != nil && depth < Self.depthMax && isFirst(field, in: fields)
      return rules.isRequired || rules.itemCountMin > 0 || isChosen
    }
    guard needed.isEmpty, depth == 0 else { return needed }
    let plain = fields.filter { field in
      if case .message = field.type { return false }
      return field.name != "idempotency_key" && field.name != "page_token" && field.name != "page"
    }
    return Array(plain.prefix(3))
  }

  private func isFirst(_ field: FieldSchema, in fields: [FieldSchema]) -> Bool {
    guard let oneof = field.realOneof else { return true }
    return fields.first { $0.realOneof == oneof }?.name == field.name
  }

  private func value(of field: FieldSchema, _ use: OpenAPIUse, _ depth: Int) -> JSONNode {
    if let entry = schema.mapEntry(field) {
      return .object([("name", single(entry.fields[1], use, depth))])
    }
    guard field.isRepeated else { return single(field, use, depth) }
    if use == .answer, depth >= Self.depthMax { return [] }
    return .list(
      (0..<max(1, Int(field.rules.itemCountMin))).map { _ in single(field, use, depth) }
    )
  }

  private func single(_ field: FieldSchema, _ use: OpenAPIUse, _ depth: Int) -> JSONNode {
    if field.isEmbedded { return ["name": "value"] }
    switch field.type {
    case .message(let name):
      return Self.wellKnown(name)
        ?? object(schema.messages[name]?.fields ?? [], use, depth: depth + 1)
    case .enumeration(let name):
      // The first one says nothing where there are others.
      let values = schema.enums[name]?.values ?? []
      return .text((values.dropFirst().first ?? values.first)?.name ?? "")
    case .bool: return .flag(true)
    case .double, .float: return .number(number(field, isWhole: false))
    case .int32, .uint32: return .number(number(field, isWhole: true))
    case .int64, .uint64: return .text(number(field, isWhole: true))
    case .bytes: return "AQID"
    default: return .text(Self.text(field))
    }
  }

  private func number(_ field: FieldSchema, isWhole: Bool) -> String {
    let usual = isWhole ? 1 : 1.5
    let value = min(max(usual, field.rules.minimum ?? usual), field.rules.maximum ?? .infinity)
    return OpenAPISchemas.number(value)
  }

  private static func wellKnown(_ name: String) -> JSONNode? {
    switch name {
    case "google.protobuf.Timestamp": "2026-11-22T08:00:00Z"
    case "google.protobuf.Duration": "60s"
    case "google.protobuf.FieldMask": "name"
    case "google.protobuf.Struct": ["name": "value"]
    case "google.protobuf.Empty": [:]
    case "google.protobuf.Value": "value"
    case "google.protobuf.ListValue": ["value"]
    case "google.protobuf.Any":
      ["@type": "type.googleapis.com/google.protobuf.Empty", "value": [:]]
    default: nil
    }
  }

  // MARK: Texts

  private static func text(_ field: FieldSchema) -> String {
    let text = field.rules.pattern.isEmpty ? named(field.name) : matching(field.rules.pattern)
    let limit = Int(field.rules.byteCountMax)
    return limit > 0 && text.utf8.count > limit ? String(text.prefix(limit)) : text
  }

  /// A text that fits a pattern of the contracts: one of its words, or one that most of them fit.
  private static func matching(_ pattern: String) -> String {
    let known = [
      "[0-9]{4,6}": "4711", "[0-9]{6}": "471108", "[0-9 ]{6,16}": "471 108",
      "[0-9]{4}-[0-9]{2}-[0-9]{2}": "2026-11-22",
      "[A-Z0-9]*": "ABC123", "[^@ ]+@[^@ ]+": "ada@example.com",
    ]
    if let text = known[pattern] { return text }
    let choices = pattern.split(separator: "|")
    if choices.count > 1 { return String(choices[0]) }
    // An identifier begins with what it is of: `usr_[A-Za-z0-9_-]{1,60}`.
    let prefix = pattern.prefix { $0 != "[" }
    return prefix.isEmpty ? "example" : prefix + "06d3k5q8"
  }

  private static let prefixes = [
    "user": "usr", "portfolio": "prt", "property": "prp", "unit": "unt", "device": "dev",
    "session": "ses", "family": "fam", "child": "chd", "invitation": "inv", "pass": "pas",
  ]

  private static func named(_ name: String) -> String {
    if name == "id" || name.hasSuffix("_id") || name.hasSuffix("_ids") {
      let owner = name.split(separator: "_").first.map(String.init) ?? ""
      return "\(prefixes[owner] ?? "ent")_06d3k5q8"
    }
    switch name {
    case "next_page_token", "page_token": return ""
    case "time_zone": return "Europe/Berlin"
    case "revision", "expected_revision": return "AAAAAAAAAAGkVtYl"
    case "idempotency_key": return "9f0d6b1e"
    default: break
    }
    if name.contains("email") { return "ada@example.com" }
    if name.hasSuffix("url") || name.hasSuffix("uri") { return "https://app.example.com" }
    return name.hasSuffix("name") ? "Harbour" : "text"
  }
}
