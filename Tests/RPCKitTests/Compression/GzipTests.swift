import Testing

@testable import RPCKit

@Suite("Messages compressed as gzip")
struct GzipTests {
  /// `gzip.compress(b"gatehouse " * 8, 9, mtime=0)` of Python 3.11.
  private let fromPython: [UInt8] = [
    0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4B, 0x4F, 0x2C, 0x49,
    0xCD, 0xC8, 0x2F, 0x2D, 0x4E, 0x55, 0x48, 0xA7, 0x0A, 0x0B, 0x00, 0xD9, 0x27, 0x20,
    0x06, 0x50, 0x00, 0x00, 0x00,
  ]
  private let content = Array(String(repeating: "gatehouse ", count: 8).utf8)

  private func inflate(
    _ input: [UInt8],
    _ format: CompressionFormat = .gzip,
    byteCountMax: Int = 80
  ) throws(InflateError) -> [UInt8] {
    let compression = MessageCompression()
    var output = ByteBuffer()
    try compression.inflate(input.span, format, into: &output, byteCountMax: byteCountMax)
    return output.copiedBytes()
  }

  @Test("A stream compressed by Python inflates to its content, up to the limit")
  func pythonStream_known_isInflated() throws {
    #expect(try inflate(fromPython) == content)
    #expect(throws: InflateError.tooLarge) { try inflate(fromPython, byteCountMax: 79) }
  }

  @Test("A stream that is cut, damaged or followed by something is refused")
  func damagedStream_isRefused() {
    #expect(throws: InflateError.truncated) { try inflate(Array(fromPython.dropLast())) }
    #expect(throws: InflateError.trailingBytes) { try inflate(fromPython + fromPython) }
    for index in [0, 2, fromPython.count - 1, fromPython.count - 5] {
      var damaged = fromPython
      damaged[index] ^= 1
      #expect(throws: InflateError.malformed) { try inflate(damaged) }
    }
  }

  @Test("Each format is read as itself only", arguments: CompressionFormat.allCases)
  func otherFormat_isRefused(format: CompressionFormat) throws {
    var deflater = Deflater(format)
    var output = ByteBuffer()
    #expect(deflater.deflate(content.span, into: &output, byteCountMax: .max))
    let stream = output.copiedBytes()
    #expect(try inflate(stream, format) == content)
    let other: CompressionFormat = format == .gzip ? .zlib : .gzip
    #expect(throws: InflateError.malformed) { try inflate(stream, other) }
  }

  @Test(
    "A message is deflated when it is long enough and shrinks",
    arguments: CompressionFormat.allCases
  )
  func worthwhileMessage_isReplaced(format: CompressionFormat) throws {
    let compression = MessageCompression()
    let long = [UInt8](repeating: 7, count: MessageCompression.deflatedByteCountMin)
    var message = ByteBuffer()
    message.append(long.span)
    #expect(compression.deflateIfWorthwhile(&message, format))
    #expect(try inflate(message.copiedBytes(), format, byteCountMax: long.count) == long)
    var short = ByteBuffer()
    short.append(Array(long.dropLast()).span)
    #expect(!compression.deflateIfWorthwhile(&short, format))
    #expect(short.copiedBytes() == Array(long.dropLast()))
    var noise = ByteBuffer()
    var random = SeededBytes(seed: 5)
    let bytes = random.bytes(4096)
    noise.append(bytes.span)
    #expect(!compression.deflateIfWorthwhile(&noise, format))
    #expect(noise.copiedBytes() == bytes)
  }
}
