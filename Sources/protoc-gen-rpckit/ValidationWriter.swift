import ProtoSchema

/// Writes the checks of `(gatehouse.field)`: all of them run, each broken one adds a violation.
struct ValidationWriter {
  let schema: Schema
  let visibility: String
  let message: MessageSchema
  let shapes: [FieldShape]

  func write(to writer: inout SourceWriter) {
    let ruled = shapes.filter { !$0.field.rules.isEmpty || hasNestedRules($0) }
    guard !ruled.isEmpty else { return }
    writer.line()
    for shape in ruled where !shape.field.rules.pattern.isEmpty { writePattern(shape, &writer) }
    writer.line("\(visibility) func validate(")
    writer.indented {
      $0.line("path: Swift.String,")
      $0.line("into violations: inout [RPCKit.FieldViolation]")
    }
    writer.block(") {") { writer in
      for shape in ruled where shape.field.realOneof == nil { write(shape, &writer) }
      for (index, oneof) in message.oneofs.enumerated() {
        let members = ruled.filter { $0.field.realOneof == index }
        guard !members.isEmpty else { continue }
        writer.line("switch self.\(SwiftNames.member(oneof.name)) {")
        for shape in members {
          writer.line("case .\(shape.caseName)(let value)?:")
          writer.indented { writer in
            // The choice itself says that the field is set.
            writeValueRules(shape, "value", path: Self.path(shape), &writer)
          }
        }
        writer.line("default:")
        writer.indented { $0.line("break") }
        writer.line("}")
      }
    }
  }

  private static func path(_ shape: FieldShape) -> String {
    "path + \(SourceWriter.literal(shape.field.name))"
  }

  private func hasNestedRules(_ shape: FieldShape) -> Bool {
    switch shape.storage {
    case .dictionary(_, let value, _): nestedMessageHasRules(value.type)
    default: nestedMessageHasRules(shape.field.type)
    }
  }

  private func nestedMessageHasRules(_ type: FieldType) -> Bool {
    if case .message(let name) = type { schema.hasRules(name) } else { false }
  }

  private func writePattern(_ shape: FieldShape, _ writer: inout SourceWriter) {
    // The checker has already refused patterns that do not parse.
    let alternatives = (try? PatternParser.parse(shape.field.rules.pattern)) ?? []
    writer.block(
      "private static let \(patternName(shape)) = RPCKit.TextPattern([",
      closing: "])"
    ) { writer in
      for steps in alternatives {
        writer.block("[", closing: "],") { writer in
          for step in steps {
            writer.line(
              "RPCKit.TextPattern.Step(low: \(step.low), high: \(step.high), "
                + (step.isNegated && step.maximum == nil ? "containsOthers: true, " : "")
                + "minimum: \(step.minimum), maximum: \(step.maximum.map(String.init) ?? "nil")),"
            )
          }
        }
      }
    }
    writer.line()
  }

  private func patternName(_ shape: FieldShape) -> String {
    SwiftNames.helper(shape.field.name, "pattern")
  }

