import RPCKit
import Testing

private let hasPythonZlib = ForeignProgram.run(["python3", "-c", "import zlib"]) != nil

@Suite("Deflating our own messages")
struct DeflaterTests {
  private func samples() -> [[UInt8]] {
    var random = SeededBytes(seed: 3)
    return [
      [], [0], Array("hello hello hello hello".utf8),
      [UInt8](repeating: 7, count: 100_000), random.bytes(40_000),
    ]
  }

  @Test("What one deflater makes in a row, one inflater takes apart again")
  func roundTrip_severalMessages_areIndependent() throws {
    var deflater = Deflater()
    var inflater = Inflater()
    for content in samples() + samples().reversed() {
      let result = deflater.deflated(content)
      let compressed = try #require(result)
      var output = ByteBuffer()
      try inflater.inflate(compressed.span, into: &output, byteCountMax: content.count)
      #expect(output.copiedBytes() == content)
    }
  }

  @Test("Equal messages give equal bytes, whatever was compressed before")
  func reset_betweenMessages_forgetsTheLast() {
    var used = Deflater()
    var fresh = Deflater()
    let first = used.deflated(samples()[2])
    let second = used.deflated(samples()[2])
    let reference = fresh.deflated(samples()[2])
    #expect(reference != nil)
    #expect(first == reference)
    #expect(second == reference)
  }

  @Test("Python's zlib reads every stream", .enabled(if: hasPythonZlib, "needs python3"))
  func python_allSamples_readsThem() throws {
    var deflater = Deflater()
    let program = """
      import sys, zlib
      sys.stdout.buffer.write(zlib.decompress(sys.stdin.buffer.read()))
      """
    for content in samples() {
      let result = deflater.deflated(content)
      let compressed = try #require(result)
      #expect(ForeignProgram.run(["python3", "-c", program], input: compressed) == content)
    }
  }

  @Test("Random bytes do not shrink, so the buffer stays as it was")
  func incompressible_limitOfItsOwnSize_isDeclined() {
    var deflater = Deflater()
    let content = samples()[4]
    var output = ByteBuffer()
    output.append(1)
    let fits = deflater.deflate(content.span, into: &output, byteCountMax: content.count)
    #expect(!fits)
    #expect(output.copiedBytes() == [1])
  }

  @Test("The result has to be smaller than the limit, not equal to it")
  func limit_oneBelowAndAtAndAbove_isExact() throws {
    var deflater = Deflater()
    let content = samples()[3]
    let result = deflater.deflated(content)
    let size = try #require(result).count

    for limit in [0, 1, size - 1, size] {
      let declined = deflater.deflated(content, byteCountMax: limit)
      #expect(declined == nil, "limit \(limit) of \(size)")
    }
    let accepted = deflater.deflated(content, byteCountMax: size + 1)
    #expect(accepted?.count == size)
  }
}
