private import RPCKit
public import StrictJSON

extension JSONValue {
  /// The value as text without spaces; members in their order.
  public var text: String {
    var text = ""
    write(to: &text, indentation: nil)
    return text
  }

  /// The value as text for people: two spaces a level, one member a line.
  public var indentedText: String {
    var text = ""
    write(to: &text, indentation: 0)
    return text
  }

  private func write(to text: inout String, indentation: Int?) {
    switch self {
    case .null: text += "null"
    case .boolean(let value): text += value ? "true" : "false"
    case .number(let number): text += number.text
    case .string(let string): text += JSONText.quoted(string)
    case .array(let elements):
      Self.write(elements, "[", "]", to: &text, indentation: indentation) { element, text, inner in
        element.write(to: &text, indentation: inner)
      }
    case .object(let object):
      Self.write(object.members, "{", "}", to: &text, indentation: indentation) {
        member,
        text,
        inner in
        text += JSONText.quoted(member.name)
        text += inner == nil ? ":" : ": "
        member.value.write(to: &text, indentation: inner)
      }
    }
  }

  private static func write<Element>(
    _ elements: [Element],
    _ opening: String,
    _ closing: String,
    to text: inout String,
    indentation: Int?,
    _ body: (Element, inout String, Int?) -> Void
  ) {
    text += opening
    let inner = indentation.map { $0 + 2 }
    for (index, element) in elements.enumerated() {
      if index > 0 { text += "," }
      if let inner { text += "\n" + String(repeating: " ", count: inner) }
      body(element, &text, inner)
    }
    if let indentation, !elements.isEmpty {
      text += "\n" + String(repeating: " ", count: indentation)
    }
    text += closing
  }
}
