public import CProtobufC

/// Copies what protobuf-c unpacked into Swift values.
///
/// For generated code, which may be in any package. The pointers must be those of a message that an
/// `UnpackedMessage` still holds.
public enum MessageReading {
  /// A string of valid UTF-8, U+0000 included.
  ///
  /// Validates once and copies once; a string of up to 15 bytes needs no memory of its own.
  public static func string(
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
  public static func bytes(_ data: ProtobufCBinaryData) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: data.data, count: data.len))
  }

  /// The numbers of a repeated field.
  @inlinable
  public static func array<Element: BitwiseCopyable>(
    _ base: UnsafeMutablePointer<Element>?,
    _ count: Int
  ) -> [Element] {
    unsafe Array(UnsafeBufferPointer(start: base, count: count))
  }

  /// The number of an enum; C's enums are unsigned unless a value is negative.
  public static func number(_ rawValue: UInt32) -> Int32 { Int32(bitPattern: rawValue) }

  /// The number of an enum that has negative values.
  public static func number(_ rawValue: Int32) -> Int32 { rawValue }
}
