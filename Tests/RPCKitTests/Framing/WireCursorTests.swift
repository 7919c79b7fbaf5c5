import RPCKitTesting
import Testing

@testable import RPCKit

@Suite("The wire cursor")
struct WireCursorTests {
  @Test(
    "reads and writes numbers of one to ten bytes",
    arguments: [
      (0, "00"), (1, "01"), (0x7f, "7f"), (0x80, "80 01"), (0x3fff, "ff 7f"),
      (0x4000, "80 80 01"), (1 << 21, "80 80 80 01"), (1 << 28, "80 80 80 80 01"),
      (1 << 35, "80 80 80 80 80 01"), (1 << 42, "80 80 80 80 80 80 01"),
      (1 << 49, "80 80 80 80 80 80 80 01"), (1 << 56, "80 80 80 80 80 80 80 80 01"),
      (1 << 63, "80 80 80 80 80 80 80 80 80 01"), (UInt64.max, "ff ff ff ff ff ff ff ff ff 01"),
    ] as [(UInt64, String)]
  )
  func varint_hasItsBytes(value: UInt64, text: String) {
    let bytes = [UInt8](hexadecimal: text)
    #expect(Self.varint(bytes) == .success(value))
    #expect(varintByteCount(value) == bytes.count)
    var buffer = ByteBuffer()
    buffer.append(varint: value)
    #expect(buffer.contents == bytes)
  }

  @Test("counts the bytes of every power of two and its neighbours as it writes them")
  func varintByteCount_isExact() {
    for shift in UInt64(0)..<64 {
      for value in [(1 << shift) &- 1, 1 << shift, (1 << shift) + 1] as [UInt64] {
        #expect(varintByteCount(value) == WireMessage.varint(value).count, "of \(value)")
      }
    }
  }

  @Test("accepts numbers that are longer than they need to be")
  func paddedVarint_isRead() {
    #expect(Self.varint([UInt8](hexadecimal: "81 80 00")) == .success(1))
    #expect(Self.varint([UInt8](hexadecimal: "80 80 80 80 80 80 80 80 80 00")) == .success(0))
  }

  @Test(
    "refuses numbers that do not end, or do not fit into 64 bits",
    arguments: [
      "", "80", "ff ff", "80 80 80 80 80 80 80 80 80",
      "80 80 80 80 80 80 80 80 80 02", "ff ff ff ff ff ff ff ff ff 7f",
      "80 80 80 80 80 80 80 80 80 80 00", "ff ff ff ff ff ff ff ff ff ff 01",
    ]
  )
  func badVarint_isMalformed(text: String) {
    #expect(Self.varint([UInt8](hexadecimal: text)) == .failure(.malformed))
  }

  @Test("does not look past its range")
  func range_isTheEnd() {
    let bytes: [UInt8] = [0x80, 0x01, 0x05]
    #expect(Self.varint(bytes, 0..<1) == .failure(.malformed))
    #expect(Self.varint(bytes, 2..<3) == .success(5))
    #expect(Self.lengthDelimited([0x02, 1, 2], 0..<2) == .failure(.malformed))
  }

  @Test(
    "refuses tags of field 0, of groups and unknown sorts, and past 32 bits",
    arguments: [
      "00", "02", "0b", "0c", "0e", "0f", "80 80 80 80 10", "ff ff ff ff ff ff ff ff ff 01",
    ]
  )
  func badTag_isMalformed(text: String) {
    #expect(Self.tag([UInt8](hexadecimal: text)) == .failure(.malformed))
  }

  @Test(
    "reads the number and sort of a field",
    arguments: [
      ("08", 1, WireCursor.WireType.varint), ("09", 1, .fixed64), ("0a", 1, .lengthDelimited),
      ("0d", 1, .fixed32), ("a2 06", 100, .lengthDelimited), ("a8 06", 101, .varint),
      ("fa ff ff ff 0f", (1 << 29) - 1, .lengthDelimited),
    ]
  )
  func tag_isRead(text: String, number: Int, type: WireCursor.WireType) {
    #expect(Self.tag([UInt8](hexadecimal: text)) == .success(.init(number: number, type: type)))
  }

