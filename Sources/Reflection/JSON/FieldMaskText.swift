/// Field masks as proto3's JSON writes them: paths in lowerCamelCase between commas.
enum FieldMaskText {
  /// `owner.displayName,id`; nil for a path that would not come back as it was.
  static func text(_ paths: [String]) -> String? {
    var texts: [String] = []
    for path in paths {
      let text = JSONNames.lowerCamelCase(path)
      guard snakeCase(text) == path else { return nil }
      texts.append(text)
    }
    return texts.joined(separator: ",")
  }

  /// `owner.display_name` and `id`; nil for a path that would not come back as it was, such as `display_name`.
  static func paths(_ text: String) -> [String]? {
    guard !text.isEmpty else { return [] }
    var paths: [String] = []
    for path in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = snakeCase(String(path))
      guard !path.isEmpty, JSONNames.lowerCamelCase(name) == path else { return nil }
      paths.append(name)
    }
    return paths
  }

  private static func snakeCase(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      let isCapital = ("A"..."Z").contains(character)
      result += isCapital ? "_" + character.lowercased() : String(character)
    }
  }
}
