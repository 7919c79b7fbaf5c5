internal import ServiceKit

/// JSON as columns for people.
///
/// An answer that is a list becomes a row for each element, with the other fields below; anything else
/// a line for each field, those of inner objects by their path.
struct TableText {
  let style: TextStyle

  /// The text for an empty text, list or object, and for null.
  private static let nothing = "-"

  /// The lines of the table.
  func lines(_ value: JSONValue) -> [String] {
    guard let object = value.object else { return [Self.cell(value)] }
    let lists = object.members.filter { member in
      member.value.array?.isEmpty == false
        && member.value.array?.allSatisfy { $0.object != nil } == true
    }
    guard lists.count == 1, let list = lists.first, let elements = list.value.array else {
      return aligned(Self.fields(object, ""))
    }
    var rest = object
    rest[list.name] = nil
    let below = aligned(Self.fields(rest, "").filter { $0[1] != Self.nothing })
    return table(elements) + (below.isEmpty ? [] : [""] + below)
  }

  private func table(_ elements: [JSONValue]) -> [String] {
    var columns: [String] = []
    let rows = elements.map { Self.fields($0.object ?? [:], "") }
    for row in rows {
      for field in row where !columns.contains(field[0]) { columns.append(field[0]) }
    }
    let cells = rows.map { row in
      columns.map { column in row.first { $0[0] == column }?[1] ?? Self.nothing }
    }
    let lines = aligned([columns] + cells)
    return [style.heading(lines[0])] + lines.dropFirst()
  }

  /// Names and cells, inner objects taken apart.
  private static func fields(_ object: JSONObject, _ prefix: String) -> [[String]] {
    object.members.flatMap { member -> [[String]] in
      let name = prefix + FailureText.printable(member.name)
      if let inner = member.value.object, !inner.members.isEmpty {
        return fields(inner, "\(name).")
      }
      return [[name, cell(member.value)]]
    }
  }

  /// One line whatever is in it.
  private static func cell(_ value: JSONValue) -> String {
    switch value {
    case .null: return nothing
    case .string(let text):
      let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
      return line.isEmpty ? nothing : FailureText.printable(line)
    case .array(let elements):
      guard !elements.isEmpty else { return nothing }
      return elements.map { $0.object == nil ? cell($0) : FailureText.printable($0.text) }
        .joined(separator: ", ")
    case .object(let object):
      return object.members.isEmpty ? nothing : FailureText.printable(value.text)
    default: return value.text
    }
  }

  /// Rows whose columns begin below one another; the last column is not filled up.
  private func aligned(_ rows: [[String]]) -> [String] {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      row.enumerated().map { index, cell in
        index == row.count - 1
          ? cell : cell + String(repeating: " ", count: widths[index] - cell.count)
      }.joined(separator: "  ")
    }
  }
}
