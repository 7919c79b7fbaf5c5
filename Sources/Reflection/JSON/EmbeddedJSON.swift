internal import StrictJSON

/// JSON in strings of a contract, which JSON by HTTP has as values (`embedded`).
enum EmbeddedJSON {
  /// Values inside one another, at most: as many as the body of a request may have.
  private static let depthMax = 100

  /// The value of a text; nil for text that is no JSON, which stays a string.
  static func value(_ text: ArraySlice<UInt8>) -> JSONValue? {
    let limits = JSONLimits(
      byteCountMax: text.count,
      depthMax: depthMax,
      valueCountMax: max(1, text.count)
    )
    return try? JSONReader.read(Array(text), limits: limits)
  }

  /// The text of a value, without white space; nil for a string, which is the text itself.
  static func text(_ value: JSONValue) -> String? {
    if case .string = value { nil } else { value.text }
  }
}
