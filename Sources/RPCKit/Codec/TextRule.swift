/// The kind of text people may enter into a field: made by generated code from
/// `(gatehouse.field).text`.
///
/// Two names that look the same to a person should be the same, and a name must not change how the
/// text around it is shown. See `Unicode Technical Report #36`, section 2, for what this prevents;
/// letters of different scripts that look alike are not looked for.
public enum TextRule: Sendable {
  /// A name or a title.
  case singleLine
  /// A note: line feeds, carriage returns and tabs are accepted too.
  case multiLine

  /// Adds a violation for the first thing in `text` that breaks the rule.
  ///
  /// Takes time in proportion to the length. An empty string breaks no rule.
  public func check(_ text: String, path: String, into violations: inout [FieldViolation]) {
    guard let problem = problem(in: text) else { return }
    violations.append(
      FieldViolation(field: path, description: problem.description, reason: problem.reason)
    )
  }

  /// The first thing in `text` that breaks the rule.
  func problem(in text: String) -> TextProblem? {
    // Almost all names are plain ASCII: no look at Unicode's tables for them.
    var isVisible = text.isEmpty
    var isPlain = true
    for byte in text.utf8 {
      isPlain = isPlain && (0x20..<0x7F).contains(byte)
      isVisible = isVisible || byte != 0x20
    }
    if isPlain { return isVisible ? nil : .blank }

    let scalars = Array(text.unicodeScalars)
    for index in scalars.indices {
      if let problem = problem(at: index, of: scalars) { return problem }
    }
    return scalars.allSatisfy(Self.isBlank) ? .blank : nil
  }

  private func problem(at index: Int, of scalars: [Unicode.Scalar]) -> TextProblem? {
    let scalar = scalars[index]
    if self == .multiLine, scalar == "\n" || scalar == "\r" || scalar == "\t" { return nil }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return .controlCharacter(scalar)
    default: break
    }
    if properties.isBidiControl { return .bidirectionalControl(scalar) }
    // Some format characters are shown, such as the Arabic signs in front of numbers.
    let isAnnotation = (0xFFF9...0xFFFB).contains(scalar.value)
    guard
      properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint
        || isAnnotation
    else { return nil }
    return InvisibleScalar.isShown(at: index, of: scalars) ? nil : .invisibleCharacter(scalar)
  }

  /// White space, and what looks like it: a Braille cell without dots.
  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar == "\u{2800}"
  }
}
