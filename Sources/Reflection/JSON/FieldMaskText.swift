/// Field masks as proto3's JSON writes them: paths in lowerCamelCase between commas.
enum FieldMaskText {
  /// `owner.displayName,id`; nil for a path that would not come back as it was.
  static func text(_ paths: [String]) -> String? {
    var texts: [String] = []
    for path in paths {
      let text = JSONNames.lowerCamelCase(path)
      guard JSONNames.snakeCase(text) == path else { return nil }
      texts.append(text)
    }
    return texts.joined(separator: ",")
  }

  /// `owner.display_name` and `id`; nil for a path that would not come back as it was, such as `display_name`.
  static func paths(_ text: String) -> [String]? {
    guard !text.isEmpty else { return [] }
    var paths: [String] = []
    for path in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = JSONNames.snakeCase(String(path))
      guard !path.isEmpty, JSONNames.lowerCamelCase(name) == path else { return nil }
      paths.append(name)
    }
    return paths
  }
}
