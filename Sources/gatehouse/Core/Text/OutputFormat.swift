internal import Reflection
internal import ServiceKit

/// How a command writes its results.
enum OutputFormat: String, CaseIterable, Sendable {
  /// JSON with every field: one document of an answer, and one line for each of several things.
  case json
  /// Columns for people.
  case table
}

extension CommandContext {
  /// Writes one answer in the format that was asked for.
  func show(_ value: JSONValue, unlessAsked format: OutputFormat) throws {
    switch options.output ?? format {
    case .json: try console.line(value.indentedText)
    case .table: try show(TableText(style: console.outputStyle).lines(value))
    }
  }

  /// Writes several things: a line of JSON for each, or `table` if they are for people.
  func show(_ values: [JSONValue], table: [String]) throws {
    try show(options.output == .json ? values.map(\.text) : table)
  }

  private func show(_ lines: [String]) throws {
    for line in lines { try console.line(line) }
  }
}
