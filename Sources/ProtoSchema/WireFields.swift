/// The fields of an encoded message, one after another (protobuf.dev/programming-guides/encoding).
package struct WireFields {
  /// A field as it is on the wire.
  package enum Value {
    case varint(UInt64)
    case fixed32(UInt32)
    case fixed64(UInt64)
    case bytes(ArraySlice<UInt8>)
  }

  /// The kinds of field on the wire that proto3 uses.
  package enum Kind: UInt64 {
    case varint
    case fixed64
    case bytes
    case fixed32 = 5
  }

  private let bytes: ArraySlice<UInt8>
  private var offset: Int

  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    offset = bytes.startIndex
  }

  package var isAtEnd: Bool { offset == bytes.endIndex }

  /// The next field, or nil behind the last one; throws when the bytes are not a message.
  package mutating func next() throws(SchemaError) -> (number: Int, value: Value)? {
    guard !isAtEnd else { return nil }
    let tag = try varint()
    guard tag <= UInt64(UInt32.max), tag >> 3 != 0, let kind = Kind(rawValue: tag & 7) else {
      throw Self.malformed
    }
    return (Int(tag >> 3), try value(kind))
  }

  /// The next value, where no tag stands in front of it: one of a packed list.
  package mutating func value(_ kind: Kind) throws(SchemaError) -> Value {
    switch kind {
    case .varint: .varint(try varint())
    case .fixed64: .fixed64(UInt64(littleEndian: try take(8)))
    case .bytes: .bytes(try take(try varint()))
    case .fixed32: .fixed32(UInt32(truncatingIfNeeded: UInt64(littleEndian: try take(4))))
    }
  }

  private mutating func varint() throws(SchemaError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.endIndex, shift <= 63 {
      let byte = bytes[offset]
      offset += 1
      value |= UInt64(byte & 0x7f) << shift
      guard byte & 0x80 != 0 else {
        guard shift < 63 || byte <= 1 else { break }
        return value
      }
      shift += 7
    }
    throw Self.malformed
  }

  private mutating func take(_ count: UInt64) throws(SchemaError) -> ArraySlice<UInt8> {
    guard count <= UInt64(bytes.endIndex - offset) else { throw Self.malformed }
    defer { offset += Int(count) }
    return bytes[offset..<offset + Int(count)]
  }

  private static var malformed: SchemaError { SchemaError("the bytes are not a protobuf message") }
}

extension UInt64 {
  /// At most eight bytes, the least significant first.
  fileprivate init(littleEndian bytes: ArraySlice<UInt8>) {
    self = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension WireFields.Value {
  /// The text; throws when this is none.
  package func text() throws(SchemaError) -> String {
    guard case .bytes(let bytes) = self, let text = String(validating: bytes, as: UTF8.self) else {
      throw SchemaError("a text is not valid UTF-8")
    }
    return text
  }

  /// The number, if this is a varint.
  package var number: UInt64? {
    guard case .varint(let number) = self else { return nil }
    return number
  }

  /// The same for one that counts something; 0 if this is no varint.
  package var count: Int { Int(clamping: number ?? 0) }

  /// Whether this is a varint other than 0.
  package var isTrue: Bool { number ?? 0 != 0 }

  /// The bytes, if these are some.
  package var bytes: ArraySlice<UInt8>? {
    guard case .bytes(let bytes) = self else { return nil }
    return bytes
  }
}