  private func write(_ shape: FieldShape, _ writer: inout SourceWriter) {
    let rules = shape.field.rules
    let value = "self.\(shape.name)"
    let path = Self.path(shape)
    switch shape.storage {
    case .array, .dictionary:
      if rules.isRequired || rules.itemCountMin > 0 {
        let minimum = max(rules.itemCountMin, 1)
        check("\(value).count < \(minimum)", path, "must have at least \(minimum) items", &writer)
      }
      guard rules.itemCountMax > 0 else {
        writeElementRules(shape, &writer)
        return
      }
      // Of too many elements none is looked at: each could add a violation.
      let maximum = rules.itemCountMax
      let isContinued = hasElementRules(shape)
      writer.block(
        "if \(value).count > \(maximum) {",
        closing: isContinued ? "} else {" : "}"
      ) { add(path, "must have at most \(maximum) items", &$0) }
      if isContinued {
        writer.indented { writeElementRules(shape, &$0) }
        writer.line("}")
      }
    case .optional, .boxed:
      guard hasValueRules(shape) || hasNestedRules(shape) else {
        if rules.isRequired { check("\(value) == nil", path, "must be set", &writer) }
        return
      }
      writer.block("if let value = \(value) {", closing: rules.isRequired ? "} else {" : "}") {
        writeValueRules(shape, "value", path: path, &$0)
      }
      if rules.isRequired {
        writer.indented { add(path, "must be set", &$0) }
        writer.line("}")
      }
    case .plain:
      let isUnset =
        switch shape.field.type {
        case .string, .bytes: "\(value).isEmpty"
        case .bool: "!\(value)"
        case .enumeration: "\(value).rawValue == 0"
        default: "\(value) == 0"
        }
      let hasOthers = hasValueRules(shape)
      guard rules.isRequired else {
        let isSet = isUnset.hasPrefix("!") ? String(isUnset.dropFirst()) : "!(\(isUnset))"
        writer.block("if \(isSet) {") { writeValueRules(shape, value, path: path, &$0) }
        return
      }
      writer.block("if \(isUnset) {", closing: hasOthers ? "} else {" : "}") {
        add(path, "must be set", &$0)
      }
      if hasOthers {
        writer.indented { writeValueRules(shape, value, path: path, &$0) }
        writer.line("}")
      }
    }
  }

  private func hasElementRules(_ shape: FieldShape) -> Bool {
    guard case .dictionary(let key, let value, _) = shape.storage else {
      return hasValueRules(shape) || hasNestedRules(shape)
    }
    let isBounded = shape.field.rules.byteCountMax > 0 && (key.type.isText || value.type.isText)
    return isBounded || nestedMessageHasRules(value.type)
  }

  /// The rules that hold for each element rather than for the field.
  private func writeElementRules(_ shape: FieldShape, _ writer: inout SourceWriter) {
    let value = "self.\(shape.name)"
    let name = shape.field.name
    if case .dictionary(let key, let valueField, _) = shape.storage {
      writeEntryRules(shape, key, valueField, &writer)
      return
    }
    guard hasValueRules(shape) || hasNestedRules(shape) else { return }
    writer.block("for (index, value) in \(value).enumerated() {") {
      writeValueRules(shape, "value", path: "path + \"\(name)[\\(index)]\"", &$0)
    }
  }

  /// The rules of a map's keys and values.
  private func writeEntryRules(
    _ shape: FieldShape,
    _ key: FieldSchema,
    _ value: FieldSchema,
    _ writer: inout SourceWriter
  ) {
    let maximum = shape.field.rules.byteCountMax
    let isKeyBounded = maximum > 0 && key.type == .string
    let isValueBounded = maximum > 0 && value.type.isText
    let isValueRuled = nestedMessageHasRules(value.type)
    guard hasElementRules(shape) else { return }
    let name = shape.field.name
    let order = key.type == .bool ? "!$0.key && $1.key" : "$0.key < $1.key"
    let valueName = isValueBounded || isValueRuled ? "value" : "_"
    writer.block("for (key, \(valueName)) in self.\(shape.name).sorted(by: { \(order) }) {") {
      writer in
      if isKeyBounded {
        // Such a key is not repeated in the path.
        writer.block("if key.utf8.count > \(maximum) {") { writer in
          add(Self.path(shape), "must have keys of at most \(maximum) bytes", &writer)
          writer.line("continue")
        }
      }
      let quoted = key.type == .string ? "\\\"\\(key)\\\"" : "\\(key)"
      if isValueBounded {
        let count = value.type == .string ? "value.utf8.count" : "value.count"
        check(
          "\(count) > \(maximum)",
          "path + \"\(name)[\(quoted)]\"",
          "must have at most \(maximum) bytes",
          &writer
        )
      }
      if isValueRuled {
        writer.line("value.validate(path: path + \"\(name)[\(quoted)].\", into: &violations)")
      }
    }
  }

