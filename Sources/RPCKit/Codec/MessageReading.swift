package import CProtobufC

/// Copies what protobuf-c unpacked into Swift values, for generated code.
package enum MessageReading {
  /// A string of valid UTF-8, U+0000 included.
  ///
  /// Validates once and copies once; a string of up to 15 bytes needs no memory of its own.
  package static func string(
    _ data: ProtobufCBinaryData
  ) throws(MessageDecodingError) -> String {
    let bytes = unsafe UnsafeBufferPointer(start: data.data, count: data.len)
    do {
      // Not `String(validating:as:)`, which is generic and looks types up for longer than it validates.
      return String(copying: try UTF8Span(validating: unsafe Span(_unsafeElements: bytes)))
    } catch {
      throw .invalidUTF8
    }
  }

  /// The bytes of a `bytes` field.
  package static func bytes(_ data: ProtobufCBinaryData) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: data.data, count: data.len))
  }

  /// The numbers of a repeated field.
  @inlinable
  package static func array<Element: BitwiseCopyable>(
    _ base: UnsafeMutablePointer<Element>?,
    _ count: Int
  ) -> [Element] {
    unsafe Array(UnsafeBufferPointer(start: base, count: count))
  }

  /// The number of an enum; C's enums are unsigned unless a value is negative.
  package static func number(_ rawValue: UInt32) -> Int32 { Int32(bitPattern: rawValue) }

  /// The number of an enum that has negative values.
  package static func number(_ rawValue: Int32) -> Int32 { rawValue }
}
