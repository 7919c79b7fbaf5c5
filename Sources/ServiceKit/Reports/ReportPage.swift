/// A report as a page of HTML.
package enum ReportPage {
  /// The text before the rows.
  ///
  /// The policy of the page lets it load and run nothing, whatever is in it, and have no style but this.
  package static let opening =
    """
    <!DOCTYPE html>
    <html lang="en"><head><meta charset="utf-8"><title>Compliance report</title>
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-\(styleDigest)'">
    <style>\(style)</style></head><body><h1>Compliance report</h1>
    <p>All times are UTC. The last row is the signature: gatehouse report --verify FILE checks it.</p>
    <table><thead><tr>\(ReportLine.Column.allCases.map { "<th>\($0.title)</th>" }.joined())</tr></thead><tbody>
    """
    .split(separator: "\n").map { String($0) }

  private static let style = """
    body { font: 11px/1.4 system-ui, sans-serif; margin: 1.5em; }
    table { border-collapse: collapse; width: 100%; }
    th, td { border-bottom: 1px solid #ccc; padding: 2px 6px; text-align: left; vertical-align: top; }
    td { overflow-wrap: anywhere; } thead { display: table-header-group; } tr { break-inside: avoid; }
    .report td, .seal td { font-weight: bold; background: #eee; } .refusal td { color: #a00; }
    @page { size: A4 landscape; margin: 10mm; }
    """

  /// In base64, as policies have it (CSP Level 3, section 2.3.1).
  private static let styleDigest =
    String(Base64URL.encode(Digests.sha256(style)).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    + "="

  /// The text after the rows.
  package static let closing = ["</tbody></table></body></html>"]

  /// A line as a row.
  static func row(_ line: ReportLine) -> String {
    let cells = ReportLine.Column.allCases.map { "<td>\(escaped(line[$0]))</td>" }
    return "<tr class=\"\(escaped(line[.kind]))\">\(cells.joined())</tr>"
  }

  /// The line of a row; nil for what is none.
  static func line(_ row: [UInt8]) -> ReportLine? {
    guard row.starts(with: start), let first = row.firstRange(of: classEnd),
      row.count >= first.upperBound + end.count, row.suffix(end.count).elementsEqual(end)
    else { return nil }
    var rest = row[first.upperBound...].dropLast(end.count)
    var texts: [String] = []
    while let range = rest.firstRange(of: cellBoundary) {
      texts.append(plain(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return ReportLine(texts: texts + [plain(rest)])
  }

  private static let start = Array("<tr class=\"".utf8)
  private static let classEnd = Array("\"><td>".utf8)
  private static let cellBoundary = Array("</td><td>".utf8)
  private static let end = Array("</td></tr>".utf8)

  // By bytes, because a bracket and an accent behind it are one character.
  private static let entities: [(byte: UInt8, entity: [UInt8])] = [
    (UInt8(ascii: "&"), Array("&amp;".utf8)), (UInt8(ascii: "<"), Array("&lt;".utf8)),
    (UInt8(ascii: ">"), Array("&gt;".utf8)), (UInt8(ascii: "\""), Array("&quot;".utf8)),
    (UInt8(ascii: "'"), Array("&#39;".utf8)),
  ]

  private static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if let found = entities.first(where: { $0.byte == byte }) {
        bytes += found.entity
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func plain(_ text: ArraySlice<UInt8>) -> String {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.first {
      let found = entities.first { rest.starts(with: $0.entity) }
      bytes.append(found?.byte ?? byte)
      rest = rest.dropFirst(found?.entity.count ?? 1)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
