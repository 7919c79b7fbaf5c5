internal import RPCKit
public import StrictJSON

extension JSONValue {
  /// The value as text without spaces; members in their order.
  public var text: String {
    String(decoding: bytes(indentation: nil), as: UTF8.self)
  }

  /// The value as text for people: two spaces a level, one member a line.
  public var indentedText: String {
    String(decoding: bytes(indentation: 0), as: UTF8.self)
  }

  /// The bytes of `text`, for what takes bytes.
  package var bytes: [UInt8] { bytes(indentation: nil) }

  private func bytes(indentation: Int?) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    write(to: &bytes, indentation: indentation)
    return bytes
  }

  private func write(to bytes: inout [UInt8], indentation: Int?) {
    switch self {
    case .null: bytes += "null".utf8
    case .boolean(let value): bytes += value ? "true".utf8 : "false".utf8
    case .number(let number): bytes += number.text.utf8
    case .string(let string): JSONText.appendQuoted(string, to: &bytes)
    case .array(let elements):
      Self.write(elements, "[", "]", to: &bytes, indentation) { element, bytes, inner in
        element.write(to: &bytes, indentation: inner)
      }
    case .object(let object):
      Self.write(object.members, "{", "}", to: &bytes, indentation) { member, bytes, inner in
        JSONText.appendQuoted(member.name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        if inner != nil { bytes.append(UInt8(ascii: " ")) }
        member.value.write(to: &bytes, indentation: inner)
      }
    }
  }

  private static func write<Element>(
    _ elements: [Element],
    _ opening: Unicode.Scalar,
    _ closing: Unicode.Scalar,
    to bytes: inout [UInt8],
    _ indentation: Int?,
    _ body: (Element, inout [UInt8], Int?) -> Void
  ) {
    bytes.append(UInt8(ascii: opening))
    let inner = indentation.map { $0 + 2 }
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      if let inner { startLine(inner, in: &bytes) }
      body(element, &bytes, inner)
    }
    if let indentation, !elements.isEmpty { startLine(indentation, in: &bytes) }
    bytes.append(UInt8(ascii: closing))
  }

  private static func startLine(_ indentation: Int, in bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\n"))
    bytes += repeatElement(UInt8(ascii: " "), count: indentation)
  }
}
