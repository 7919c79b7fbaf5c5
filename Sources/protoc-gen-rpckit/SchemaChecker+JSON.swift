import ProtoSchema

/// Rules of a field's JSON that would change nothing, or that make two fields one.
extension SchemaChecker {
  mutating func checkJSON(_ message: MessageSchema, _ file: FileSchema) {
    for field in message.fields {
      guard let rules = field.json else { continue }
      let owner = "\(message.name).\(field.name)"
      let isMessage = if case .message = field.type { !field.isRepeated } else { false }
      if rules.omitsEmpty, isMessage || field.hasPresence {
        report(file, field.line, "omit_empty says nothing of \(owner), which is absent by itself")
      }
      if rules.spelling != nil, field.type != .string {
        report(file, field.line, "spelling is for string; \(owner) is not one")
      }
      let flag = message.fields.first { $0.name == rules.absentIf }
      if !rules.absentIf.isEmpty, flag?.type != .bool {
        report(file, field.line, "absent_if: \(message.name) has no bool `\(rules.absentIf)`")
      }
      for name in rules.also {
        let others = message.fields.filter { $0.number != field.number && $0.isCalled(name) }
        guard let other = others.first else { continue }
        report(file, field.line, "also: `\(name)` is \(message.name).\(other.name) too")
      }
    }
  }
}
