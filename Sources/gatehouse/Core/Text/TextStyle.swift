/// Weight and colour of text (ECMA-48, select graphic rendition), or none.
struct TextStyle: Sendable, Equatable {
  /// Whether text is set off at all.
  let isOn: Bool

  init(isOn: Bool) { self.isOn = isOn }

  /// On for a terminal that can, unless NO_COLOR is set (no-color.org).
  init(isTerminal: Bool, _ environment: [String: String]) {
    isOn =
      isTerminal && environment["NO_COLOR", default: ""].isEmpty
      && environment["TERM"] != "dumb"
  }

  /// Text that leads what follows.
  func heading(_ text: String) -> String { isOn ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

  /// Text about a failure.
  func alarming(_ text: String) -> String { isOn ? "\u{1B}[1;31m\(text)\u{1B}[0m" : text }
}
