import RPCKitTesting
import Testing

@testable import RPCKit

@Suite("The frames of the extensions")
struct ControlFrameTests {
  @Test("have the bytes that the protocol's document shows")
  func frames_haveTheirBytes() {
    var buffer = ByteBuffer()
    ControlFrame.appendCancel(to: &buffer, streamID: StreamID(rawValue: 5))
    ControlFrame.appendPing(to: &buffer, opaque: 0x0123_4567_89ab_cdef)
    ControlFrame.appendGoAway(to: &buffer, lastAccepted: 9)
    ControlFrame.appendCredit(to: &buffer, streamID: StreamID(rawValue: 7), byteCount: 131_076)
    #expect(
      buffer.contents
        == [UInt8](
          hexadecimal: """
            00000000 00000005 41 00 |
            00000009 ffffffff 42 00 | 09 ef cd ab 89 67 45 23 01
            00000002 ffffffff 43 00 | 08 09
            00000004 00000007 44 00 | 08 84 80 08
            """
        )
    )
  }

  @Test("are the messages of settings.proto to protobuf-c")
  func payloads_areReadByProtobufC() throws {
    var buffer = ByteBuffer()
    ControlFrame.appendPing(to: &buffer, opaque: .max - 1)
    ControlFrame.appendGoAway(to: &buffer, lastAccepted: .max)
    ControlFrame.appendCredit(to: &buffer, streamID: .first, byteCount: 1 << 31)
    var bytes = buffer.contents
    var payloads: [[UInt8]] = []
    while let frame = WireFrame(takingFrom: &bytes) { payloads.append(frame.payload) }
    let limits = MessageLimits()
    let (ping, goAway, grant) = (payloads[0], payloads[1], payloads[2])
    let opaque = try Rpc_V1.Ping(protobuf: ping.span, limits: limits).opaque
    let last = try Rpc_V1.GoAway(protobuf: goAway.span, limits: limits).lastStreamId
    let credit = try Rpc_V1.Credit(protobuf: grant.span, limits: limits).bytes
    #expect(opaque == .max - 1 && last == .max && credit == 1 << 31)
  }

  @Test(
    "grant at most two to the power of 31 bytes at a time",
    arguments: [
      (0, 0), (1, 1), (1 << 31, 1 << 31), (1 << 31 + 1, 1 << 31), (UInt64.max, 1 << 31),
    ] as [(UInt64, Int)]
  )
  func credit_isBounded(value: UInt64, expected: Int) throws {
    let bytes = WireMessage().varint(1, value).bytes
    let credit = try ControlFrame.credit(bytes.span, in: bytes.indices)
    #expect(credit == expected)
  }

  @Test("skip fields they do not know and take the last of those that come twice")
  func unknownFields_areSkipped() throws {
    let bytes = WireMessage().varint(1, 3).varint(2, 4).text(3, "bye").text(1, "x").varint(1, 5)
      .bytes
    let last = try ControlFrame.lastAccepted(bytes.span, in: bytes.indices)
    #expect(last == StreamID(rawValue: 5))
    let none = try ControlFrame.lastAccepted(Span(), in: 0..<0)
    #expect(none == StreamID(rawValue: 0))
    let cut: [UInt8] = [0x08]
    #expect(throws: WireFormatError.malformed) {
      try ControlFrame.credit(cut.span, in: cut.indices)
    }
  }
}

@Suite("The settings of a connection")
struct ConnectionSettingsTests {
  @Test("have the bytes that the protocol's document shows")
  func hello_hasItsBytes() {
    var settings = ConnectionSettings()
    settings.streamWindowByteCount = 256 << 10
    #expect(
      Self.frame(settings)
        == [UInt8](
          hexadecimal: """
            0000000e ffffffff 40 00 | 08 01 18 80 80 80 02 20 80 20 28 80 80 10
            """
        )
    )
    settings.features = .deflate
    #expect(
      Self.frame(settings)
        == [UInt8](
          hexadecimal: """
            00000010 ffffffff 40 00 | 08 01 10 01 18 80 80 80 02 20 80 20 28 80 80 10
            """
        )
    )
  }

  @Test("are the defaults when nothing is said, or zero")
  func absent_isTheDefault() {
    #expect(Self.read([]) == ConnectionSettings())
    let zeros = WireMessage().varint(3, 0).varint(4, 0).varint(5, 0).bytes
    #expect(Self.read(zeros) == ConnectionSettings())
  }

  @Test("are believed only so far")
  func hugeNumbers_areCut() {
    let bytes = WireMessage().varint(3, .max).varint(4, .max).varint(5, .max).bytes
    let settings = Self.read(bytes)
    #expect(settings?.frameByteCountMax == 64 << 20)
    #expect(settings?.streamCountMax == 1 << 20)
    #expect(settings?.streamWindowByteCount == 16 << 20)
  }

  @Test("keep feature bits that nobody knows, and skip unknown fields")
  func unknown_isTolerated() {
    let bytes = WireMessage().text(9, "new").varint(2, 0xff00_0001).text(2, "?").varint(1, 7).bytes
    let settings = Self.read(bytes)
    #expect(settings?.features.rawValue == 0xff00_0001)
    #expect(settings?.features.contains(.deflate) == true)
    #expect(settings?.version == 7)
  }

  @Test("survive the round trip, also through protobuf-c", arguments: UInt64(1)...30)
  func randomSettings_surviveTheRoundTrip(seed: UInt64) throws {
    var random = SeededRandom(seed)
    var settings = ConnectionSettings()
    settings.version = .random(in: 1...(.max), using: &random)
    settings.features.rawValue = .random(in: 0...(.max), using: &random)
    settings.frameByteCountMax = .random(in: 1...64 << 20, using: &random)
    settings.streamCountMax = .random(in: 1...1 << 20, using: &random)
    settings.streamWindowByteCount = .random(in: 1...16 << 20, using: &random)
    let body = Array(Self.frame(settings).dropFirst(10))
    #expect(Self.read(body) == settings)
    let message = try Rpc_V1.Settings(protobuf: body.span, limits: MessageLimits())
    #expect(message.features == settings.features.rawValue)
    #expect(Int(message.initialStreamWindowBytes) == settings.streamWindowByteCount)
    var again = ByteBuffer()
    message.append(to: &again) { _, _ in }
    #expect(Self.read(again.contents) == settings)
  }

  @Test("are refused when they are cut short")
  func truncation_isMalformed() {
    let body = Array(Self.frame(ConnectionSettings()).dropFirst(10))
    #expect(Self.read(Array(body.dropLast())) == nil)
    #expect(Self.read([0x08]) == nil)
  }

  private static func frame(_ settings: ConnectionSettings) -> [UInt8] {
    var buffer = ByteBuffer()
    settings.appendFrame(to: &buffer)
    return buffer.contents
  }

  private static func read(_ bytes: [UInt8]) -> ConnectionSettings? {
    try? ConnectionSettings(bytes.span, in: bytes.indices)
  }
}
