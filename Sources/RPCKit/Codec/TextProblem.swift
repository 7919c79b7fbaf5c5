/// The problem `TextRule` found in a text.
enum TextProblem: Hashable {
  /// Nothing but white space.
  case blank
  /// A control character, or a separator of lines or paragraphs.
  case controlCharacter(Unicode.Scalar)
  /// A character that changes the order in which the text around it is shown.
  case bidirectionalControl(Unicode.Scalar)
  /// A character that nobody sees where it stands.
  case invisibleCharacter(Unicode.Scalar)

  /// For programs.
  var reason: String {
    switch self {
    case .blank: "TEXT_BLANK"
    case .controlCharacter: "TEXT_CONTROL_CHARACTER"
    case .bidirectionalControl: "TEXT_BIDIRECTIONAL_CONTROL"
    case .invisibleCharacter: "TEXT_INVISIBLE_CHARACTER"
    }
  }

  /// For people.
  var description: String {
    switch self {
    case .blank: "must not be only white space"
    case .controlCharacter(let scalar): "must not contain the control character \(scalar.notation)"
    case .bidirectionalControl(let scalar):
      "must not contain \(scalar.notation), which changes the direction of text"
    case .invisibleCharacter(let scalar): "must not contain \(scalar.notation), which is invisible"
    }
  }
}

extension Unicode.Scalar {
  /// `U+200B`.
  fileprivate var notation: String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
