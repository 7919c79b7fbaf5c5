internal import RPCKit
internal import TextEncodings

/// A row of a section as a JSON object.
enum ExportRecord {
  /// The object of a row whose columns were selected first, in their order.
  static func text(
    of row: borrowing Row,
    _ columns: [ExportColumn],
    _ subject: ExportSubject
  ) -> String {
    var bytes: [UInt8] = [UInt8(ascii: "{")]
    for (place, column) in columns.enumerated() where !row.isNull(place) {
      if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
      JSONText.appendQuoted(column.name, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      append(column.kind, place, of: row, subject, to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func append(
    _ kind: ExportColumn.Kind,
    _ place: Int,
    of row: borrowing Row,
    _ subject: ExportSubject,
    to bytes: inout [UInt8]
  ) {
    switch kind {
    case .text: JSONText.appendQuoted(row.text(place), to: &bytes)
    case .party:
      JSONText.appendQuoted(withoutOthers(row.text(place), than: subject.userID), to: &bytes)
    case .integer: bytes += "\(row.integer(place))".utf8
    case .boolean: bytes += (row.boolean(place) ? "true" : "false").utf8
    case .instant: JSONText.appendQuoted(InstantText.text(row.integer(place)), to: &bytes)
    case .json: bytes += row.text(place).utf8
    }
  }

  /// The text that stands for another user.
  static let anotherUser = "usr_another"
  private static let prefix = Array("usr_".utf8)

  /// A text with `usr_another` for each identifier of a user but one.
  static func withoutOthers(_ text: String, than userID: String) -> String {
    var rest = Array(text.utf8)[...]
    var bytes: [UInt8] = []
    while let found = rest.firstRange(of: prefix) {
      bytes += rest[..<found.lowerBound]
      let end = rest[found.upperBound...].firstIndex { !isOfIdentifier($0) } ?? rest.endIndex
      let identifier = rest[found.lowerBound..<end]
      bytes += identifier.elementsEqual(userID.utf8) ? Array(identifier) : Array(anotherUser.utf8)
      rest = rest[end...]
    }
    return String(decoding: bytes + rest, as: UTF8.self)
  }

  private static func isOfIdentifier(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_")
  }
}
