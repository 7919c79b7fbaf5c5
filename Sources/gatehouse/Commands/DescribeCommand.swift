internal import Reflection

/// `gatehouse describe`: a method with its messages, a message or an enum.
struct DescribeCommand: Command {
  /// A method or a type, with or without its package.
  let name: String

  func run(_ context: CommandContext) async throws {
    for line in try description(in: context.registry) { try context.console.line(line) }
  }

  private func description(in registry: SchemaRegistry) throws -> [String] {
    guard !name.contains("/") else {
      return try describe(MethodLookup.method(name, in: registry), registry)
    }
    let names = registry.typeNames(matching: name)
    guard let type = names.first else {
      throw UsageError("unknown method or type \"\(name)\"; gatehouse list shows the methods")
    }
    guard names.count == 1 else {
      throw UsageError("\"\(name)\" is ambiguous; it can be \(names.joined(separator: " or "))")
    }
    return try describe(type: type, registry)
  }

  private func describe(_ method: MethodSchema, _ registry: SchemaRegistry) throws -> [String] {
    let lines = [
      method.path,
      "  takes       \(method.isClientStreaming ? "stream of " : "")\(method.requestType)",
      "  answers     \(method.isServerStreaming ? "stream of " : "")\(method.responseType)",
      "  callers     \(CallerText.callers(method))",
      "  step-up     \(method.stepUp.isEmpty ? "none" : method.stepUp)",
      "  idempotent  \(method.isIdempotent ? "yes" : "no")",
    ]
    return lines + [""] + (try describe(type: method.requestType, registry)) + [""]
      + (try describe(type: method.responseType, registry))
  }

  private func describe(type: String, _ registry: SchemaRegistry) throws -> [String] {
    if let schema = try? registry.enumeration(type) {
      // Not an enum is not a failure: then it is a message.
      return ["enum \(type)"] + schema.values.map { "  \($0.name) = \($0.number)" }
    }
    let fields = try registry.message(type).fields
    let width = fields.map(\.jsonName.count).max() ?? 0
    return ["message \(type)"]
      + fields.map { field in
        let padding = String(repeating: " ", count: width - field.jsonName.count)
        return "  \(field.jsonName)\(padding)  \(text(field, registry))"
      }
  }

  private func text(_ field: FieldSchema, _ registry: SchemaRegistry) -> String {
    if let entry = registry.mapEntry(of: field), entry.fields.count == 2 {
      return "map of \(kind(entry.fields[0])) to \(kind(entry.fields[1]))"
    }
    if field.isRepeated { return "list of \(kind(field))" }
    return field.hasPresence ? "\(kind(field)), optional" : kind(field)
  }

  private func kind(_ field: FieldSchema) -> String {
    switch field.kind {
    case .message, .enum: field.typeName
    default: "\(field.kind)"
    }
  }
}
