import ProtoSchema

/// Writes the ways to call a method by HTTP, with their templates taken apart.
enum BindingWriter {
  static func write(_ method: MethodSchema, to writer: inout SourceWriter) {
    guard !method.bindings.isEmpty else { return }
    writer.block("httpBindings: [", closing: "]") { writer in
      for binding in method.bindings {
        writer.block("RPCKit.HTTPBinding(", closing: "),") { writer in
          let arguments = arguments(binding, method.rest)
          for (index, argument) in arguments.enumerated() {
            writer.line(index == arguments.count - 1 ? argument : argument + ",")
          }
        }
      }
    }
  }

  private static func arguments(_ binding: BindingSchema, _ rest: RESTRules) -> [String] {
    guard let template = try? PathTemplate.parse(binding.path) else {
      preconditionFailure("a path that was checked")
    }
    var arguments = [
      "method: \(SourceWriter.literal(binding.method))",
      "template: \(SourceWriter.literal(binding.path))",
      "segments: [\(template.segments.map(segment).joined(separator: ", "))]",
    ]
    if !template.variables.isEmpty {
      let variables = template.variables.map {
        ".init(field: \(SourceWriter.literal($0.field)), segments: "
          + "\($0.segments.lowerBound)..<\($0.segments.upperBound))"
      }
      arguments.append("variables: [\(variables.joined(separator: ", "))]")
    }
    if !template.verb.isEmpty { arguments.append("verb: \(SourceWriter.literal(template.verb))") }
    if binding.body == "*" {
      arguments.append("body: .whole")
    } else if !binding.body.isEmpty {
      arguments.append("body: .field(\(SourceWriter.literal(binding.body)))")
    }
    if !binding.responseBody.isEmpty {
      arguments.append("responseBody: \(SourceWriter.literal(binding.responseBody))")
    }
    if rest.creates { arguments.append("status: 201") }
    if rest.isPlain { arguments.append("isPlain: true") }
    if !rest.cacheControl.isEmpty {
      arguments.append("cacheControl: \(SourceWriter.literal(rest.cacheControl))")
    }
    if rest.takesForms { arguments.append("takesForms: true") }
    if rest.ignoresUnknown { arguments.append("ignoresUnknown: true") }
    if !rest.extraMembers.isEmpty {
      arguments.append("extraMembers: \(SourceWriter.literal(rest.extraMembers))")
    }
    if rest.errors != .envelope { arguments.append("errors: .\(rest.errors.rawValue)") }
    if !rest.current.isEmpty, binding.body == "*" {
      arguments.append("current: \(SourceWriter.literal(rest.current))")
    }
    if !rest.raw.isEmpty {
      arguments.append("raw: \(SourceWriter.literal(rest.raw))")
      arguments.append("contentType: \(SourceWriter.literal(rest.contentType))")
    }
    return arguments
  }

  private static func segment(_ segment: PathTemplate.Segment) -> String {
    switch segment {
    case .literal(let text): ".literal(\(SourceWriter.literal(text)))"
    case .single: ".single"
    case .rest: ".rest"
    }
  }
}
