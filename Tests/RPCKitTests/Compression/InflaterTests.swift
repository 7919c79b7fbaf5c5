import RPCKit
import Testing

@Suite("Inflating what a peer compressed")
struct InflaterTests {
  /// `zlib.compress(b"gatehouse " * 8, 9)` of Python 3.11.
  private let fromPython: [UInt8] = [
    0x78, 0xDA, 0x4B, 0x4F, 0x2C, 0x49, 0xCD, 0xC8, 0x2F, 0x2D, 0x4E, 0x55, 0x48, 0xA7,
    0x0A, 0x0B, 0x00, 0xF7, 0x24, 0x1F, 0x29,
  ]

  private func inflate(
    _ input: [UInt8],
    byteCountMax: Int = 1 << 20
  ) throws(InflateError) -> [UInt8] {
    var inflater = Inflater()
    var output = ByteBuffer()
    try inflater.inflate(input.span, into: &output, byteCountMax: byteCountMax)
    return output.copiedBytes()
  }

  @Test("A stream written by hand inflates to its content", arguments: [0, 1, 16_384, 200_000])
  func storedBlocks_anySize_areInflated(size: Int) throws {
    var random = SeededBytes(seed: 7)
    let content = random.bytes(size)
    #expect(try inflate(storedZlibStream(content)) == content)
  }

  @Test("A stream compressed by Python inflates to its content")
  func pythonStream_known_isInflated() throws {
    let content = Array(String(repeating: "gatehouse ", count: 8).utf8)
    #expect(try inflate(fromPython, byteCountMax: 80) == content)
  }

  @Test("Output is appended behind what the buffer held")
  func output_bufferNotEmpty_isAppended() throws {
    var inflater = Inflater()
    var output = ByteBuffer()
    output.append(9)
    try inflater.inflate(storedZlibStream([1, 2, 3]).span, into: &output, byteCountMax: 3)
    #expect(output.copiedBytes() == [9, 1, 2, 3])
  }

  @Test("The limit itself is allowed, one byte more is not", arguments: [1, 100, 16_384, 16_385])
  func limit_oneBelowAndAtAndAbove_isExact(size: Int) throws {
    let stream = storedZlibStream([UInt8](repeating: 5, count: size))
    #expect(throws: InflateError.tooLarge) { try inflate(stream, byteCountMax: size - 1) }
    #expect(try inflate(stream, byteCountMax: size).count == size)
    #expect(try inflate(stream, byteCountMax: size + 1).count == size)
    #expect(try inflate(stream, byteCountMax: .max).count == size)
  }

