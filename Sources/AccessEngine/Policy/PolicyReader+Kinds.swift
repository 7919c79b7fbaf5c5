internal import StrictJSON

/// Kinds of values, of attributes and of parameters.
extension PolicyReader {
  private enum KindName: String, CaseIterable {
    case text
    case integer
    case number
    case boolean
    case choice
    case color
  }

  /// Reads `kind` and the members that go with it; `integers` are those it may have.
  func readKind(
    _ object: inout PolicyObject,
    integers: ClosedRange<Int64> = .min ... .max
  ) -> Attribute.Kind? {
    let name = object.required("kind") { field throws(JSONDecodingError) in
      try field.choice(of: KindName.self)
    }
    switch name {
    case nil:
      // Which members go with it cannot be determined.
      for member in ["max_bytes", "min", "max", "choices"] { _ = object.optional(member) }
      return nil
    case .text:
      guard let field = object.optional("max_bytes") else { return .text(byteCountMax: 1024) }
      let limit = problems.attempt { () throws(JSONDecodingError) in
        try field.integer(in: 1...65_536)
      }
      return limit.map { .text(byteCountMax: Int($0)) }
    case .integer:
      let range = readRange(&object, within: integers) { field throws(JSONDecodingError) in
        try field.integer(in: integers)
      }
      return range.map { .integer($0) }
    case .number:
      let range = readRange(&object, within: Attribute.Kind.anyNumber) {
        field throws(JSONDecodingError) in try Self.number(field)
      }
      return range.map { .number($0) }
    case .boolean: return .boolean
    case .color: return .color
    case .choice:
      return object.required("choices") { field throws(JSONDecodingError) in
        let choices = try field.strings()
        guard !choices.isEmpty, choices.count <= Attribute.choiceCountMax,
          Set(choices).count == choices.count
        else { throw field.error("must have 1 to \(Attribute.choiceCountMax) different choices") }
        return .choice(choices)
      }
    }
  }

  /// Reads `min` and `max`.
  private func readRange<Bound: Comparable>(
    _ object: inout PolicyObject,
    within all: ClosedRange<Bound>,
    _ read: (JSONField) throws(JSONDecodingError) -> Bound
  ) -> ClosedRange<Bound>? {
    let (lower, upper) = (object.optional("min"), object.optional("max"))
    func bound(_ field: JSONField?, else standard: Bound) -> Bound? {
      guard let field else { return standard }
      return problems.attempt { () throws(JSONDecodingError) in try read(field) }
    }
    let (first, last) = (bound(lower, else: all.lowerBound), bound(upper, else: all.upperBound))
    guard let first, let last else { return nil }
    guard first <= last else {
      if let field = lower ?? upper { problems.note(field.error("min is above max")) }
      return nil
    }
    return first...last
  }

  /// Reads `unit`, which only numbers have; empty for none.
  func readUnit(_ object: inout PolicyObject, of kind: Attribute.Kind?) -> String {
    switch kind {
    case .text, .boolean, .choice, .color: return ""
    case .integer, .number, nil: break
    }
    let unit = object.optional("unit") { field throws(JSONDecodingError) in
      let unit = try field.string()
      guard Policy.unitByteCounts.contains(unit.utf8.count) else {
        throw field.error("must have 1 to \(Policy.unitByteCounts.upperBound) bytes")
      }
      return unit
    }
    return unit ?? ""
  }

  /// A value of a kind.
  static func value(
    _ field: JSONField,
    of kind: Attribute.Kind,
    unit: String
  ) throws(JSONDecodingError) -> Attribute.Value {
    let value = try value(field)
    do { try kind.check(value, unit: unit) } catch { throw field.error(error.problem) }
    return value
  }

  private static func value(_ field: JSONField) throws(JSONDecodingError) -> Attribute.Value {
    switch field.value {
    case .string(let text): return .text(text)
    case .boolean(let flag): return .boolean(flag)
    case .number(let number):
      if let whole = number.integer { return .integer(whole) }
      return .number(try Self.number(field))
    case .null, .array, .object: throw field.error("must be text, a number, true or false")
    }
  }

  private static func number(_ field: JSONField) throws(JSONDecodingError) -> Double {
    guard let number = field.value.number?.double else {
      throw field.error("must be a finite number, not \(field.value.kind)")
    }
    return number
  }
}
