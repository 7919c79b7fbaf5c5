import ProtoSchema

/// Which messages requests and answers have: what a client may send is not described as what it gets.
struct OpenAPIReach {
  /// Messages that bodies have of which no member may be unknown.
  private(set) var strictRequests: Set<String> = []
  /// Messages that other bodies have.
  private(set) var lenientRequests: Set<String> = []
  /// Messages that bodies have whose other members go into a field.
  private(set) var openRequests: Set<String> = []
  /// Messages that answers have.
  private(set) var answers: Set<String> = []

  init(_ schema: Schema) {
    for method in schema.generatedFiles.flatMap(\.services).flatMap(\.methods) {
      for binding in method.bindings {
        let body = schema.messages[method.requestType]?.fields.filter {
          binding.body == "*" || $0.name == binding.body
        }
        if method.rest.ignoresUnknown {
          Self.add(body ?? [], of: method.requestType, binding, to: &lenientRequests, schema)
        } else {
          Self.add(body ?? [], of: method.requestType, binding, to: &strictRequests, schema)
          if !method.rest.extraMembers.isEmpty { openRequests.insert(method.requestType) }
        }
        let answer = schema.messages[method.responseType]?.fields.first {
          $0.name == binding.responseBody
        }
        if let answer {
          Self.add(answer.type, to: &answers, schema)
        } else {
          Self.add(.message(method.responseType), to: &answers, schema)
        }
      }
    }
  }

  private static func add(
    _ fields: [FieldSchema],
    of message: String,
    _ binding: BindingSchema,
    to names: inout Set<String>,
    _ schema: Schema
  ) {
    if binding.body == "*" { names.insert(message) }
    for field in fields { add(field.type, to: &names, schema) }
  }

  private static func add(_ type: FieldType, to names: inout Set<String>, _ schema: Schema) {
    guard case .message(let name) = type, names.insert(name).inserted else { return }
    for field in schema.messages[name]?.fields ?? [] { add(field.type, to: &names, schema) }
  }
}
