extension Attribute {
  /// The kind of the values of an attribute, or of a parameter of an operation.
  public enum Kind: Hashable, Sendable {
    case text(byteCountMax: Int)
    case integer(ClosedRange<Int64>)
    case number(ClosedRange<Double>)
    case boolean
    case choice([String])
    /// `#rrggbb`.
    case color
  }

  /// A value.
  public enum Value: Hashable, Sendable {
    case text(String)
    case integer(Int64)
    /// Finite.
    case number(Double)
    case boolean(Bool)
  }

  /// A value that is none of the attribute's.
  public struct ValueError: Error, Hashable {
    /// The problem.
    public let problem: String

    package init(problem: String) { self.problem = problem }
  }
}

extension Attribute.Kind {
  /// Every finite number.
  static let anyNumber = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude

  /// Whether its values are numbers.
  package var isNumeric: Bool {
    switch self {
    case .integer, .number: true
    case .text, .boolean, .choice, .color: false
    }
  }

  /// Throws unless a value is of this kind; nil is a value that no attribute can have.
  ///
  /// `unit` is that of numbers, for people; empty for none.
  package func check(_ value: Attribute.Value?, unit: String) throws(Attribute.ValueError) {
    if let problem = problem(with: value, unit: unit) {
      throw Attribute.ValueError(problem: problem)
    }
  }

  private func problem(with value: Attribute.Value?, unit: String) -> String? {
    let unit = unit.isEmpty ? "" : " (\(unit))"
    switch (self, value) {
    case (.text(let byteCountMax), .text(let text)):
      return text.utf8.count <= byteCountMax ? nil : "must have at most \(byteCountMax) bytes"
    case (.text, _): return "must be text"
    case (.integer(let range), .integer(let number)):
      return range.contains(number) ? nil : demand + unit
    case (.integer, _): return "must be an integer" + unit
    case (.number(let range), .integer(let number)):
      return range.contains(Double(number)) ? nil : demand + unit
    case (.number(let range), .number(let number)):
      return range.contains(number) ? nil : demand + unit
    case (.number, _): return "must be a number" + unit
    case (.boolean, .boolean): return nil
    case (.boolean, _): return "must be true or false"
    case (.choice(let choices), .text(let text)) where choices.contains(text): return nil
    case (.choice, _): return demand
    case (.color, .text(let text)) where Self.isColor(text): return nil
    case (.color, _): return demand
    }
  }

  /// The values that there are of the kind: `must be between 5 and 35`.
  private var demand: String {
    switch self {
    case .integer(let range):
      Self.demand(
        least: range.lowerBound == .min ? nil : "\(range.lowerBound)",
        most: range.upperBound == .max ? nil : "\(range.upperBound)"
      )
    case .number(let range):
      Self.demand(
        least: range.lowerBound == Self.anyNumber.lowerBound ? nil : Self.text(range.lowerBound),
        most: range.upperBound == Self.anyNumber.upperBound ? nil : Self.text(range.upperBound)
      )
    case .choice(let choices): "must be one of: \(choices.joined(separator: ", "))"
    case .color: "must be a color like #ff8800"
    case .text(let byteCountMax): "must be text of at most \(byteCountMax) bytes"
    case .boolean: "must be true or false"
    }
  }

  private static func demand(least: String?, most: String?) -> String {
    switch (least, most) {
    case (let least?, let most?): "must be between \(least) and \(most)"
    case (let least?, nil): "must be at least \(least)"
    case (nil, let most?): "must be at most \(most)"
    case (nil, nil): "must be a number"
    }
  }

  /// `integer 0 to 100`: for people who read a policy.
  var outline: String {
    switch self {
    case .text(let byteCountMax): "text of at most \(byteCountMax) bytes"
    case .integer(let range): "integer \(range.lowerBound) to \(range.upperBound)"
    case .number(Self.anyNumber): "number"
    case .number(let range):
      "number \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
    case .boolean: "true or false"
    case .choice(let choices): choices.joined(separator: " or ")
    case .color: "color"
    }
  }

  /// `5` for 5.0.
  private static func text(_ number: Double) -> String {
    Int64(exactly: number).map { "\($0)" } ?? "\(number)"
  }

  private static func isColor(_ text: String) -> Bool {
    let bytes = text.utf8
    guard bytes.count == 7, bytes.first == UInt8(ascii: "#") else { return false }
    return bytes.dropFirst().allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
  }
}
