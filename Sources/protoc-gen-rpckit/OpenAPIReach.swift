/// Which messages requests and answers have: what a client may send is not described as what it gets.
struct OpenAPIReach {
  /// Messages that bodies have of which no member may be unknown.
  private(set) var strictRequests: Set<String> = []
  /// Messages that other bodies have.
  private(set) var lenientRequests: Set<String> = []
  /// Messages that answers have.
  private(set) var answers: Set<String> = []

  init(_ schema: Schema) {
    let files = schema.files.filter(\.isToGenerate)
    for method in files.flatMap(\.services).flatMap(\.methods) {
      for binding in method.bindings {
        let body = schema.messages[method.input]?.fields.filter {
          binding.body == "*" || $0.name == binding.body
        }
        if method.rest.ignoresUnknown {
          Self.add(body ?? [], of: method.input, binding, to: &lenientRequests, schema)
        } else {
          Self.add(body ?? [], of: method.input, binding, to: &strictRequests, schema)
        }
        let answer = schema.messages[method.output]?.fields.first {
          $0.name == binding.responseBody
        }
        if let answer {
          Self.add(answer.type, to: &answers, schema)
        } else {
          Self.add(.message(method.output), to: &answers, schema)
        }
      }
    }
  }

  private static func add(
    _ fields: [SchemaField],
    of message: String,
    _ binding: SchemaBinding,
    to names: inout Set<String>,
    _ schema: Schema
  ) {
    if binding.body == "*" { names.insert(message) }
    for field in fields { add(field.type, to: &names, schema) }
  }

  private static func add(_ type: SchemaType, to names: inout Set<String>, _ schema: Schema) {
    guard case .message(let name) = type, names.insert(name).inserted else { return }
    for field in schema.messages[name]?.fields ?? [] { add(field.type, to: &names, schema) }
  }
}
