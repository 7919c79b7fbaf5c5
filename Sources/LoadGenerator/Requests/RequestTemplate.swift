package import CommandLineTool
package import RPCKit

/// A message whose fields are written out by number, with places that differ from call to call.
///
/// The text is what `protoc --decode_raw` prints, and in it `{n}` and `{random}`; see
/// `OptionHelp.text`. Rendering allocates nothing: the message is written from its end to its
/// beginning, so that the length of everything is known when it is needed.
package struct RequestTemplate: Sendable, Hashable {
  /// A place that is filled in.
  enum Placeholder: Sendable, Hashable {
    /// The number of the call; below the limit when there is one.
    case number(limit: UInt64?)
    /// Random bits: 16 hexadecimal digits, or a number below the limit.
    case random(limit: UInt64?)
  }

  /// One part of a text.
  enum TextPart: Sendable, Hashable {
    case bytes([UInt8])
    case placeholder(Placeholder)
  }

  /// The value of a field.
  enum Value: Sendable, Hashable {
    case varint(UInt64)
    case filled(Placeholder)
    case fixed32(UInt32)
    case fixed64(UInt64)
    case text([TextPart])
    case message([Field])
  }

  /// One field.
  struct Field: Sendable, Hashable {
    var number: UInt32
    var value: Value
  }

  let fields: [Field]
  /// Room that the largest rendering needs.
  let byteCountMax: Int

  /// Reads a template.
  package init(_ text: String) throws(UsageError) {
    var parser = RequestTemplateParser(text)
    fields = try parser.parse()
    byteCountMax = Self.byteCountMax(fields)
    guard byteCountMax <= EncodedRequests.messageByteCountMax else {
      throw UsageError("--template: the message can become larger than a frame")
    }
  }

  /// Writes the message for one call to the end of `buffer`; returns where it begins.
  func render(number: UInt64, random: inout SplitMix64, into buffer: inout [UInt8]) -> Int {
    var writer = BackwardWriter(offset: buffer.count)
    Self.write(fields, number, &random, &writer, &buffer)
    return writer.offset
  }

  /// The message of one call by itself.
  package func rendered(number: UInt64, random: inout SplitMix64) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: byteCountMax)
    let start = render(number: number, random: &random, into: &buffer)
    return Array(buffer[start...])
  }

  private static func write(
    _ fields: [Field],
    _ number: UInt64,
    _ random: inout SplitMix64,
    _ writer: inout BackwardWriter,
    _ buffer: inout [UInt8]
  ) {
    for field in fields.reversed() {
      let wireType: UInt64
      switch field.value {
      case .varint(let value):
        writer.varint(value, &buffer)
        wireType = 0
      case .filled(let placeholder):
        writer.varint(placeholder.value(number, &random), &buffer)
        wireType = 0
      case .fixed64(let value):
        writer.fixed(value, byteCount: 8, &buffer)
        wireType = 1
      case .fixed32(let value):
        writer.fixed(UInt64(value), byteCount: 4, &buffer)
        wireType = 5
      case .text(let parts):
        let end = writer.offset
        for part in parts.reversed() { writer.text(part, number, &random, &buffer) }
        writer.varint(UInt64(end - writer.offset), &buffer)
        wireType = 2
      case .message(let inner):
        let end = writer.offset
        write(inner, number, &random, &writer, &buffer)
        writer.varint(UInt64(end - writer.offset), &buffer)
        wireType = 2
      }
      writer.varint(UInt64(field.number) << 3 | wireType, &buffer)
    }
  }

  private static func byteCountMax(_ fields: [Field]) -> Int {
    fields.reduce(0) { sum, field in
      // Tag and length or number: at most ten bytes each.
      switch field.value {
      case .varint, .filled, .fixed32, .fixed64: sum + 20
      case .message(let inner): sum + 20 + byteCountMax(inner)
      case .text(let parts): sum + 20 + TextPart.byteCountMax(parts)
      }
    }
  }
}

extension RequestTemplate.Placeholder {
  /// The value for one call.
  func value(_ number: UInt64, _ random: inout SplitMix64) -> UInt64 {
    switch self {
    case .number(nil): number
    case .number(let limit?): number % limit
    case .random(nil): random.next()
    // The product's upper half: even enough for load (Lemire, "Fast random integer generation in
    // an interval", 2019), and without a loop.
    case .random(let limit?): random.next().multipliedFullWidth(by: limit).high
    }
  }
}
