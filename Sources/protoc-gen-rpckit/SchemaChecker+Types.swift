import ProtoSchema

/// Types of other files: there must be Swift for them.
extension SchemaChecker {
  mutating func checkTypes(
    of field: FieldSchema,
    in message: MessageSchema,
    _ file: FileSchema
  ) {
    switch field.type {
    case .message(let name), .enumeration(let name):
      checkType(name, usedBy: "\(message.name).\(field.name)", field.line, file)
    default: break
    }
  }

  mutating func checkTypes(of method: MethodSchema, in service: ServiceSchema, _ file: FileSchema) {
    for name in Set([method.requestType, method.responseType]).sorted() {
      checkType(name, usedBy: "\(service.name).\(method.name)", method.line, file)
    }
  }

  private mutating func checkType(
    _ name: String,
    usedBy user: String,
    _ line: Int,
    _ file: FileSchema
  ) {
    guard let declaring = schema.declaringFiles[name], schema.origin(of: declaring) == .elsewhere
    else { return }
    let advice =
      declaring.syntax == "proto3"
      ? "generate \(declaring.name) in the same run" : "\(declaring.name) is not proto3"
    report(file, line, "\(user) uses `\(name)`, for which there is no Swift; \(advice)")
  }
}
