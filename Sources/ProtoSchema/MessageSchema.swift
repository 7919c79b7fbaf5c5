/// A message type, as its descriptor has it.
public struct MessageSchema: Sendable {
  /// `tenancy.v1.CheckRequest`.
  public internal(set) var fullName = ""
  /// The contract's comment, in lines; empty for none.
  public internal(set) var comment = ""
  /// Its line in the contract.
  package internal(set) var line = 1
  /// Its fields, in the order of the contract.
  public internal(set) var fields: [FieldSchema] = []
  /// Its oneofs, those excepted that protoc makes for `optional` fields.
  package internal(set) var oneofs: [OneofSchema] = []
  /// The messages inside it.
  package internal(set) var messages: [MessageSchema] = []
  /// The enums inside it.
  package internal(set) var enums: [EnumSchema] = []
  /// Whether it stands for an entry of a map: a key and a value.
  package internal(set) var isMapEntry = false
  /// Whether it declares extensions or leaves numbers to them.
  package internal(set) var hasExtensions = false

  /// `CheckRequest`.
  package var name: String { lastName(of: fullName) }
}

/// A choice of fields.
package struct OneofSchema: Sendable {
  package internal(set) var name = ""
  package internal(set) var comment = ""
  package internal(set) var line = 1
}

/// An enum, as its descriptor has it.
public struct EnumSchema: Sendable {
  /// `tenancy.v1.Reason`.
  public internal(set) var fullName = ""
  /// The contract's comment, in lines; empty for none.
  public internal(set) var comment = ""
  /// Its line in the contract.
  package internal(set) var line = 1
  /// Its values, in the order of the contract.
  public internal(set) var values: [Value] = []
  /// How JSON by HTTP spells them; nil for their names in the contract.
  public internal(set) var spelling: Spelling?

  /// `Reason`.
  package var name: String { lastName(of: fullName) }

  /// A value of an enum.
  public struct Value: Sendable {
    /// `REASON_ALLOWED`.
    public internal(set) var name = ""
    /// Its number on the wire.
    public internal(set) var number: Int32 = 0
    /// The contract's comment, in lines; empty for none.
    public internal(set) var comment = ""
    /// Its line in the contract.
    package internal(set) var line = 1
  }
}

/// The part behind the last dot of a full name.
func lastName(of fullName: String) -> String {
  fullName.split(separator: ".").last.map(String.init) ?? ""
}
