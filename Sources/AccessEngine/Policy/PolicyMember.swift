internal import StrictJSON

/// A member of an object whose names are data: types, roles, actions.
struct PolicyMember {
  let name: String
  let field: JSONField

  static let nameRule = "names must be 1 to 64 of a-z, 0-9, _, - and ., and begin with a letter"

  static func isName(_ name: String) -> Bool {
    let bytes = name.utf8
    guard let first = bytes.first, bytes.count <= 64, isLetter(first) else { return false }
    return bytes.allSatisfy {
      isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }

  /// The name, if it is one that may be given.
  func checkedName() throws(JSONDecodingError) -> String {
    guard Self.isName(name) else { throw field.error(Self.nameRule) }
    return name
  }
}

extension JSONMembers {
  /// Takes all members, in their order.
  func all() -> [PolicyMember] {
    var members = self
    return members.rest().map { PolicyMember(name: $0.name, field: $0.field) }
  }
}
