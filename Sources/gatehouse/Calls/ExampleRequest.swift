internal import Reflection
internal import ServiceKit

/// Makes requests that keep the contract's rules, with names in capitals where values go.
///
/// They have the fields that must be set, those whose absence means something (`optional`), and the
/// first of each oneof.
struct ExampleRequest {
  let registry: SchemaRegistry

  /// Messages inside one another, at most: a type may contain itself.
  private static let depthMax = 8

  /// A command line that calls the method; nil when gatehouse cannot, or may not.
  func commandLine(of method: MethodSchema) throws -> String? {
    guard !method.isClientStreaming, method.caller != "service" else { return nil }
    let package = method.service.split(separator: ".").first.map(String.init) ?? ""
    let isOurs = CommandLineOptions.defaultTargets[package] != nil
    let name = method.service.split(separator: ".").last.map(String.init) ?? ""
    let short = "\(name)/\(method.name)"
    let path = registry.method(short) == nil ? method.path : short
    let words = [
      "gatehouse", method.isServerStreaming ? "watch" : "call", isOurs ? "" : "auth", path,
      "'\(try value(of: method.requestType).text)'",
    ]
    return words.filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// A value of a message type.
  func value(of type: String) throws -> JSONValue {
    try message(type, depth: 1)
  }

  private func message(_ type: String, depth: Int) throws -> JSONValue {
    switch type {
    case "google.protobuf.Timestamp": return "2030-01-01T00:00:00Z"
    case "google.protobuf.Duration": return "60s"
    case "google.protobuf.FieldMask": return "name"
    case "google.protobuf.Struct": return ["NAME": "VALUE"]
    case "google.protobuf.Value": return "VALUE"
    default: break
    }
    var object = JSONObject()
    var chosen: Set<Int> = []
    for field in try registry.message(type).fields {
      let rules = field.rules
      var isShown = rules.isRequired || rules.itemCountMin > 0 || field.isOptional
      if let oneof = field.realOneof { isShown = chosen.insert(oneof).inserted }
      guard isShown, depth < Self.depthMax else { continue }
      object[field.jsonName] = try value(of: field, depth)
    }
    return .object(object)
  }

  private func value(of field: FieldSchema, _ depth: Int) throws -> JSONValue {
    if let entry = registry.mapEntry(of: field), let content = entry.fields.last {
      return ["NAME": try single(content, depth)]
    }
    let value = try single(field, depth)
    return field.isRepeated
      ? .array(Array(repeating: value, count: max(1, field.rules.itemCountMin))) : value
  }

  private func single(_ field: FieldSchema, _ depth: Int) throws -> JSONValue {
    switch field.kind {
    case .message: return try message(field.typeName, depth: depth + 1)
    case .enum:
      let values = try registry.enumeration(field.typeName).values
      return (values.first { $0.number != 0 } ?? values.first).map { .string($0.name) } ?? 0
    case .bool: return true
    case .string: return .string(text(field))
    case .bytes: return .string(Self.zeros(max(field.rules.byteCountMin, 3)))
    default:
      let number = max(field.rules.minimum ?? 1, min(1, field.rules.maximum ?? 1))
      let whole = Int64(exactly: number).map { JSONNumber($0) }
      return (whole ?? JSONNumber(number)).map { .number($0) } ?? .null
    }
  }

  private func text(_ field: FieldSchema) -> String {
    let rules = field.rules
    if let choice = rules.choices.first { return choice }
    if rules.pattern.contains("@") || field.name == "email" { return "ada@example.com" }
    let name =
      field.isRepeated && field.name.hasSuffix("s") ? String(field.name.dropLast()) : field.name
    let word = rules.pattern.isEmpty ? name.uppercased() : name.filter(\.isLetter)
    let missing = rules.byteCountMin - word.utf8.count
    if missing > 0 { return word + String(repeating: "X", count: missing) }
    return rules.byteCountMax > 0 ? String(word.prefix(rules.byteCountMax)) : word
  }

  /// So many zero bytes in base64.
  private static func zeros(_ count: Int) -> String {
    String(repeating: "AAAA", count: count / 3) + ["", "AA==", "AAA="][count % 3]
  }
}
