import ProtoSchema

/// Bounds: whatever a caller sends has a largest size that the contract says.
///
/// A frame has one anyway, but a handler may keep a field for as long as a stream or a row of the
/// store lives, and then many of them add up.
extension SchemaChecker {
  mutating func checkBounds(of method: MethodSchema, in service: ServiceSchema, _ file: FileSchema)
  {
    let user = "\(service.name).\(method.name)"
    if isForeign(method.requestType), isUnbounded(method.requestType) {
      report(
        file,
        method.line,
        "\(user) takes `\(method.requestType)`, which may be of any size; take a message of your own "
          + "with a field of it and `max_size`"
      )
      return
    }
    checkBounds(of: method.requestType, takenBy: user)
  }

  private mutating func checkBounds(of name: String, takenBy user: String) {
    guard !isForeign(name), let message = schema.messages[name],
      let file = schema.declaringFiles[name], boundedMessages.insert(name).inserted
    else { return }
    for field in message.fields {
      for (what, rule) in missingBounds(of: field) {
        report(
          file,
          field.line,
          "\(message.name).\(field.name) may \(what), and \(user) takes it from its caller; "
            + "add `\(rule)`"
        )
      }
      guard field.rules.encodedByteCountMax == 0 else { continue }
      if case .message(let next) = schema.valueType(of: field) {
        checkBounds(of: next, takenBy: user)
      }
    }
  }

  /// The parts of a field that may be without end, and the rules that would bound them.
  private func missingBounds(of field: FieldSchema) -> [(what: String, rule: String)] {
    var missing: [(String, String)] = []
    let rules = field.rules
    if field.isRepeated, rules.itemCountMax == 0 {
      missing.append(("have any number of items", "max_items"))
    }
    let texts = schema.mapEntry(field)?.fields ?? [field]
    let isPatternFinite = !rules.pattern.isEmpty && PatternParser.isFinite(rules.pattern)
    if texts.contains(where: \.type.isText), rules.byteCountMax == 0, !isPatternFinite {
      missing.append(("be of any length", "max_len"))
    }
    if case .message(let name) = schema.valueType(of: field), isForeign(name),
      rules.encodedByteCountMax == 0, isUnbounded(name)
    {
      missing.append(("be of any size", "max_size"))
    }
    return missing
  }

  /// Whether no rules can be added to a message here: its file belongs to somebody else.
  private func isForeign(_ name: String) -> Bool {
    switch schema.declaringFiles[name].map(schema.origin(of:)) {
    case .generated, .imported: false
    case .library, .elsewhere, nil: true
    }
  }

  private func isUnbounded(_ name: String) -> Bool {
    var visited: Set<String> = []
    return isUnbounded(name, &visited)
  }

  private func isUnbounded(_ name: String, _ visited: inout Set<String>) -> Bool {
    guard visited.insert(name).inserted, let message = schema.messages[name] else { return false }
    for field in message.fields {
      if field.isRepeated || field.type.isText { return true }
      if case .message(let next) = field.type, isUnbounded(next, &visited) { return true }
    }
    return false
  }
}
