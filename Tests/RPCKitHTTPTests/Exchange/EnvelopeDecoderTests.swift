import RPCKit
import Testing

@testable import RPCKitHTTP

@Suite(.teardown) struct EnvelopeDecoderTests {
  private static func decode(_ pieces: [[UInt8]], byteCountMax: Int = 100) throws -> [[UInt8]] {
    var decoder = EnvelopeDecoder(byteCountMax: byteCountMax)
    var messages: [[UInt8]] = []
    for piece in pieces {
      try decoder.decode(piece.span) { header, message in
        messages.append([header.flags] + message.indices.map { message[$0] })
        return true
      }
    }
    return messages
  }

  @Test(arguments: 1...20)
  func decode_cutAnywhere_findsTheSameMessages(pieceByteCount: Int) throws {
    let bytes = envelope([1, 2, 3]) + envelope([], flags: 1) + envelope([4]) + envelope([])
    let pieces = stride(from: 0, to: bytes.count, by: pieceByteCount).map {
      Array(bytes[$0..<min($0 + pieceByteCount, bytes.count)])
    }
    #expect(try Self.decode(pieces) == [[0, 1, 2, 3], [1], [0, 4], [0]])
  }

  @Test func decode_longestMessage_isOnTheLimit() throws {
    let longest = [UInt8](repeating: 7, count: 100)
    #expect(try Self.decode([envelope(longest)]).count == 1)
    #expect(throws: RPCError.self) { try Self.decode([[0, 0, 0, 0, 101]]) }
    #expect(throws: RPCError.self) { try Self.decode([[0, 0xFF, 0xFF, 0xFF], [0xFF]]) }
  }

  @Test func decode_whenNoMoreIsWanted_dropsTheRest() throws {
    var decoder = EnvelopeDecoder(byteCountMax: 100)
    let bytes = envelope([1]) + envelope([2])
    var count = 0
    try decoder.decode(bytes.span) { _, _ in
      count += 1
      return false
    }
    #expect(count == 1)
    #expect(decoder.waitingByteCount == 0)
  }
}
