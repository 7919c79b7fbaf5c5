import ProtoSchema

/// Refuses what the generator does not support, and contracts that leave something open.
struct SchemaChecker {
  let schema: Schema
  private var problems: [String] = []
  /// Messages of requests whose fields have been checked for bounds.
  var boundedMessages: Set<String> = []
  /// The ways to call methods by HTTP that have been checked.
  var boundTemplates: [BoundTemplate] = []

  init(schema: Schema) {
    self.schema = schema
  }

  /// Throws all problems of all files at once, one per line.
  consuming func check() throws(GeneratorError) {
    for file in schema.generatedFiles { check(file) }
    checkOutputNames()
    // Most clashes in C have been reported as ones in Swift.
    if problems.isEmpty { checkNamesInC() }
    guard problems.isEmpty else { throw GeneratorError(problems.joined(separator: "\n")) }
  }

  mutating func report(_ file: FileSchema, _ line: Int, _ message: String) {
    let problem = "\(file.name):\(line): \(message)"
    // A oneof has a name for its property and one for its type.
    if !problems.contains(problem) { problems.append(problem) }
  }

  private mutating func check(_ file: FileSchema) {
    guard file.syntax == "proto3" else {
      let syntax = file.syntax.isEmpty ? "proto2" : file.syntax
      report(file, 1, "\(syntax) is not supported; write `syntax = \"proto3\";`")
      return
    }
    checkNames(file)
    for line in file.extensionLines {
      report(file, line, "extensions are not supported")
    }
    for message in file.messages { check(message, file) }
    for service in file.services { check(service, file) }
  }

  private mutating func check(_ message: MessageSchema, _ file: FileSchema) {
    if message.hasExtensions { report(file, message.line, "extensions are not supported") }
    for field in message.fields {
      checkTypes(of: field, in: message, file)
      check(field, in: message, file)
    }
    checkJSON(message, file)
    for nested in message.messages { check(nested, file) }
  }

  private mutating func check(_ field: FieldSchema, in message: MessageSchema, _ file: FileSchema) {
    let owner = "\(message.name).\(field.name)"
    if field.type == .group { report(file, field.line, "groups are not supported") }
    let rules = field.rules
    if rules.text == .newer {
      report(file, field.line, "text of \(owner) is newer than this program; rebuild it")
    }
    if field.isEmbedded, field.type != .string {
      report(file, field.line, "embedded is for string; \(owner) is not one")
    }
    guard !rules.isEmpty else { return }
    let entry = schema.mapEntry(field)
    let isMap = entry != nil
    if rules.isRequired, field.realOneof != nil {
      report(file, field.line, "required says nothing in a oneof, whose choice is the setting")
    }
    if rules.byteCountMin > 0 || rules.byteCountMax > 0, !field.type.isText {
      let isTextMap = entry?.fields.contains { $0.type.isText } ?? false
      if rules.byteCountMin > 0 || !isTextMap {
        report(
          file,
          field.line,
          "min_len and max_len are for string and bytes; \(owner) is neither"
        )
      }
    }
    if rules.encodedByteCountMax > 0 {
      let isMessage = if case .message = field.type { !isMap } else { false }
      if !isMessage { report(file, field.line, "max_size is for messages; \(owner) is not one") }
    }
    if rules.text != .any, field.type != .string {
      report(file, field.line, "text is for string; \(owner) is not one")
    }
    if rules.byteCountMax > 0, rules.byteCountMin > rules.byteCountMax {
      report(file, field.line, "min_len of \(owner) is larger than its max_len")
    }
    if rules.itemCountMin > 0 || rules.itemCountMax > 0, !field.isRepeated {
      report(file, field.line, "min_items and max_items are for repeated fields and maps")
    }
    if rules.itemCountMax > 0, rules.itemCountMin > rules.itemCountMax {
      report(file, field.line, "min_items of \(owner) is larger than its max_items")
    }
    if rules.minimum != nil || rules.maximum != nil, isMap || !field.type.isNumber {
      report(file, field.line, "gte and lte are for numbers; \(owner) is not one")
    }
    if let minimum = rules.minimum, let maximum = rules.maximum, minimum > maximum {
      report(file, field.line, "gte of \(owner) is larger than its lte")
    }
    if rules.isDefinedOnly, !field.type.isEnumeration {
      report(file, field.line, "defined_only is for enums; \(owner) is not one")
    }
    if !rules.pattern.isEmpty {
      if field.type != .string {
        report(file, field.line, "pattern is for string; \(owner) is not one")
      }
      do {
        _ = try PatternParser.parse(rules.pattern)
      } catch {
        report(file, field.line, "pattern of \(owner): \(error.message)")
      }
    }
  }

  private mutating func check(_ service: ServiceSchema, _ file: FileSchema) {
    for method in service.methods {
      checkTypes(of: method, in: service, file)
      checkBounds(of: method, in: service, file)
      checkBindings(of: method, in: service, file)
      if method.caller.isEmpty {
        report(
          file,
          method.line,
          "\(service.name).\(method.name) does not say who may call it; add "
            + "`option (gatehouse.method) = {caller: …};`"
        )
      }
      if !method.callingServices.isEmpty, method.caller == "public" {
        report(file, method.line, "calling_services says nothing when anyone may call")
      }
      if !method.stepUp.isEmpty, !["user", "support", "admin"].contains(method.caller) {
        report(
          file,
          method.line,
          "step_up needs `caller: CALLER_CLASS_USER`, `CALLER_CLASS_SUPPORT` or `CALLER_CLASS_ADMIN`"
        )
      }
      if method.isImmediate, method.isClientStreaming || method.isServerStreaming {
        report(file, method.line, "immediate is for methods with one request and one response")
      }
    }
  }
}
