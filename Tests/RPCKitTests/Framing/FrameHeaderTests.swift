import RPCKitTesting
import Testing

@testable import RPCKit

@Suite("A frame header")
struct FrameHeaderTests {
  @Test("is ten bytes: length, stream, type, flags")
  func bytes_areReadAndWritten() {
    let bytes = [UInt8](hexadecimal: "00 00 01 02 | 80 00 00 05 | 03 | 05")
    let header = FrameHeader(bytes.span)
    #expect(header.payloadByteCount == 0x102)
    #expect(header.streamID == StreamID(rawValue: 0x8000_0005))
    #expect(header.type == .data)
    #expect(header.flags == [.remoteClosed, .noData])
    var buffer = ByteBuffer()
    header.append(to: &buffer)
    #expect(buffer.contents == bytes)
  }

  @Test("is read where it stands")
  func offset_isRespected() {
    let bytes = [UInt8](hexadecimal: "ff ff | 00 00 00 00 | 00 00 00 01 | 02 | 00 | ff")
    let header = FrameHeader(bytes.span, at: 2)
    #expect(
      header
        == FrameHeader(payloadByteCount: 0, streamID: .first, type: .response, flags: [])
    )
  }

  @Test("reads what it wrote, whatever the numbers", arguments: UInt64(1)...50)
  func randomHeader_survivesTheRoundTrip(seed: UInt64) {
    var random = SeededRandom(seed)
    let frame = WireFrame(
      stream: .random(in: 0...(.max), using: &random),
      type: .random(in: 0...(.max), using: &random),
      flags: .random(in: 0...(.max), using: &random)
    )
    let bytes = frame.header(declaring: .random(in: 0...(.max), using: &random))
    let header = FrameHeader(bytes.span)
    var buffer = ByteBuffer()
    header.append(to: &buffer)
    #expect(buffer.contents == bytes)
  }

  @Test(
    "tells the client's streams by their oddness",
    arguments: [(0, false), (1, true), (2, false), (UInt32.max - 1, false), (UInt32.max, true)]
  )
  func streamID_oddIsTheClients(number: UInt32, isClients: Bool) {
    #expect(StreamID(rawValue: number).isClientInitiated == isClients)
  }
}
