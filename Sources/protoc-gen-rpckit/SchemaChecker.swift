/// Refuses what the generator does not support, and contracts that leave something open.
struct SchemaChecker {
  let schema: Schema
  private var problems: [String] = []

  init(schema: Schema) {
    self.schema = schema
  }

  /// Throws all problems of all files at once, one per line.
  consuming func check() throws(GeneratorError) {
    for file in schema.files where file.isToGenerate { check(file) }
    guard problems.isEmpty else { throw GeneratorError(problems.joined(separator: "\n")) }
  }

  private mutating func report(_ file: SchemaFile, _ line: Int, _ message: String) {
    problems.append("\(file.name):\(line): \(message)")
  }

  private mutating func check(_ file: SchemaFile) {
    guard file.syntax == "proto3" else {
      let syntax = file.syntax.isEmpty ? "proto2" : file.syntax
      report(file, 1, "\(syntax) is not supported; write `syntax = \"proto3\";`")
      return
    }
    if file.package.isEmpty {
      report(file, 1, "a package is required; it becomes the Swift namespace")
    }
    for line in file.extensionLines {
      report(file, line, "extensions are not supported")
    }
    checkTypeNames(
      file.messages,
      file.enums,
      services: file.services.flatMap { service in
        ["Service", "Client", "Methods"].map {
          (SwiftNames.service(service.name) + $0, service.name, service.line)
        }
      },
      file
    )
    for message in file.messages { check(message, file) }
    for service in file.services { check(service, file) }
  }

  private mutating func check(_ message: SchemaMessage, _ file: SchemaFile) {
    if message.hasExtensions { report(file, message.line, "extensions are not supported") }
    var names: [String: String] = [:]
    for field in message.fields {
      let name = SwiftNames.member(field.name)
      if let other = names[name], !message.isMapEntry {
        report(file, field.line, "`\(field.name)` and `\(other)` are both `\(name)` in Swift")
      }
      names[name] = field.name
      check(field, in: message, file)
    }
    for oneof in message.oneofs {
      let name = SwiftNames.member(oneof.name)
      if let other = names[name] {
        report(file, message.line, "`\(oneof.name)` and `\(other)` are both `\(name)` in Swift")
      }
      names[name] = oneof.name
    }
    let choices = message.oneofs.map { (MessageWriter.oneofType($0), $0.name, message.line) }
    checkTypeNames(message.messages, message.enums, services: choices, file)
    for nested in message.messages { check(nested, file) }
  }

  /// Types of one scope need different names in Swift, not only in protobuf.
  private mutating func checkTypeNames(
    _ messages: [SchemaMessage],
    _ enums: [SchemaEnum],
    services: [(swiftName: String, name: String, line: Int)],
    _ file: SchemaFile
  ) {
    var names: [String: String] = [:]
    let types =
      messages.filter { !$0.isMapEntry }
      .map { (SwiftNames.type($0.name, suffix: "Message"), $0.name, $0.line) }
      + enums.map { (SwiftNames.type($0.name, suffix: "Enum"), $0.name, $0.line) }
    for (swiftName, name, line) in types + services {
      if let other = names[swiftName] {
        report(file, line, "`\(name)` and `\(other)` are both `\(swiftName)` in Swift")
      }
      names[swiftName] = name
    }
  }

  private mutating func check(_ field: SchemaField, in message: SchemaMessage, _ file: SchemaFile) {
    let owner = "\(message.name).\(field.name)"
    if field.type == .group { report(file, field.line, "groups are not supported") }
    let rules = field.rules
    guard !rules.isEmpty else { return }
    let isMap = schema.mapEntry(field) != nil
    let isText = field.type == .string || field.type == .bytes
    if rules.byteCountMin > 0 || rules.byteCountMax > 0, !isText {
      report(file, field.line, "min_len and max_len are for string and bytes; \(owner) is neither")
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

  private mutating func check(_ service: SchemaService, _ file: SchemaFile) {
    var names: [String: String] = [:]
    for method in service.methods {
      let name = SwiftNames.member(method.name)
      if let other = names[name] {
        report(file, method.line, "`\(method.name)` and `\(other)` are both `\(name)` in Swift")
      }
      names[name] = method.name
      let caller = method.rules?.caller ?? ""
      if caller.isEmpty {
        report(
          file,
          method.line,
          "\(service.name).\(method.name) does not say who may call it; add "
            + "`option (gatehouse.method) = {caller: …};`"
        )
      }
      guard let rules = method.rules else { continue }
      if !rules.callingServices.isEmpty, caller == "public" {
        report(file, method.line, "calling_services says nothing when anyone may call")
      }
      if !rules.stepUp.isEmpty, caller != "user" {
        report(file, method.line, "step_up needs `caller: CALLER_CLASS_USER`")
      }
    }
  }
}

extension SchemaType {
  /// Whether `gte` and `lte` can apply.
  var isNumber: Bool {
    switch self {
    case .double, .float, .int32, .int64, .uint32, .uint64: true
    default: false
    }
  }

  /// Whether this is an enum.
  var isEnumeration: Bool {
    if case .enumeration = self { true } else { false }
  }
}
