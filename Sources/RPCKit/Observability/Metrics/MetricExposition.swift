/// Text in the Prometheus exposition format 0.0.4, while it is written.
///
/// The format: prometheus.io/docs/instrumenting/exposition_formats.
public struct MetricExposition: Sendable {
  /// The media type to answer a scrape with.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// The bytes written so far: UTF-8.
  public private(set) var bytes: [UInt8] = []

  /// Makes an empty exposition.
  public init() {}

  /// Writes the `HELP` and `TYPE` lines of a family.
  mutating func header(name: String, help: String, kind: MetricKind) {
    append("# HELP ")
    append(name)
    append(" ")
    append(Self.escapedHelp(help))
    append("\n# TYPE ")
    append(name)
    append(" ")
    append(kind.rawValue)
    append("\n")
  }

  /// Writes one sample: `name` and `suffix`, then `labels` and `lastLabel` in braces.
  ///
  /// In pieces, and not as one interpolated string, because a scrape has thousands of samples and
  /// runs on an event loop.
  mutating func sample(
    name: String,
    suffix: String = "",
    labels: String,
    lastLabel: String = "",
    value: String
  ) {
    append(name)
    append(suffix)
    if !labels.isEmpty || !lastLabel.isEmpty {
      append("{")
      append(labels)
      if !labels.isEmpty && !lastLabel.isEmpty { append(",") }
      append(lastLabel)
      append("}")
    }
    append(" ")
    append(value)
    append("\n")
  }

  private mutating func append(_ part: String) {
    bytes.append(contentsOf: part.utf8)
  }

  /// Renders a number as Go's `ParseFloat` reads it back exactly; whole numbers without a point.
  static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    if value == value.rounded(), value.magnitude < 1e15 { return String(Int64(value)) }
    return value.description
  }

  /// Renders `name="value"` pairs; backslash, quote and line feed are escaped.
  static func labels(_ names: [String], _ values: [String]) -> String {
    var labels = ""
    for (name, value) in zip(names, values) {
      if !labels.isEmpty { labels += "," }
      labels += name
      labels += "=\""
      labels += escaped(value, includingQuote: true)
      labels += "\""
    }
    return labels
  }

  /// Help text escapes the same, but for the quote.
  private static func escapedHelp(_ text: String) -> String {
    escaped(text, includingQuote: false)
  }

  private static func escaped(_ text: String, includingQuote: Bool) -> String {
    // Thousands of labels are written at each start, and hardly any has something to escape.
    let isPlain = text.utf8.allSatisfy { byte in
      byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "\n") && byte != UInt8(ascii: "\"")
    }
    guard !isPlain else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where includingQuote: result += "\\\""
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
