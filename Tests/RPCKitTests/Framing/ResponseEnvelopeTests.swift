import RPCKitTesting
import Testing

@testable import RPCKit

@Suite("The envelope of a response")
struct ResponseEnvelopeTests {
  @Test("of the smallest success is a bare header")
  func smallestSuccess_hasNoPayload() throws {
    let sent = Self.success()
    #expect(sent == [UInt8](hexadecimal: "00000000 00000001 02 00 |"))
    let envelope = try ResponseEnvelope(Span(), in: 0..<0)
    #expect(envelope.code == .ok && envelope.payload == nil && !envelope.isNotProcessed)
  }

  @Test("reads the OK status that stock Rust servers send as one that is absent")
  func emptyStatus_isOK() throws {
    let bytes: [UInt8] = [0x0a, 0x00]
    let envelope = try ResponseEnvelope(bytes.span, in: bytes.indices)
    #expect(envelope.code == .ok && envelope.payload == nil)
    let error = try envelope.error(bytes.span, in: bytes.indices)
    #expect(error == nil)
  }

  @Test("of a success with a payload and metadata is as the protocol's document shows it")
  func success_hasItsBytes() {
    #expect(
      Self.success([0x0a, 0x02, 0x68, 0x69])
        == [UInt8](hexadecimal: "00000006 00000001 02 00 | 12 04 0a 02 68 69")
    )
    #expect(
      Self.success([0x0a, 0x02, 0x68, 0x69], ["a": "b"])
        == [UInt8](
          hexadecimal: "0000000f 00000001 02 00 | a2 06 06 0a 01 61 12 01 62 12 04 0a 02 68 69"
        )
    )
  }

  @Test("of a failure is as the protocol's document shows it")
  func failure_hasItsBytes() {
    #expect(
      Self.failure(RPCError(.notFound, "no such door"), stream: 3)
        == [UInt8](
          hexadecimal: """
            00000012 00000003 02 00 | 0a 10 08 05 12 0c 6e 6f 20 73 75 63 68 20 64 6f 6f 72
            """
        )
    )
    #expect(
      Self.failure(.overloaded, stream: 11)
        == [UInt8](
          hexadecimal: """
            000000b6 0000000b 02 00 | 0a b0 01 08 08
            12 35 74 68 65 20 73 65 72 76 65 72 20 69 73 20
              6f 76 65 72 6c 6f 61 64 65 64 3b 20 72 65 74 72 79 20 61 66
              74 65 72 20 74 68 65 20 67 69 76 65 6e 20 64 65 6c 61 79
            1a 40 0a 28 74 79 70 65 2e 67 6f 6f 67 6c 65 61 70 69 73 2e 63 6f
              6d 2f 67 6f 6f 67 6c 65 2e 72 70 63 2e 45 72 72 6f 72 49 6e 66 6f
              12 14 0a 0a 4f 56 45 52 4c 4f 41 44 45 44 12 06 72 70 63 6b 69 74
            1a 33 0a 28 74 79 70 65 2e 67 6f 6f 67 6c 65 61 70 69 73 2e 63 6f
              6d 2f 67 6f 6f 67 6c 65 2e 72 70 63 2e 52 65 74 72 79 49 6e 66 6f
              12 07 0a 05 10 80 c2 d7 2f
            a8 06 01
            """
        )
    )
  }

  @Test("carries an error through whole", arguments: UInt64(1)...40)
  func randomError_survivesTheRoundTrip(seed: UInt64) throws {
    var random = SeededRandom(seed)
    var error = RPCError(.unknown, random.text())
    error.code.rawValue = Int32(truncatingIfNeeded: random.next())
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      error.details.append(.init(typeURL: random.text(), value: Array(random.text().utf8)))
      error.metadata.append(random.text(), random.text())
    }
    error.isNotProcessed = Bool.random(using: &random)
    let sent = Self.failure(error, stream: 7)
    #expect(FrameHeader(sent.span).payloadByteCount == sent.count - 10)
    let bytes = Array(sent.dropFirst(10))
    let envelope = try ResponseEnvelope(bytes.span, in: bytes.indices)
    #expect(envelope.metadataCount == error.metadata.count)
    let read = try #require(try envelope.error(bytes.span, in: bytes.indices))
    #expect(read.code == error.code && read.message == error.message)
    #expect(read.details == error.details && read.metadata == error.metadata)
    #expect(read.isNotProcessed == error.isNotProcessed)
  }

  @Test("is a google.rpc.Status to protobuf-c")
  func status_isReadByProtobufC() throws {
    let sent = Self.failure(
      RPCError(
        StatusCode(rawValue: -5),
        "nein",
        details: [.init(typeURL: "a/b", value: [1, 2]), .init(typeURL: "c/d", value: [])]
      ),
      stream: 1
    )
    let body = Array(sent.dropFirst(10))
    let envelope = try ResponseEnvelope(body.span, in: body.indices)
    let place = try #require(envelope.status)
    let inner = Array(body[place])
    let status = try Google_Rpc.Status(protobuf: inner.span, limits: MessageLimits())
    #expect(status.code == -5 && status.message == "nein")
    #expect(status.details.map(\.typeUrl) == ["a/b", "c/d"])
    #expect(status.details.map(\.value) == [[1, 2], []])
  }

  @Test("reads a status that protobuf-c wrote")
  func status_fromProtobufC_isRead() throws {
    var status = ByteBuffer()
    Google_Rpc.Status(
      code: 16,
      message: "wer da?",
      details: [Google_Protobuf.AnyMessage(typeUrl: "x/y", value: [9])]
    ).append(to: &status) { _, _ in }
    let bytes = WireMessage().field(1, status.contents).bytes
    let envelope = try ResponseEnvelope(bytes.span, in: bytes.indices)
    let error = try #require(try envelope.error(bytes.span, in: bytes.indices))
    #expect(error.code == .unauthenticated && error.message == "wer da?")
    #expect(error.details == [.init(typeURL: "x/y", value: [9])])
  }

  @Test("counts the last of a field that comes twice, and skips what it does not know")
  func duplicatesAndUnknown_areTolerated() throws {
    let bytes = WireMessage()
      .field(1, WireMessage().varint(1, 5).text(2, "old").bytes).field(2, [1])
      .varint(7, 7).varint(101, 0)
      .field(1, WireMessage().varint(9, 9).varint(1, 3).text(2, "old").text(2, "new").bytes)
      .field(2, [2]).text(101, "no flag").varint(101, 9)
      .bytes
    let envelope = try ResponseEnvelope(bytes.span, in: bytes.indices)
    #expect(envelope.payload.map { Array(bytes[$0]) } == [2])
    let error = try #require(try envelope.error(bytes.span, in: bytes.indices))
    #expect(error.code == .invalidArgument && error.message == "new" && error.isNotProcessed)
  }

  @Test("refuses a message that is not UTF-8, and bytes that are cut short")
  func malformed_isRefused() throws {
    let text = WireMessage().field(1, WireMessage().varint(1, 5).field(2, [0xff]).bytes).bytes
    let envelope = try ResponseEnvelope(text.span, in: text.indices)
    #expect(throws: WireFormatError.invalidUTF8) {
      try envelope.error(text.span, in: text.indices)
    }
    let cut: [UInt8] = [0x0a, 0x02, 0x08]
    #expect(throws: WireFormatError.malformed) {
      try ResponseEnvelope(cut.span, in: cut.indices)
    }
    // The status is whole for the envelope, but its own field is not.
    let inner: [UInt8] = [0x0a, 0x01, 0x08, 0x12, 0x00]
    #expect(throws: WireFormatError.malformed) {
      try ResponseEnvelope(inner.span, in: inner.indices)
    }
  }

  private static func success(_ payload: [UInt8] = [], _ metadata: Metadata = [:]) -> [UInt8] {
    var buffer = ByteBuffer()
    ResponseEnvelope.appendSuccessPrefix(
      to: &buffer,
      streamID: .first,
      flags: [],
      metadata: metadata,
      payloadByteCount: payload.count
    )
    buffer.append(payload.span)
    return buffer.contents
  }

  private static func failure(_ error: RPCError, stream: UInt32) -> [UInt8] {
    var buffer = ByteBuffer()
    ResponseEnvelope.appendError(
      to: &buffer,
      streamID: StreamID(rawValue: stream),
      error: error
    )
    return buffer.contents
  }
}