  @Test("A limit of zero allows the empty message only")
  func limit_zero_allowsEmptyMessage() throws {
    #expect(try inflate(storedZlibStream([]), byteCountMax: 0) == [])
    #expect(throws: InflateError.tooLarge) {
      try inflate(storedZlibStream([1]), byteCountMax: 0)
    }
  }

  @Test("Every truncation of a valid stream is refused, and the buffer is put back")
  func truncated_everyPoint_isRefused() throws {
    var deflater = Deflater(level: 9)
    var random = SeededBytes(seed: 11)
    let content = Array("a message, a message, a message ".utf8) + random.bytes(300)
    let result = deflater.deflated(content)
    let stream = try #require(result)

    var inflater = Inflater()
    var output = ByteBuffer()
    output.append(42)
    for end in 0..<stream.count {
      #expect(throws: InflateError.truncated, "cut at \(end)") {
        try inflater.inflate(Array(stream[..<end]).span, into: &output, byteCountMax: 4096)
      }
      #expect(output.copiedBytes() == [42])
    }
    try inflater.inflate(stream.span, into: &output, byteCountMax: 4096)
    #expect(output.copiedBytes() == [42] + content)
  }

  @Test("Bytes behind the end are refused")
  func trailingBytes_one_isRefused() {
    #expect(throws: InflateError.trailingBytes) {
      try inflate(storedZlibStream([1, 2, 3]) + [0])
    }
    #expect(throws: InflateError.trailingBytes) {
      try inflate(storedZlibStream([1]) + storedZlibStream([2]))
    }
  }

  @Test("A wrong checksum, a bare deflate stream, gzip and a preset dictionary are malformed")
  func malformed_knownShapes_areRefused() {
    var wrongChecksum = storedZlibStream([1, 2, 3])
    wrongChecksum[wrongChecksum.count - 1] ^= 1
    let bareDeflate: [UInt8] = [1, 1, 0, 0xFE, 0xFF, 7]
    let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    // FDICT set (RFC 1950 section 2.2), then the Adler-32 of a dictionary nobody has.
    let presetDictionary: [UInt8] = [0x78, 0xBB, 0, 0, 0, 1, 1, 0, 0, 0xFF, 0xFF, 0, 0, 0, 1]
    for stream in [wrongChecksum, bareDeflate, gzip, presetDictionary] {
      #expect(throws: InflateError.malformed) { try inflate(stream) }
    }
  }

  @Test("An inflater that refused one message inflates the next")
  func inflater_afterEachError_isUsable() throws {
    var inflater = Inflater()
    var output = ByteBuffer()
    let good = storedZlibStream([4, 5, 6])
    for bad in [[0xFF, 0xFF, 0xFF], Array(good.dropLast()), good + [0], []] {
      #expect(throws: InflateError.self) {
        try inflater.inflate(bad.span, into: &output, byteCountMax: 100)
      }
      try inflater.inflate(good.span, into: &output, byteCountMax: 3)
      #expect(output.copiedBytes() == [4, 5, 6])
      output.consume(3)
    }
  }

  @Test("A bomb of a thousand to one costs no more memory than the limit and one chunk")
  func bomb_farPastTheLimit_isStoppedAtTheLimit() throws {
    var deflater = Deflater(level: 9)
    let result = deflater.deflated([UInt8](repeating: 0, count: 64 << 20))
    let bomb = try #require(result)
    #expect(bomb.count < 80_000)

    var inflater = Inflater()
    var output = ByteBuffer()
    let limit = 256 * 1024
    #expect(throws: InflateError.tooLarge) {
      try inflater.inflate(bomb.span, into: &output, byteCountMax: limit)
    }
    #expect(output.byteCount == 0)
    // The buffer doubles, so the step past the limit can cost the limit once more.
    #expect(output.allocatedByteCount <= 2 * (limit + Inflater.chunkByteCount))
  }

  @Test("A small message reserves one chunk, however high the limit is")
  func memory_smallMessage_followsRealOutput() throws {
    var inflater = Inflater()
    var output = ByteBuffer()
    try inflater.inflate(storedZlibStream([1]).span, into: &output, byteCountMax: 1 << 30)
    #expect(output.allocatedByteCount <= Inflater.chunkByteCount)
  }

  @Test("Random bytes never trap and never pass the limit", arguments: [1, 2, 3, 4])
  func garbage_seeded_isRefusedOrWithinTheLimit(seed: UInt64) {
    var random = SeededBytes(seed: seed)
    var inflater = Inflater()
    for _ in 0..<2_000 {
      var input = random.bytes(Int(random.next() % 64))
      // Half of them get past the header, where the decoder proper begins.
      if input.count > 2, random.next() % 2 == 0 { input.replaceSubrange(0..<2, with: [0x78, 1]) }
      var output = ByteBuffer()
      do throws(InflateError) {
        try inflater.inflate(input.span, into: &output, byteCountMax: 1000)
        #expect(output.byteCount <= 1000)
      } catch {
        #expect(output.byteCount == 0)
      }
    }
  }

  @Test("A valid stream with one flipped bit is refused")
  func flippedBit_everyMeaningfulPosition_isRefused() {
    let good = storedZlibStream(Array("the quick brown fox".utf8))
    // The two header bytes partly describe the compressor, and the five bits behind a stored
    // block's type are padding (RFC 1951 section 3.2.4); every other bit must be noticed.
    let positions = Array(16..<19) + Array(24..<(good.count * 8))
    for position in positions {
      var damaged = good
      damaged[position / 8] ^= 1 << (position % 8)
      #expect(throws: InflateError.self, "bit \(position)") { try inflate(damaged) }
    }
  }
}
