/// JSON to write: members stay in the order in which they were added, so the same contracts make the same
/// bytes.
enum JSONNode: Sendable {
  case text(String)
  case number(String)
  case flag(Bool)
  case list([JSONNode])
  case object([(name: String, value: JSONNode)])

  /// The text, two spaces a level, with a line feed at its end.
  var text: String {
    var result = ""
    write(to: &result, depth: 0)
    return result + "\n"
  }

  private func write(to text: inout String, depth: Int) {
    switch self {
    case .text(let value): text += Self.quoted(value)
    case .number(let digits): text += digits
    case .flag(let flag): text += flag ? "true" : "false"
    case .list(let elements):
      guard !elements.isEmpty else { return text += "[]" }
      text += "["
      for (index, element) in elements.enumerated() {
        text += index == 0 ? "\n" : ",\n"
        text += Self.indentation(depth + 1)
        element.write(to: &text, depth: depth + 1)
      }
      text += "\n\(Self.indentation(depth))]"
    case .object(let members):
      guard !members.isEmpty else { return text += "{}" }
      text += "{"
      for (index, member) in members.enumerated() {
        text += index == 0 ? "\n" : ",\n"
        text += "\(Self.indentation(depth + 1))\(Self.quoted(member.name)): "
        member.value.write(to: &text, depth: depth + 1)
      }
      text += "\n\(Self.indentation(depth))}"
    }
  }

  private static func indentation(_ depth: Int) -> String { String(repeating: "  ", count: depth) }

  private static func quoted(_ value: String) -> String {
    var text = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      default:
        if scalar.value < 0x20 {
          let digits = String(scalar.value, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        } else {
          text.unicodeScalars.append(scalar)
        }
      }
    }
    return text + "\""
  }
}

extension JSONNode: ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  init(stringLiteral value: String) { self = .text(value) }
  init(arrayLiteral elements: JSONNode...) { self = .list(elements) }
  init(dictionaryLiteral elements: (String, JSONNode)...) {
    self = .object(elements.map { (name: $0.0, value: $0.1) })
  }

  /// A schema that null fits too; one without a type takes everything already.
  var orNull: JSONNode {
    guard case .object(var members) = self else { return self }
    if members.contains(where: { $0.name == "$ref" }) {
      return ["anyOf": [self, ["type": "null"]]]
    }
    guard let place = members.firstIndex(where: { $0.name == "type" }) else { return self }
    members[place].value = [members[place].value, "null"]
    return .object(members)
  }

  /// This object with further members at its end.
  func adding(_ members: [(name: String, value: JSONNode)]) -> JSONNode {
    guard case .object(let known) = self else { return self }
    return .object(known + members)
  }
}
