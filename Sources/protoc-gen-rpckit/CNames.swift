/// How protoc-c 1.4.1 calls the declarations of a `.proto` in C (protoc-c/c_helpers.cc).
///
/// Members of structs and enums are renamed by `DescriptorSetAnnotator` before protoc-c sees them:
/// each begins with a letter and the number of its field, so that no keyword, macro or helper of C
/// can be meant, and no two fields can be the same. Types cannot be renamed like that, but always
/// have two underscores inside, because a package is required.
enum CNames {
  /// `testing.v1.Rich.Part` → `Testing__V1__Rich__Part`.
  static func type(_ fullName: String) -> String {
    fullName.split(separator: ".").map { camel(String($0)) }.joined(separator: "__")
  }

  /// `testing.v1.RichPart` → `testing__v1__rich_part`: the start of function names.
  static func functions(_ fullName: String) -> String {
    fullName.split(separator: ".").map { lower(String($0)) }.joined(separator: "__")
  }

  /// The struct member of a field: `f5_user_id`.
  static func field(_ name: String, number: Int) -> String { "f\(number)_\(name.lowercased())" }

  /// The struct member that counts the elements of a repeated field.
  static func count(_ field: String) -> String { "n_\(field)" }

  /// The oneof at this place of its message: `o0_payload`.
  static func oneof(_ name: String, index: Int) -> String { "o\(index)_\(name.lowercased())" }

  /// The oneof of a field that needs to say whether it is set: `p5_user_id`.
  static func presence(_ name: String, number: Int) -> String {
    "p\(number)_\(name.lowercased())"
  }

  /// The struct member that says which field of a oneof is set.
  static func tag(_ oneof: String) -> String { "\(oneof)_case" }

  /// The name of an enum's value: two spellings of one name are two values.
  static func enumValue(_ name: String, index: Int) -> String { "v\(index)_\(name)" }

  private static func camel(_ name: String) -> String {
    name.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  private static func lower(_ name: String) -> String {
    var result = ""
    var wasUpper = true
    for character in name {
      if character.isUppercase && !wasUpper { result += "_" }
      result += character.lowercased()
      wasUpper = character.isUppercase
    }
    return result
  }
}
