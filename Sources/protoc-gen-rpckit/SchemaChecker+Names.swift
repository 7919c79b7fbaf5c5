import ProtoSchema

/// Names: each declaration needs one in Swift and one in C that nothing else has.
extension SchemaChecker {
  mutating func checkNames(_ file: FileSchema) {
    if file.package.isEmpty {
      report(file, 1, "a package is required; it becomes the Swift namespace")
    }
    for part in file.package.split(separator: ".") {
      checkUsable(String(part), file, file.packageLine)
    }
    let isPlain = file.name.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): true
      default: "_-./".utf8.contains($0)
      }
    }
    if !isPlain || !(SwiftNames.fileName(proto: file.name).first?.isLetter ?? false) {
      report(
        file,
        1,
        "the file's name becomes a name in Swift; begin it with a letter, and use letters, digits, "
          + "`_`, `-`, `.` and `/`"
      )
    }
    checkTypeNames(
      file.messages,
      file.enums,
      others: file.services.flatMap { service in
        ["Service", "Client", "Methods"].map {
          (SwiftNames.service(service.name) + $0, service.name, service.line)
        }
      },
      file
    )
    for message in file.messages { checkNames(message, file) }
    for enumeration in file.enums { checkNames(enumeration, file) }
    for service in file.services {
      checkUsable(service.name, file, service.line)
      checkDistinct(service.methods.map { (SwiftNames.method($0.name), $0.name, $0.line) }, file)
    }
  }

  private mutating func checkNames(_ message: MessageSchema, _ file: FileSchema) {
    guard !message.isMapEntry else { return }
    checkDistinct(
      message.fields.map { (SwiftNames.member($0.name), $0.name, $0.line) }
        + message.oneofs.map { (SwiftNames.member($0.name), $0.name, $0.line) },
      file
    )
    let choices = message.oneofs.map { (MessageWriter.oneofType($0), $0.name, $0.line) }
    checkTypeNames(message.messages, message.enums, others: choices, file)
    for nested in message.messages { checkNames(nested, file) }
    for enumeration in message.enums { checkNames(enumeration, file) }
  }

  private mutating func checkNames(_ enumeration: EnumSchema, _ file: FileSchema) {
    var values: [String: EnumSchema.Value] = [:]
    for value in enumeration.values {
      checkUsable(value.name, file, value.line)
      let name = SwiftNames.enumValue(value.name, in: enumeration.name)
      // An alias may have the same name: it is the same value.
      if let other = values[name], other.number != value.number {
        report(file, value.line, "`\(value.name)` and `\(other.name)` are both `\(name)` in Swift")
      }
      values[name] = value
    }
  }

  /// Types of one scope need different names in Swift, not only in protobuf.
  private mutating func checkTypeNames(
    _ messages: [MessageSchema],
    _ enums: [EnumSchema],
    others: [(swiftName: String, name: String, line: Int)],
    _ file: FileSchema
  ) {
    checkDistinct(
      messages.filter { !$0.isMapEntry }
        .map { (SwiftNames.type($0.name, suffix: "Message"), $0.name, $0.line) }
        + enums.map { (SwiftNames.type($0.name, suffix: "Enum"), $0.name, $0.line) } + others,
      file
    )
  }

  private mutating func checkDistinct(
    _ declarations: [(swiftName: String, name: String, line: Int)],
    _ file: FileSchema
  ) {
    var names: [String: String] = [:]
    for (swiftName, name, line) in declarations {
      checkUsable(name, file, line)
      if let other = names[swiftName] {
        report(file, line, "`\(name)` and `\(other)` are both `\(swiftName)` in Swift")
      }
      names[swiftName] = name
    }
  }

  private mutating func checkUsable(_ name: String, _ file: FileSchema, _ line: Int) {
    guard !SwiftNames.isUsable(name) else { return }
    report(file, line, "`\(name)` has no name in Swift; begin it with a letter")
  }

  /// Files and namespaces of the whole run.
  mutating func checkOutputNames() {
    var outputs: [String: String] = [:]
    var packages: [String: String] = [:]
    for file in schema.generatedFiles {
      let output = SwiftNames.fileName(proto: file.name)
      if let other = outputs[output] {
        report(file, 1, "\(file.name) and \(other) would both be written to \(output)")
      }
      outputs[output] = file.name
      guard !file.package.isEmpty else { continue }
      let namespace = SwiftNames.namespace(package: file.package)
      if let other = packages[namespace], other != file.package {
        report(
          file,
          file.packageLine,
          "packages `\(file.package)` and `\(other)` are both `\(namespace)` in Swift"
        )
      }
      packages[namespace] = file.package
    }
  }

  /// C has one scope for the types and functions of all files.
  mutating func checkNamesInC() {
    var owners: [String: String] = [:]
    for file in schema.generatedFiles {
      for message in file.messages { checkNamesInC(message, file, &owners) }
      for enumeration in file.enums {
        checkNameInC(enumeration.fullName, enumeration.line, file, &owners)
      }
    }
  }

  private mutating func checkNamesInC(
    _ message: MessageSchema,
    _ file: FileSchema,
    _ owners: inout [String: String]
  ) {
    checkNameInC(message.fullName, message.line, file, &owners)
    for (index, oneof) in message.oneofs.enumerated() {
      let name = CNames.oneof(oneof.name, index: index)
      checkNameInC("\(message.fullName).\(name)Case", oneof.line, file, &owners)
    }
    for field in message.fields where field.isOptional || field.needsPresenceInC {
      let name = CNames.presence(field.name, number: field.number)
      checkNameInC("\(message.fullName).\(name)Case", field.line, file, &owners)
    }
    for nested in message.messages { checkNamesInC(nested, file, &owners) }
    for enumeration in message.enums {
      checkNameInC(enumeration.fullName, enumeration.line, file, &owners)
    }
  }

  private mutating func checkNameInC(
    _ fullName: String,
    _ line: Int,
    _ file: FileSchema,
    _ owners: inout [String: String]
  ) {
    for name in [CNames.type(fullName), CNames.functions(fullName)] {
      if let other = owners[name] {
        report(file, line, "`\(fullName)` and `\(other)` are both `\(name)` in C")
        return
      }
      owners[name] = fullName
    }
  }
}