  private func writeValueRules(
    _ shape: FieldShape,
    _ value: String,
    path: String,
    _ writer: inout SourceWriter
  ) {
    let lengths = lengthConditions(shape, value)
    for (condition, description) in lengths.dropLast() {
      check(condition, path, description, &writer)
    }
    let contents = contentConditions(shape, value)
    if let (condition, description) = lengths.last {
      // What is too long is not looked at further.
      let isContinued =
        !contents.isEmpty || shape.field.rules.text != .any || hasNestedRules(shape)
      writer.block("if \(condition) {", closing: isContinued ? "} else {" : "}") {
        add(path, description, &$0)
      }
      if isContinued {
        writer.indented { writeContentRules(shape, value, contents, path: path, &$0) }
        writer.line("}")
      }
    } else {
      writeContentRules(shape, value, contents, path: path, &writer)
    }
  }

  private func writeContentRules(
    _ shape: FieldShape,
    _ value: String,
    _ conditions: [(String, String)],
    path: String,
    _ writer: inout SourceWriter
  ) {
    for (condition, description) in conditions { check(condition, path, description, &writer) }
    if case .message = shape.field.type, hasNestedRules(shape) {
      writer.line("\(value).validate(path: \(path) + \".\", into: &violations)")
    }
    let text = shape.field.rules.text
    guard text != .any else { return }
    writer.line("RPCKit.TextRule.\(text).check(")
    writer.indented {
      $0.line("\(value),")
      $0.line("path: \(path),")
      $0.line("into: &violations")
    }
    writer.line(")")
  }

  /// Whether there is anything to check about each value.
  private func hasValueRules(_ shape: FieldShape) -> Bool {
    !lengthConditions(shape, "value").isEmpty || !contentConditions(shape, "value").isEmpty
      || shape.field.rules.text != .any
  }

  /// When a value is too short or too long, and what to say then; too long comes last.
  private func lengthConditions(_ shape: FieldShape, _ value: String) -> [(String, String)] {
    let rules = shape.field.rules
    let count = shape.field.type == .string ? "\(value).utf8.count" : "\(value).count"
    var conditions: [(String, String)] = []
    if rules.byteCountMin > 0 {
      conditions.append(
        ("\(count) < \(rules.byteCountMin)", "must have at least \(rules.byteCountMin) bytes")
      )
    }
    if rules.byteCountMax > 0 {
      conditions.append(
        ("\(count) > \(rules.byteCountMax)", "must have at most \(rules.byteCountMax) bytes")
      )
    }
    if rules.encodedByteCountMax > 0 {
      let maximum = rules.encodedByteCountMax
      conditions.append(
        ("\(value).protobufBytes.count > \(maximum)", "must have at most \(maximum) bytes encoded")
      )
    }
    return conditions
  }

  /// When what is in a value breaks a rule, and what to say then.
  private func contentConditions(_ shape: FieldShape, _ value: String) -> [(String, String)] {
    let rules = shape.field.rules
    var conditions: [(String, String)] = []
    if !rules.pattern.isEmpty {
      conditions.append(
        (
          "!Self.\(patternName(shape)).matches(\(value))",
          PatternSentence(pattern: rules.pattern).text
        )
      )
    }
    // Written so that a NaN breaks the rule.
    if let minimum = rules.minimum {
      conditions.append(
        ("!(\(number(shape, value)) >= \(minimum))", "must be at least \(plain(minimum))")
      )
    }
    if let maximum = rules.maximum {
      conditions.append(
        ("!(\(number(shape, value)) <= \(maximum))", "must be at most \(plain(maximum))")
      )
    }
    if rules.isDefinedOnly {
      conditions.append(("\(value).name == nil", "must be a value that the contract names"))
    }
    return conditions
  }

  private func number(_ shape: FieldShape, _ value: String) -> String {
    shape.field.type == .double ? value : "Swift.Double(\(value))"
  }

  private func plain(_ number: Double) -> String {
    Int64(exactly: number).map(String.init) ?? "\(number)"
  }

  private func check(
    _ condition: String,
    _ path: String,
    _ description: String,
    _ writer: inout SourceWriter
  ) {
    writer.block("if \(condition) {") { add(path, description, &$0) }
  }

  private func add(_ path: String, _ description: String, _ writer: inout SourceWriter) {
    writer.line(
      "violations.append(RPCKit.FieldViolation(field: \(path), "
        + "description: \(SourceWriter.literal(description))))"
    )
  }
}
