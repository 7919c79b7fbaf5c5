import ProtoSchema

/// Ways to call methods by HTTP: what a program that reads `google.api.http` would otherwise find out when
/// a call goes astray, or never.
extension SchemaChecker {
  /// A binding that was checked, for comparing it with the others.
  struct BoundTemplate {
    let method: String
    let template: PathTemplate
    let place: String
  }

  mutating func checkBindings(
    of method: MethodSchema,
    in service: ServiceSchema,
    _ file: FileSchema
  ) {
    let name = "\(service.name).\(method.name)"
    if method.bindings.isEmpty, method.rest != RESTRules() {
      report(file, method.line, "\(name) has (gatehouse.rest), which needs (google.api.http)")
    }
    if !method.rest.isPlain, [.text, .flag].contains(method.rest.errors) {
      report(file, method.line, "\(name) has errors of a standard, which need plain answers")
    }
    if !method.bindings.isEmpty, method.isClientStreaming {
      report(file, method.line, "\(name) takes a stream, which HTTP with JSON cannot send")
    }
    for binding in method.bindings {
      do {
        let template = try check(binding, of: method)
        compare(binding, template, name, method.line, file)
      } catch {
        report(file, method.line, "\(name): \(error.message)")
      }
    }
  }

  /// A path that means two methods means the one that was registered last to some programs, and none to
  /// others.
  private mutating func compare(
    _ binding: BindingSchema,
    _ template: PathTemplate,
    _ name: String,
    _ line: Int,
    _ file: FileSchema
  ) {
    for other in boundTemplates where other.method == binding.method {
      let path = "\(binding.method) \(binding.path)"
      switch template.relation(to: other.template) {
      case .clear: continue
      case .same: report(file, line, "\(name): \(path) is the path of \(other.place) too")
      case .crossing:
        report(
          file,
          line,
          "\(name): \(path) and \(other.place) share paths, and neither is the more special one"
        )
      }
    }
    boundTemplates.append(
      BoundTemplate(
        method: binding.method,
        template: template,
        place: "\(name) (\(binding.path))"
      )
    )
  }

  private func check(
    _ binding: BindingSchema,
    of method: MethodSchema
  ) throws(GeneratorError) -> PathTemplate {
    guard !binding.isNested else {
      throw GeneratorError("an additional binding has no additional bindings of its own")
    }
    guard !binding.method.isEmpty else {
      throw GeneratorError("(google.api.http) needs get, put, post, delete or patch")
    }
    let template: PathTemplate
    do throws(GeneratorError) {
      template = try PathTemplate.parse(binding.path)
    } catch {
      throw GeneratorError("the path `\(binding.path)` \(error.message)")
    }
    for variable in template.variables { try checkVariable(variable.field, in: method.requestType) }
    try checkBody(binding, template, method)
    if !binding.responseBody.isEmpty {
      guard field(binding.responseBody, of: method.responseType) != nil else {
        throw GeneratorError(
          "response_body: `\(method.responseType)` has no `\(binding.responseBody)`"
        )
      }
    }
    guard binding.body != "*" else { return template }
    let inPath = Set(template.variables.map(\.field))
    for field in schema.messages[method.requestType]?.fields ?? [] where field.name != binding.body
    {
      try checkQuery(field, path: field.name, inPath, [method.requestType])
    }
    return template
  }

  private func field(_ name: String, of message: String) -> FieldSchema? {
    schema.messages[message]?.fields.first { $0.name == name }
  }

  private func checkVariable(_ path: String, in message: String) throws(GeneratorError) {
    var owner = message
    let names = path.split(separator: ".").map(String.init)
    for (index, name) in names.enumerated() {
      guard let field = field(name, of: owner) else {
        throw GeneratorError("`{\(path)}`: `\(owner)` has no field `\(name)`")
      }
      guard !field.isRepeated else {
        throw GeneratorError("`{\(path)}`: `\(name)` is repeated, and a path has one value")
      }
      guard case .message(let next) = field.type else {
        guard index == names.count - 1 else {
          throw GeneratorError("`{\(path)}`: `\(name)` is not a message")
        }
        return
      }
      owner = next
    }
    throw GeneratorError("`{\(path)}` is a message, and a path has one value")
  }

