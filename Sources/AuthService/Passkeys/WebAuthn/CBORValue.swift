/// A data item of CBOR (RFC 8949), as far as authenticators use them.
enum CBORValue: Hashable, Sendable {
  /// A whole number; larger ones than 64 bits hold are refused.
  case integer(Int64)
  /// A byte string.
  case bytes([UInt8])
  /// A text.
  case text(String)
  /// An array.
  case array([CBORValue])
  /// A map.
  case map(CBORMap)
  /// A truth value.
  case boolean(Bool)
  /// Null.
  case null

  /// The number, if this is one.
  var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// The bytes, if this is a byte string.
  var bytes: [UInt8]? {
    if case .bytes(let value) = self { value } else { nil }
  }

  /// The text, if this is one.
  var text: String? {
    if case .text(let value) = self { value } else { nil }
  }

  /// The elements, if this is an array.
  var array: [CBORValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The members, if this is a map.
  var map: CBORMap? {
    if case .map(let value) = self { value } else { nil }
  }
}

/// A map of CBOR: its keys are whole numbers or texts, and differ.
struct CBORMap: Hashable, Sendable {
  /// One member.
  struct Member: Hashable, Sendable {
    let key: CBORValue
    let value: CBORValue
  }

  /// All members, in their order.
  var members: [Member] = []

  /// The value of a key.
  subscript(_ key: CBORValue) -> CBORValue? { members.first { $0.key == key }?.value }

  /// The value of a text.
  subscript(_ name: String) -> CBORValue? { self[.text(name)] }

  /// The value of a number.
  subscript(_ label: Int64) -> CBORValue? { self[.integer(label)] }
}
