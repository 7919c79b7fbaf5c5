/// How a report is written to a file.
///
/// Each format has the same lines with the same columns, one line of text for each, so that each can be
/// read back and verified.
package enum ReportFormat: String, CaseIterable, Sendable {
  /// Comma-separated values (RFC 4180), with the names of the columns in the first line.
  case csv
  /// A JSON object in each line, as the service sends them.
  case json
  /// The same objects as one JSON array, one in each line.
  case array
  /// A page that can be printed, without scripts or anything from elsewhere.
  case html

  /// Lines before those of the report.
  package var opening: [String] {
    switch self {
    case .csv: [Self.columns.map(\.title).joined(separator: ",")]
    case .json: []
    case .array: ["["]
    case .html: ReportPage.opening
    }
  }

  /// Lines after the seal.
  package var closing: [String] {
    switch self {
    case .csv, .json: []
    case .array: ["]"]
    case .html: ReportPage.closing
    }
  }

  /// The type of a file.
  package var contentType: String {
    switch self {
    case .csv: "text/csv; charset=utf-8"
    case .json: "application/x-ndjson"
    case .array: "application/json"
    case .html: "text/html; charset=utf-8"
    }
  }

  /// A line of the report as a line of text, without its end.
  package func text(of line: ReportLine) -> String {
    let texts = Self.columns.map { line[$0] }
    return switch self {
    case .csv: texts.map(Self.cell).joined(separator: ",")
    case .json: String(decoding: line.json.dropLast(), as: UTF8.self)
    // The seal is the last one.
    case .array:
      String(decoding: line.json.dropLast(), as: UTF8.self) + (line.kind == .seal ? "" : ",")
    case .html: ReportPage.row(line)
    }
  }

  /// The line of the report that a line of text is; nil for one that `text(of:)` does not write.
  package func line(of bytes: [UInt8]) -> ReportLine? {
    let line: ReportLine? =
      switch self {
      case .csv: Self.cells(bytes).flatMap { ReportLine(texts: $0) }
      case .json: ReportLine(json: bytes)
      case .array: ReportLine(json: bytes.last == Self.comma ? bytes.dropLast() : bytes)
      case .html: ReportPage.line(bytes)
      }
    // What reads alike and looks different is not what was signed.
    return line.flatMap { Array(text(of: $0).utf8) == bytes ? $0 : nil }
  }

  /// The format of a file that begins with a line.
  package static func of(firstLine bytes: [UInt8]) -> ReportFormat? {
    if bytes.first == UInt8(ascii: "{") { return .json }
    return [.csv, .array, .html].first { $0.opening.first.map { Array($0.utf8) } == bytes }
  }

  private static let columns = ReportLine.Column.allCases

  // MARK: Values separated by commas
  // By bytes, because a comma and an accent behind it are one character.

  private static let comma = UInt8(ascii: ",")
  private static let quote = UInt8(ascii: "\"")
  private static let apostrophe = UInt8(ascii: "'")
  /// The characters that spreadsheets take for formulas at the start; an apostrophe keeps them from it.
  private static let formulaStarts = Array("=+-@'".utf8)

  private static func cell(_ text: String) -> String {
    var bytes = Array(text.utf8)
    if let first = bytes.first, formulaStarts.contains(first) { bytes.insert(apostrophe, at: 0) }
    if bytes.contains(where: { $0 == comma || $0 == quote }) {
      bytes = [quote] + bytes.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func cells(_ bytes: [UInt8]) -> [String]? {
    var cells: [String] = []
    var rest = bytes[...]
    while true {
      var cell: [UInt8] = []
      if rest.first == quote {
        rest = rest.dropFirst()
        while let end = rest.firstIndex(of: quote) {
          cell += rest[..<end]
          rest = rest[(end + 1)...]
          guard rest.first == quote else { break }
          cell.append(quote)
          rest = rest.dropFirst()
        }
      } else {
        cell += rest.prefix { $0 != comma }
        rest = rest.dropFirst(cell.count)
      }
      if cell.first == apostrophe { cell.removeFirst() }
      cells.append(String(decoding: cell, as: UTF8.self))
      guard rest.first == comma else { return rest.isEmpty ? cells : nil }
      rest = rest.dropFirst()
    }
  }
}