  private func checkBody(
    _ binding: BindingSchema,
    _ template: PathTemplate,
    _ method: MethodSchema
  ) throws(GeneratorError) {
    try checkExtraMembers(binding, method)
    try checkCurrent(binding, method)
    try checkRaw(binding, method)
    guard !binding.body.isEmpty else {
      if method.rest.takesForms { throw GeneratorError("form needs a body") }
      if method.rest.ignoresUnknown { throw GeneratorError("ignore_unknown needs a body") }
      return
    }
    if ["GET", "DELETE"].contains(binding.method) {
      throw GeneratorError(
        "\(binding.method) has no body; its fields are in the path and the query"
      )
    }
    guard binding.body != "*" else { return }
    if method.rest.takesForms { throw GeneratorError("form needs `body: \"*\"`") }
    guard field(binding.body, of: method.requestType) != nil else {
      throw GeneratorError("body: `\(method.requestType)` has no field `\(binding.body)`")
    }
    let isInPath = template.variables.contains {
      $0.field == binding.body || $0.field.hasPrefix(binding.body + ".")
    }
    if isInPath { throw GeneratorError("`\(binding.body)` is in the path and in the body") }
  }

  private func checkExtraMembers(
    _ binding: BindingSchema,
    _ method: MethodSchema
  ) throws(GeneratorError) {
    let name = method.rest.extraMembers
    guard !name.isEmpty else { return }
    guard binding.body == "*", !method.rest.ignoresUnknown else {
      throw GeneratorError("extra_members needs `body: \"*\"`, and not ignore_unknown")
    }
    let field = field(name, of: method.requestType)
    guard let field, !field.isRepeated, field.type == .message("google.protobuf.Struct") else {
      throw GeneratorError(
        "extra_members: `\(method.requestType)` has no google.protobuf.Struct `\(name)`"
      )
    }
  }

  private func checkCurrent(
    _ binding: BindingSchema,
    _ method: MethodSchema
  ) throws(GeneratorError) {
    let name = method.rest.current
    guard !name.isEmpty else { return }
    guard binding.body == "*" else { throw GeneratorError("current needs `body: \"*\"`") }
    guard let field = field(name, of: method.requestType), !field.isRepeated,
      case .message(method.responseType) = field.type
    else {
      throw GeneratorError(
        "current: `\(method.requestType)` has no field `\(name)` of type `\(method.responseType)`"
      )
    }
  }

  private func checkRaw(
    _ binding: BindingSchema,
    _ method: MethodSchema
  ) throws(GeneratorError) {
    let rest = method.rest
    guard !rest.raw.isEmpty else {
      guard rest.contentType.isEmpty else { throw GeneratorError("content_type needs raw") }
      return
    }
    guard method.isServerStreaming, binding.responseBody.isEmpty, !rest.isPlain else {
      throw GeneratorError("raw needs a stream of responses, and neither response_body nor plain")
    }
    var names = [rest.raw]
    if !rest.contentType.contains("/") { names.append(rest.contentType) }
    for name in names {
      guard let field = field(name, of: method.responseType), !field.isRepeated,
        case .string = field.type
      else {
        throw GeneratorError("raw: `\(method.responseType)` has no string `\(name)`")
      }
    }
  }

  /// Whether a query can say everything that is neither in the path nor in the body.
  private func checkQuery(
    _ field: FieldSchema,
    path: String,
    _ inPath: Set<String>,
    _ owners: Set<String>
  ) throws(GeneratorError) {
    guard case .message(let name) = field.type, !inPath.contains(path) else { return }
    let texts = ["Timestamp", "Duration", "FieldMask"].map { "google.protobuf.\($0)" }
    if !field.isRepeated, texts.contains(name) { return }
    let isDynamic = name.hasPrefix("google.protobuf.")
    guard !field.isRepeated, !isDynamic, !owners.contains(name) else {
      throw GeneratorError("`\(path)` fits into no query; the method needs a body")
    }
    for part in schema.messages[name]?.fields ?? [] {
      try checkQuery(part, path: "\(path).\(part.name)", inPath, owners.union([name]))
    }
  }
}