  @Test("takes exactly the bytes that a length announces")
  func lengthDelimited_isExact() {
    #expect(Self.lengthDelimited([0x00]) == .success(1..<1))
    #expect(Self.lengthDelimited([0x02, 1, 2]) == .success(1..<3))
    #expect(Self.lengthDelimited([0x03, 1, 2]) == .failure(.malformed))
    let huge = [UInt8](hexadecimal: "ff ff ff ff ff ff ff ff ff 01")
    #expect(Self.lengthDelimited(huge) == .failure(.malformed))
    #expect(
      Self.lengthDelimited([UInt8](hexadecimal: "ff ff ff ff ff ff ff ff 7f"))
        == .failure(.malformed)
    )
  }

  @Test(
    "skips fields of each sort, and refuses those that are cut short",
    arguments: [
      (WireCursor.WireType.varint, 3), (.fixed32, 4), (.fixed64, 8), (.lengthDelimited, 6),
    ]
  )
  func skip_movesPastTheValue(type: WireCursor.WireType, byteCount: Int) {
    let value: [UInt8] =
      switch type {
      case .varint: [0x80, 0x80, 0x01]
      case .fixed32, .fixed64: Array(repeating: 0xff, count: byteCount)
      case .lengthDelimited: [5, 1, 2, 3, 4, 5]
      }
    #expect(Self.skip(type, value + [9]) == .success(byteCount))
    for count in 0..<byteCount {
      #expect(Self.skip(type, Array(value[..<count])) == .failure(.malformed))
    }
  }

  @Test("says how long a field will be")
  func fieldByteCount_isExact() {
    for number in [1, 15, 16, 100, 101] {
      for length in [0, 1, 127, 128, 16_383, 16_384] {
        let field = WireMessage().field(number, Array(repeating: 0, count: length)).bytes
        #expect(fieldByteCount(number, length: length) == field.count)
      }
    }
  }

  @Test("copies text that is UTF-8 and refuses any other")
  func text_mustBeUTF8() {
    #expect(Self.text(Array("grüezi".utf8)) == .success("grüezi"))
    #expect(Self.text([]) == .success(""))
    for text in ["ff", "c0 80", "ed a0 80", "f4 90 80 80", "e2 82", "61 80"] {
      #expect(Self.text([UInt8](hexadecimal: text)) == .failure(.invalidUTF8), "\(text)")
    }
  }

  private struct Tag: Equatable {
    var number: Int
    var type: WireCursor.WireType
  }

  private static func tag(_ bytes: [UInt8]) -> Result<Tag, WireFormatError> {
    read(bytes) { cursor, span throws(WireFormatError) in
      let (number, type) = try cursor.tag(span)
      return Tag(number: number, type: type)
    }
  }

  private static func varint(
    _ bytes: [UInt8],
    _ range: Range<Int>? = nil
  ) -> Result<UInt64, WireFormatError> {
    read(bytes, range) { cursor, span throws(WireFormatError) in try cursor.varint(span) }
  }

  private static func lengthDelimited(
    _ bytes: [UInt8],
    _ range: Range<Int>? = nil
  ) -> Result<Range<Int>, WireFormatError> {
    read(bytes, range) { cursor, span throws(WireFormatError) in
      try cursor.lengthDelimited(span)
    }
  }

  private static func skip(
    _ type: WireCursor.WireType,
    _ bytes: [UInt8]
  ) -> Result<Int, WireFormatError> {
    read(bytes) { cursor, span throws(WireFormatError) in
      try cursor.skip(type, span)
      return cursor.offset
    }
  }

  private static func text(_ bytes: [UInt8]) -> Result<String, WireFormatError> {
    read(bytes) { _, span throws(WireFormatError) in try String(span, span.indices) }
  }

  private static func read<Value>(
    _ bytes: [UInt8],
    _ range: Range<Int>? = nil,
    _ body: (inout WireCursor, Span<UInt8>) throws(WireFormatError) -> Value
  ) -> Result<Value, WireFormatError> {
    var cursor = WireCursor(range ?? bytes.indices)
    do throws(WireFormatError) {
      return .success(try body(&cursor, bytes.span))
    } catch {
      return .failure(error)
    }
  }
}
