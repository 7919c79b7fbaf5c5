/// A JSON text as values (RFC 8259).
///
/// Members keep their order, and names are unique: the reader refuses a repeated one, because two
/// readers that choose differently are how a token means one thing to its checker and another to its
/// user (RFC 7493, section 2.3).
public enum JSONValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

extension JSONValue {
  /// The text, if this is a string.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The truth value, if this is one.
  public var boolean: Bool? {
    if case .boolean(let value) = self { value } else { nil }
  }

  /// The whole number, if this is one that fits; `1.0` and `1e3` are whole.
  public var integer: Int64? {
    if case .number(let number) = self { number.integer } else { nil }
  }

  /// The number, if this is one.
  public var number: JSONNumber? {
    if case .number(let number) = self { number } else { nil }
  }

  /// The elements, if this is an array.
  public var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members, if this is an object.
  public var object: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }

  /// The kind of value, for messages.
  public var kind: String {
    switch self {
    case .null: "null"
    case .boolean: "a truth value"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// A number as it was written: converting to a type is the reader's choice, not the parser's.
public struct JSONNumber: Hashable, Sendable {
  /// The digits as they stood in the text, or as they will be written.
  public let text: String

  /// The number of an integer.
  public init(_ value: some BinaryInteger) { text = "\(value)" }

  /// The number of a finite `value`; nil for what JSON cannot say.
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    text = "\(value)"
  }

  /// `text` must be a number by the grammar of RFC 8259, section 6.
  init(verified text: String) { self.text = text }

  /// The nearest finite double; nil when there is none.
  public var double: Double? {
    guard let value = Double(text), value.isFinite else { return nil }
    return value
  }

  /// The value when it is whole and fits.
  ///
  /// A fraction or exponent is accepted as far as a double is exact, up to 2^53 (RFC 7493, section
  /// 2.2).
  public var integer: Int64? {
    if let exact = Int64(text) { return exact }
    guard let value = double, value.magnitude <= 0x1p53 else { return nil }
    return Int64(exactly: value)
  }
}

/// The members of an object, in their order.
public struct JSONObject: Hashable, Sendable {
  /// One member.
  public struct Member: Hashable, Sendable {
    /// Its name, unique in the object.
    public let name: String
    /// Its value.
    public var value: JSONValue
  }

  /// All members.
  public private(set) var members: [Member] = []

  /// Makes an object without members.
  public init() {}

  /// The value of a member.
  ///
  /// Setting nil removes the member; a new one goes last.
  public subscript(name: String) -> JSONValue? {
    get { members.first { $0.name == name }?.value }
    set {
      let place = members.firstIndex { $0.name == name }
      switch (place, newValue) {
      case (let place?, let value?): members[place].value = value
      case (let place?, nil): members.remove(at: place)
      case (nil, let value?): members.append(Member(name: name, value: value))
      case (nil, nil): break
      }
    }
  }

  /// The members but those that are null, for readers to whom they are as absent.
  package var withoutNulls: JSONObject {
    var object = self
    object.members.removeAll { $0.value == .null }
    return object
  }

  /// Adds a member that is known to be new.
  package mutating func append(name: String, value: JSONValue) {
    members.append(Member(name: name, value: value))
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Makes an object of members whose names differ.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    for (name, value) in elements { self[name] = value }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
  ExpressibleByNilLiteral
{
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A whole number.
  public init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
  /// A truth value.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// An array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// An object of members whose names differ.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    var object = JSONObject()
    for (name, value) in elements { object[name] = value }
    self = .object(object)
  }
  /// Null.
  public init(nilLiteral: ()) { self = .null }
}
