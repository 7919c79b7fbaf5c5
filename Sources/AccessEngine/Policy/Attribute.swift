/// Something known of each entity of a type.
public struct Attribute: Sendable {
  /// The name.
  public let name: String
  /// The kind of its values.
  public let kind: Kind
  /// The unit of its numbers, for people; empty for none.
  public internal(set) var unit = ""
  /// The roles that see it: of this place in `Policy.accessLevels`, or of a later one.
  public let accessLevel: Int
  /// The value of an entity that has none.
  public internal(set) var defaultValue: Value?
  /// Whether operations that set attributes may set it.
  public internal(set) var isSetting = false
  /// Whether the device reports it, so that nobody else sets it.
  public internal(set) var isReported = false
  /// Where the engine keeps its coded value, for those that conditions may ask for.
  var slot: Int?

  /// Values that conditions may ask for: few enough for one bit each.
  static let choiceCountMax = 60

  /// Whether conditions may ask for it.
  package var isCoded: Bool {
    switch kind {
    case .boolean, .choice: true
    case .text, .integer, .number, .color: false
    }
  }

  /// Throws unless the value is one of the attribute's.
  public func check(_ value: Value) throws(ValueError) { try kind.check(value, unit: unit) }

  /// The value as one byte: 0 for none, then false and true, or the choices in their order.
  func code(_ value: Value?) -> UInt8 {
    switch (kind, value ?? defaultValue) {
    case (.boolean, .boolean(let flag)): flag ? 2 : 1
    case (.choice(let choices), .text(let text)):
      choices.firstIndex(of: text).map { UInt8($0 + 1) } ?? 0
    default: 0
    }
  }

  /// The values of some codes, given as bits, as people write them.
  func texts(ofCodes codes: UInt64) -> [String] {
    let values =
      switch kind {
      case .boolean: ["false", "true"]
      case .choice(let choices): choices
      case .text, .integer, .number, .color: [String]()
      }
    // Code 0 is no value at all.
    return values.enumerated().filter { codes >> UInt64($0.offset + 1) & 1 == 1 }.map(\.element)
  }

  /// The code of a value as people write it: a choice, `true` or `false`; nil when it is none.
  package func code(of text: String) -> UInt8? {
    switch (kind, text) {
    case (.boolean, "true"): code(.boolean(true))
    case (.boolean, "false"): code(.boolean(false))
    case (.choice(let choices), _): choices.contains(text) ? code(.text(text)) : nil
    default: nil
    }
  }
}

extension Policy.EntityType {
  /// Attributes as the engine keeps them: one byte for each boolean and choice.
  package func codes(_ values: [String: Attribute.Value]) -> [UInt8] {
    attributes.filter(\.isCoded).map { $0.code(values[$0.name]) }
  }
}
