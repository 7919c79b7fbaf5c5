internal import RPCKit
internal import StrictJSON
internal import TextEncodings

/// A line of a compliance report: texts in columns, and the one JSON form that digests are made of.
///
/// docs/guides/compliance-report.md says what each kind of line has in which column.
package struct ReportLine: Hashable, Sendable {
  /// The columns of a line, in order.
  package enum Column: Int, CaseIterable, Sendable {
    case kind, time, until, actor, onBehalfOf, action, role, object, type, name, grantedBy, reason
    case count, request, detail

    /// The title in all formats.
    package var title: String {
      switch self {
      case .onBehalfOf: "on_behalf_of"
      case .grantedBy: "granted_by"
      default: "\(self)"
      }
    }
  }

  /// The kind of a line.
  package enum Kind: String, CaseIterable, Sendable {
    /// The first line: which tree and which interval.
    case report
    /// A role that somebody held.
    case access
    /// A role that was lent to somebody: a guest pass.
    case pass
    /// Something that was done with a device.
    case operation
    /// Something that somebody was not allowed to do.
    case refusal
    /// Any other change in the tree.
    case change
    /// The name of a person whom lines before it name by the identifier, as of the making of the file. The seal does
    /// not cover it, as names change.
    case person
    /// The last line of a file: digest and signature.
    case seal
  }

  private static let columns = Column.allCases
  /// The prefix of each column's text in JSON.
  private static let prefixes = columns.map { Array("\"\($0.title)\":".utf8) }

  private var texts = [String](repeating: "", count: Self.columns.count)

  /// Makes a line that says what it is about.
  package init(_ kind: Kind) { self[.kind] = kind.rawValue }

  /// Makes a line of a text for each column, in their order; nil for another number of texts.
  package init?(texts: [String]) {
    guard texts.count == Self.columns.count else { return nil }
    for column in Self.columns { self[column] = texts[column.rawValue] }
  }

  /// Reads a line of JSON; nil for one that nobody here writes.
  package init?(json: [UInt8]) {
    let limits = JSONLimits(byteCountMax: 1 << 20, depthMax: 2)
    guard let object = try? JSONReader.read(json, limits: limits).object else { return nil }
    for member in object.members {
      guard let column = Self.columns.first(where: { $0.title == member.name }),
        let text = member.value.string ?? member.value.number?.text
      else { return nil }
      self[column] = text
    }
  }

  /// The text of a column; empty for none.
  ///
  /// Control characters become U+FFFD, so that a line is one line in every format.
  package subscript(column: Column) -> String {
    get { texts[column.rawValue] }
    set { texts[column.rawValue] = Self.isClean(newValue) ? newValue : Self.cleaned(newValue) }
  }

  /// The kind; nil for a text that no version has written.
  package var kind: Kind? { Kind(rawValue: self[.kind]) }

  /// Adds the line as JSON with its line feed: members in the order of the columns, without those that
  /// are empty, without spaces; `count` is a number.
  package func append(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "{"))
    var isFirst = true
    for (index, text) in texts.enumerated() where !text.isEmpty {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      bytes += Self.prefixes[index]
      if index == Column.count.rawValue, Self.isNumber(text) {
        bytes += text.utf8
      } else {
        JSONText.appendQuoted(text, to: &bytes)
      }
    }
    bytes += "}\n".utf8
  }

  /// The line as JSON with its line feed.
  package var json: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  /// An instant as all lines write it: `2026-11-21T08:00:00.000Z`.
  package static func text(ofInstant milliseconds: Int64) -> String {
    var bytes: [UInt8] = []
    Timestamp.append(milliseconds, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isNumber(_ text: String) -> Bool {
    (1...18).contains(text.utf8.count)
      && text.utf8.allSatisfy(\.isASCIIDigit)
      && (text.utf8.count == 1 || text.utf8.first != UInt8(ascii: "0"))
  }

  private static func isClean(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  private static func cleaned(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isControl = scalar.value < 0x20 || scalar.value == 0x7F
      scalars.append(isControl ? "\u{FFFD}" : scalar)
    }
    return String(scalars)
  }
}
