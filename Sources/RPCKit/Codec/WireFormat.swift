/// Reading and writing the protobuf wire format in place, for the call envelope, and for programs that
/// know a message only by its descriptor.
///
/// The envelope is read here and not through protobuf-c because service, method and deadline must
/// be known before anything is copied or allocated for the payload; see
/// `docs/decisions/0002-envelope-in-place.md`. Source: protobuf.dev/programming-guides/encoding.
package struct WireCursor {
  /// The next byte to read.
  package var offset: Int
  /// One past the last byte.
  let end: Int

  /// The kinds of field on the wire that proto3 uses.
  package enum WireType: UInt64 {
    case varint = 0
    case fixed64 = 1
    case lengthDelimited = 2
    case fixed32 = 5
  }

  package init(_ range: Range<Int>) {
    offset = range.lowerBound
    end = range.upperBound
  }

  package var isAtEnd: Bool { offset >= end }

  /// Reads a field's number and sort.
  package mutating func tag(_ bytes: Span<UInt8>) throws(WireFormatError) -> (Int, WireType) {
    let tag = try varint(bytes)
    guard tag <= UInt64(UInt32.max), tag >> 3 != 0, let type = WireType(rawValue: tag & 7) else {
      throw .malformed
    }
    return (Int(tag >> 3), type)
  }

  /// Reads a base-128 number of at most ten bytes.
  package mutating func varint(_ bytes: Span<UInt8>) throws(WireFormatError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < end {
      let byte = bytes[offset]
      offset += 1
      value |= UInt64(byte & 0x7f) << shift
      if byte & 0x80 == 0 {
        guard shift < 63 || byte <= 1 else { throw .malformed }
        return value
      }
      shift += 7
      guard shift <= 63 else { throw .malformed }
    }
    throw .malformed
  }

  /// Reads a length and returns the range of that many bytes, past which the cursor moves.
  package mutating func lengthDelimited(_ bytes: Span<UInt8>) throws(WireFormatError) -> Range<Int>
  {
    let length = try varint(bytes)
    guard length <= UInt64(end - offset) else { throw .malformed }
    let range = offset..<offset + Int(length)
    offset = range.upperBound
    return range
  }

  /// Moves past the value of a field that nobody asked for.
  package mutating func skip(_ type: WireType, _ bytes: Span<UInt8>) throws(WireFormatError) {
    switch type {
    case .varint: _ = try varint(bytes)
    case .lengthDelimited: _ = try lengthDelimited(bytes)
    case .fixed32: try advance(4)
    case .fixed64: try advance(8)
    }
  }

  private mutating func advance(_ count: Int) throws(WireFormatError) {
    guard end - offset >= count else { throw .malformed }
    offset += count
  }
}

/// Why bytes are not an envelope.
package enum WireFormatError: Error, Hashable {
  case malformed
  case invalidUTF8
}

extension ByteBuffer {
  /// Adds a base-128 number.
  package mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// Adds a length-delimited field; an empty one too.
  package mutating func append(field number: Int, utf8 text: String) {
    append(varint: UInt64(number << 3 | 2))
    append(varint: UInt64(text.utf8.count))
    append(utf8: text)
  }

  /// Adds the bytes of a string.
  mutating func append(utf8 text: String) {
    append(text.utf8Span.span)
  }

  /// Adds a length-delimited field.
  package mutating func append(field number: Int, bytes: [UInt8]) {
    append(varint: UInt64(number << 3 | 2))
    append(varint: UInt64(bytes.count))
    append(bytes.span)
  }

  /// Adds a message as a field.
  ///
  /// `body` writes it to a buffer of its own, because its length comes first.
  package mutating func append(field number: Int, message body: (inout ByteBuffer) -> Void) {
    var message = ByteBuffer()
    body(&message)
    append(varint: UInt64(number << 3 | 2))
    append(varint: UInt64(message.byteCount))
    message.withBytes { append($0) }
  }

  /// Adds a number as a field of eight bytes.
  package mutating func append(field number: Int, fixed64 value: UInt64) {
    append(varint: UInt64(number << 3 | 1))
    for shift in stride(from: 0, to: 64, by: 8) {
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// Adds a number as a field of four bytes.
  package mutating func append(field number: Int, fixed32 value: UInt32) {
    append(varint: UInt64(number << 3 | 5))
    for shift in stride(from: 0, to: 32, by: 8) {
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}

/// Bytes that a base-128 number takes.
func varintByteCount(_ value: UInt64) -> Int {
  // Seven bits a byte; zero still takes one.
  (64 - (value | 1).leadingZeroBitCount + 6) / 7
}

/// Bytes that a length-delimited field takes, tag and length included.
func fieldByteCount(_ number: Int, length: Int) -> Int {
  varintByteCount(UInt64(number << 3)) + varintByteCount(UInt64(length)) + length
}

extension String {
  /// Copies a range of bytes that must be UTF-8.
  init(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(WireFormatError) {
    do {
      self = String(copying: try UTF8Span(validating: bytes.extracting(range)))
    } catch {
      throw .invalidUTF8
    }
  }
}
