internal import Reflection

/// The rules of a field for people.
enum FieldRulesText {
  /// `required`, `at most 200 bytes`, and so on; nothing for a field that accepts everything.
  static func phrases(_ field: FieldSchema, enumeration: (String) -> EnumSchema?) -> [String] {
    let rules = field.rules
    var phrases: [String] = []
    if rules.isRequired { phrases.append("required") }
    if field.isOptional { phrases.append("optional") }
    if let bounds = bounds(rules.itemCountMin, rules.itemCountMax, "element") {
      phrases.append(bounds)
    }
    let each = field.isRepeated ? "each " : ""
    if let bounds = bounds(rules.byteCountMin, rules.byteCountMax, "byte") {
      phrases.append(each + bounds)
    }
    if let bounds = bounds(0, rules.encodedByteCountMax, "byte") {
      phrases.append("\(each)\(bounds) when encoded")
    }
    phrases += numbers(rules)
    switch rules.text {
    case .any, .newer: break
    case .singleLine: phrases.append("one line of text")
    case .multiLine: phrases.append("text")
    }
    if field.kind == .enum, let schema = enumeration(field.typeName) {
      // The first says that nothing was set; a field that must be set cannot have it.
      let values = schema.values.filter { !rules.isRequired || $0.number != 0 }
      phrases.append("one of \(values.map(\.name).joined(separator: ", "))")
    } else if !rules.choices.isEmpty {
      phrases.append("one of \(rules.choices.joined(separator: ", "))")
    } else if !rules.pattern.isEmpty {
      phrases.append("matching \(rules.pattern)")
    }
    return phrases
  }

  private static func bounds(_ least: Int, _ most: Int, _ unit: String) -> String? {
    func counted(_ count: Int) -> String { "\(count) \(unit)\(count == 1 ? "" : "s")" }
    return switch (least, most) {
    case (0, 0): nil
    case (0, _): "at most \(counted(most))"
    case (_, 0): "at least \(counted(least))"
    case _ where least == most: "exactly \(counted(most))"
    default: "\(least) to \(counted(most))"
    }
  }

  private static func numbers(_ rules: FieldRules) -> [String] {
    switch (rules.minimum, rules.maximum) {
    case (let least?, let most?): ["\(text(least)) to \(text(most))"]
    case (let least?, nil): ["at least \(text(least))"]
    case (nil, let most?): ["at most \(text(most))"]
    case (nil, nil): []
    }
  }

  private static func text(_ number: Double) -> String {
    Int64(exactly: number).map { "\($0)" } ?? "\(number)"
  }
}
