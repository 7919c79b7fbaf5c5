/// Names of fields as JSON spells them.
public enum JSONNames {
  /// `firstName` of `first_name`, as protobuf makes it (protobuf.dev/programming-guides/json); what is
  /// not part of a name, such as dots and brackets of a path, stays.
  public static func lowerCamelCase(_ name: String) -> String {
    var result = ""
    var capitalises = false
    for character in name {
      if character == "_" {
        capitalises = true
      } else {
        result += capitalises ? character.uppercased() : String(character)
        capitalises = false
      }
    }
    return result
  }

  /// `first_name` of `firstName`, the inverse of `lowerCamelCase`.
  public static func snakeCase(_ name: String) -> String {
    name.reduce(into: "") { result, character in
      let isCapital = ("A"..."Z").contains(character)
      result += isCapital ? "_" + character.lowercased() : String(character)
    }
  }
}
