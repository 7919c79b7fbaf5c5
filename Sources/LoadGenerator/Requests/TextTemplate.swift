package import CommandLineTool
internal import RPCKit

/// Text with places that differ from call to call: JSON, or a path.
///
/// `{n}`, `{n:LIMIT}`, `{random}` and `{random:LIMIT}` are filled in as in a `RequestTemplate`. They are no JSON, so
/// that nothing in it needs to be escaped.
package struct TextTemplate: Sendable, Hashable {
  let parts: [RequestTemplate.TextPart]
  /// Room that the longest rendering needs.
  let byteCountMax: Int

  /// Reads a template; `option` is named in what is wrong with it.
  package init(_ text: String, option: String) throws(UsageError) {
    var parser = RequestTemplateParser(text, option: option)
    parts = try parser.parseText()
    byteCountMax = RequestTemplate.TextPart.byteCountMax(parts)
  }

  /// The text, if it is the same for all calls.
  var constant: [UInt8]? {
    if parts.isEmpty { return [] }
    guard parts.count == 1, case .bytes(let bytes) = parts[0] else { return nil }
    return bytes
  }

  /// Whether no brace is left as it is.
  package var isFilledIn: Bool {
    parts.allSatisfy { part in
      guard case .bytes(let bytes) = part else { return true }
      return !bytes.contains(UInt8(ascii: "{")) && !bytes.contains(UInt8(ascii: "}"))
    }
  }

  /// Writes the text for one call to the end of `buffer`; returns where it begins.
  func render(number: UInt64, random: inout SplitMix64, into buffer: inout [UInt8]) -> Int {
    var writer = BackwardWriter(offset: buffer.count)
    for part in parts.reversed() { writer.text(part, number, &random, &buffer) }
    return writer.offset
  }
}

extension RequestTemplate.TextPart {
  /// Room that parts need.
  static func byteCountMax(_ parts: [Self]) -> Int {
    parts.reduce(0) { sum, part in
      // 20 digits are the most that 64 bits have.
      if case .bytes(let bytes) = part { sum + bytes.count } else { sum + 20 }
    }
  }
}
