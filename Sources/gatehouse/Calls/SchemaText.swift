internal import Reflection

/// Methods and types for people: what the contract says of them, with rules and comments.
struct SchemaText {
  let registry: SchemaRegistry
  let style: TextStyle

  /// A method with its request, its response, and an example for the shell.
  func lines(of method: MethodSchema) throws -> [String] {
    var lines = [style.heading(method.path)]
    lines += comment(method.comment, "  ")
    lines += [
      "",
      "  takes       \(method.isClientStreaming ? "stream of " : "")\(method.requestType)",
      "  answers     \(method.isServerStreaming ? "stream of " : "")\(method.responseType)",
      "  callers     \(CallerText.callers(method))",
      "  step-up     \(method.stepUp.isEmpty ? "none" : method.stepUp)",
      "  idempotent  \(method.isIdempotent ? "yes" : "no")",
      "",
    ]
    lines += try self.lines(ofType: method.requestType)
    lines += [""]
    lines += try self.lines(ofType: method.responseType)
    if let example = try ExampleRequest(registry: registry).commandLine(of: method) {
      lines += ["", style.heading("example"), "  \(example)"]
    }
    return lines
  }

  /// A message or an enum.
  func lines(ofType type: String) throws -> [String] {
    if let schema = registry.enumeration(named: type) { return lines(of: schema) }
    let schema = try registry.message(type)
    let width = schema.fields.map(\.jsonName.count).max() ?? 0
    var lines = [style.heading("message \(type)")] + comment(schema.comment, "  ")
    for field in schema.fields {
      let padding = String(repeating: " ", count: width - field.jsonName.count)
      lines.append("  \(style.heading(field.jsonName))\(padding)  \(text(of: field))")
      lines += comment(field.comment, "      ")
    }
    return lines
  }

  private func lines(of schema: EnumSchema) -> [String] {
    var lines = [style.heading("enum \(schema.fullName)")] + comment(schema.comment, "  ")
    for value in schema.values {
      lines.append("  \(value.name) = \(value.number)")
      lines += comment(value.comment, "      ")
    }
    return lines
  }

  /// The kind of a field and the values it accepts.
  private func text(of field: FieldSchema) -> String {
    ([kind(of: field)] + FieldRulesText.phrases(field, enumeration: registry.enumeration(named:)))
      .joined(separator: ", ")
  }

  private func kind(of field: FieldSchema) -> String {
    if let entry = registry.mapEntry(of: field), entry.fields.count == 2 {
      return "map of \(single(entry.fields[0])) to \(single(entry.fields[1]))"
    }
    return field.isRepeated ? "list of \(single(field))" : single(field)
  }

  private func single(_ field: FieldSchema) -> String {
    switch field.kind {
    case .message, .enum: field.typeName
    default: "\(field.kind)"
    }
  }

  /// The lines of a comment, as the contract has it.
  private func comment(_ comment: String, _ indentation: String) -> [String] {
    guard !comment.isEmpty else { return [] }
    return comment.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : indentation + $0 }
  }
}
