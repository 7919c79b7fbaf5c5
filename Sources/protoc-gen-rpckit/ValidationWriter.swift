/// Writes the checks of `(gatehouse.field)`: all of them run, each broken one adds a violation.
struct ValidationWriter {
  let schema: Schema
  let visibility: String
  let message: SchemaMessage
  let shapes: [FieldShape]

  func write(to writer: inout SourceWriter) {
    let ruled = shapes.filter { !$0.field.rules.isEmpty || hasNestedRules($0) }
    for shape in ruled where !shape.field.rules.pattern.isEmpty { writePattern(shape, &writer) }
    writer.line("/// Adds a violation for each broken rule; see `Message`.")
    writer.block(
      "\(visibility) func validate(path: String, into violations: inout [FieldViolation]) {"
    ) { writer in
      for shape in ruled where shape.field.oneofIndex == nil { write(shape, &writer) }
      for (index, oneof) in message.oneofs.enumerated() {
        let members = ruled.filter { $0.field.oneofIndex == index }
        guard !members.isEmpty else { continue }
        writer.line("switch self.\(SwiftNames.member(oneof.name)) {")
        for shape in members {
          writer.line("case .\(shape.name)(let value):")
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

  private func nestedMessageHasRules(_ type: SchemaType) -> Bool {
    if case .message(let name) = type { schema.hasRules(name) } else { false }
  }

  private func writePattern(_ shape: FieldShape, _ writer: inout SourceWriter) {
    // The checker has already refused patterns that do not parse.
    let alternatives = (try? PatternParser.parse(shape.field.rules.pattern)) ?? []
    writer.block(
      "private static let \(patternName(shape)) = TextPattern([",
      closing: "])"
    ) { writer in
      for steps in alternatives {
        writer.block("[", closing: "],") { writer in
          for step in steps {
            writer.line(
              "TextPattern.Step(low: \(step.low), high: \(step.high), "
                + "minimum: \(step.minimum), maximum: \(step.maximum.map(String.init) ?? "nil")),"
            )
          }
        }
      }
    }
    writer.line()
  }

  private func patternName(_ shape: FieldShape) -> String {
    SwiftNames.lowerCamel(shape.field.name) + "Pattern"
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
      if rules.itemCountMax > 0 {
        let maximum = rules.itemCountMax
        check("\(value).count > \(maximum)", path, "must have at most \(maximum) items", &writer)
      }
      writeElementRules(shape, &writer)
    case .optional, .boxed:
      guard !valueConditions(shape, "value").isEmpty || hasNestedRules(shape) else {
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
      let hasOthers = !valueConditions(shape, value).isEmpty
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

  /// The rules that hold for each element rather than for the field.
  private func writeElementRules(_ shape: FieldShape, _ writer: inout SourceWriter) {
    let value = "self.\(shape.name)"
    let name = shape.field.name
    if case .dictionary(let key, let valueField, _) = shape.storage {
      guard nestedMessageHasRules(valueField.type) else { return }
      let order = key.type == .bool ? "!$0.key && $1.key" : "$0.key < $1.key"
      writer.block("for (key, value) in \(value).sorted(by: { \(order) }) {") {
        let quoted = key.type == .string ? "\\\"\\(key)\\\"" : "\\(key)"
        $0.line("value.validate(path: path + \"\(name)[\(quoted)].\", into: &violations)")
      }
      return
    }
    guard !valueConditions(shape, "value").isEmpty || hasNestedRules(shape) else { return }
    writer.block("for (index, value) in \(value).enumerated() {") {
      writeValueRules(shape, "value", path: "path + \"\(name)[\\(index)]\"", &$0)
    }
  }

  private func writeValueRules(
    _ shape: FieldShape,
    _ value: String,
    path: String,
    _ writer: inout SourceWriter
  ) {
    for (condition, description) in valueConditions(shape, value) {
      check(condition, path, description, &writer)
    }
    if case .message = shape.field.type, hasNestedRules(shape) {
      writer.line("\(value).validate(path: \(path) + \".\", into: &violations)")
    }
  }

  /// When a value breaks a rule, and what to say then.
  private func valueConditions(_ shape: FieldShape, _ value: String) -> [(String, String)] {
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
    if !rules.pattern.isEmpty {
      conditions.append(
        ("!Self.\(patternName(shape)).matches(\(value))", "must look like \(rules.pattern)")
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
    shape.field.type == .double ? value : "Double(\(value))"
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
      "violations.append(FieldViolation(field: \(path), "
        + "description: \(SourceWriter.literal(description))))"
    )
  }
}
