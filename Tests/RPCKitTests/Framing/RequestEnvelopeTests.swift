import RPCKitTesting
import Testing

@testable import RPCKit

@Suite("The envelope of a request")
struct RequestEnvelopeTests {
  @Test("of the smallest call is eighteen bytes")
  func smallestCall_hasItsBytes() {
    let sent = Self.frame(service: "a.B", method: "C")
    #expect(
      sent == [UInt8](hexadecimal: "00000008 00000001 01 00 | 0a 03 61 2e 42 12 01 43")
    )
    let read = ReadRequest(Array(sent.dropFirst(10)))
    #expect(read == ReadRequest(service: "a.B", method: "C"))
  }

  @Test("of a call with everything is as the protocol's document shows it")
  func fullCall_hasItsBytes() {
    let sent = Self.frame(
      service: "echo.v1.Echo",
      method: "Say",
      payload: [0x0a, 0x02, 0x68, 0x69],
      timeoutNanoseconds: 50_000_000,
      metadata: ["tenant": "f9"]
    )
    #expect(
      sent
        == [UInt8](
          hexadecimal: """
            0000002c 00000001 01 00 | 0a 0c 65 63 68 6f 2e 76 31 2e 45 63 68 6f
            12 03 53 61 79                              # method = "Say"
            20 80 e1 eb 17                              # timeout_nano = 50000000
            2a 0c 0a 06 74 65 6e 61 6e 74 12 02 66 39   # tenant: f9
            1a 04 0a 02 68 69                           # payload
            """
        )
    )
    #expect(
      ReadRequest(Array(sent.dropFirst(10)))
        == ReadRequest(
          service: "echo.v1.Echo",
          method: "Say",
          payload: [0x0a, 0x02, 0x68, 0x69],
          timeoutNanoseconds: 50_000_000,
          metadata: ["tenant: f9"]
        )
    )
  }

  @Test("may be empty")
  func nothing_isAnEmptyEnvelope() {
    #expect(ReadRequest([]) == ReadRequest(service: "", method: ""))
  }

  @Test("tells an absent payload from an empty one")
  func payload_absentIsNotEmpty() {
    #expect(ReadRequest(WireMessage.request("a", "b"))?.payload == nil)
    #expect(ReadRequest(WireMessage.request("a", "b", payload: []))?.payload == [])
  }

  @Test("counts the last of a field that comes twice, and all metadata")
  func duplicates_lastWins() {
    let bytes = WireMessage()
      .text(1, "old.Service").field(3, [1]).varint(4, 5).text(2, "Old")
      .field(5, WireMessage().text(1, "a").text(2, "1").bytes)
      .text(2, "New").varint(4, 6).field(3, [2, 3]).text(1, "new.Service")
      .field(5, WireMessage().text(1, "a").text(2, "2").bytes)
    #expect(
      ReadRequest(bytes.bytes)
        == ReadRequest(
          service: "new.Service",
          method: "New",
          payload: [2, 3],
          timeoutNanoseconds: 6,
          metadata: ["a: 1", "a: 2"]
        )
    )
  }

  @Test("skips fields it does not know, of every sort, and known numbers of another sort")
  func unknownFields_areSkipped() {
    let bytes = WireMessage()
      .varint(77, .max).text(1, "a").adding([0x09] + Array(repeating: 0xff, count: 8))
      .field(1000, Array(repeating: 0xff, count: 300)).varint(1, 9).text(2, "b")
      .adding([0x15, 0xff, 0xff, 0xff, 0xff]).text(4, "soon")
    #expect(ReadRequest(bytes.bytes) == ReadRequest(service: "a", method: "b"))
  }

  @Test(
    "keeps the sign of a timeout",
    arguments: [Int64.min, -1, 0, 1, 1_000_000_000, Int64.max]
  )
  func timeout_survivesTheRoundTrip(nanoseconds: Int64) {
    let sent = Self.frame(service: "a", method: "b", timeoutNanoseconds: nanoseconds)
    #expect(ReadRequest(Array(sent.dropFirst(10)))?.timeoutNanoseconds == nanoseconds)
    #expect(
      Array(sent.dropFirst(10))
        == WireMessage.request("a", "b", timeoutNanoseconds: nanoseconds)
    )
  }

  @Test("is malformed at every truncation but those between two fields")
  func truncation_isMalformed() {
    let fields = [
      WireMessage().text(1, "echo.v1.Echo"), WireMessage().text(2, "Say"),
      WireMessage().varint(4, 50_000_000),
      WireMessage().field(5, WireMessage().text(1, "tenant").text(2, "f9").bytes),
      WireMessage().field(3, Array(repeating: 1, count: 200)),
    ].map(\.bytes)
    let bytes = fields.flatMap { $0 }
    var boundaries: Set = [0]
    for field in fields { boundaries.insert((boundaries.max() ?? 0) + field.count) }
    for count in 0...bytes.count {
      #expect(
        (ReadRequest(Array(bytes[..<count])) != nil) == boundaries.contains(count),
        "of \(count) bytes"
      )
    }
  }

  @Test("counts metadata without reading it, and reads it only when asked")
  func metadata_isReadLate() {
    let bad = WireMessage().field(5, [0x0a, 0x01, 0xff]).field(5, [0x0a]).bytes
    guard let envelope = try? RequestEnvelope(bad.span, in: bad.indices) else {
      Issue.record("the envelope is refused")
      return
    }
    #expect(envelope.metadataCount == 2 && envelope.metadataByteCount == 4)
    #expect(throws: WireFormatError.invalidUTF8) {
      try envelope.metadata(bad.span)
    }
  }

  @Test("survives the round trip whatever is in it", arguments: UInt64(1)...60)
  func randomRequest_survivesTheRoundTrip(seed: UInt64) {
    var random = SeededRandom(seed)
    var metadata = Metadata()
    for _ in 0..<Int.random(in: 0...5, using: &random) {
      metadata.append(random.text(), random.text())
    }
    let count = Bool.random(using: &random) ? 0 : Int.random(in: 0...20_000, using: &random)
    let expected = ReadRequest(
      service: random.text(),
      method: random.text(),
      payload: count == 0 ? nil : (0..<count).map { _ in .random(in: 0...255, using: &random) },
      timeoutNanoseconds: Int64(bitPattern: random.next())
        >> Int64.random(in: 0...63, using: &random),
      metadata: metadata.entries.map { "\($0.key): \($0.value)" }
    )
    let sent = Self.frame(
      service: expected.service,
      method: expected.method,
      payload: expected.payload ?? [],
      timeoutNanoseconds: expected.timeoutNanoseconds,
      metadata: metadata
    )
    #expect(FrameHeader(sent.span).payloadByteCount == sent.count - 10)
    #expect(ReadRequest(Array(sent.dropFirst(10))) == expected)
  }

  @Test("reads garbage without a trap", arguments: UInt64(1)...20)
  func garbage_isReadOrRefused(seed: UInt64) {
    var random = SeededRandom(seed)
    var readCount = 0
    for _ in 0..<500 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        UInt8.random(in: 0...(Bool.random(using: &random) ? 255 : 48), using: &random)
      }
      if ReadRequest(bytes) != nil { readCount += 1 }
      if let envelope = try? ResponseEnvelope(bytes.span, in: bytes.indices) {
        _ = try? envelope.error(bytes.span, in: bytes.indices)
        _ = try? envelope.metadata(bytes.span, in: bytes.indices)
      }
      _ = try? ConnectionSettings(bytes.span, in: bytes.indices)
    }
    #expect(readCount < 500)
  }

  private static func frame(
    service: String,
    method: String,
    payload: [UInt8] = [],
    timeoutNanoseconds: Int64 = 0,
    metadata: Metadata = [:]
  ) -> [UInt8] {
    var buffer = ByteBuffer()
    RequestEnvelope.appendFrame(
      to: &buffer,
      streamID: .first,
      flags: [],
      service: service,
      method: method,
      timeoutNanoseconds: timeoutNanoseconds,
      metadata: metadata,
      payloadByteCount: payload.count
    )
    buffer.append(payload.span)
    return buffer.contents
  }
}

/// What a request's envelope says, copied out.
private struct ReadRequest: Equatable {
  var service: String
  var method: String
  var payload: [UInt8]?
  var timeoutNanoseconds: Int64 = 0
  var metadata: [String] = []
}

extension ReadRequest {
  init?(_ bytes: [UInt8]) {
    do {
      let envelope = try RequestEnvelope(bytes.span, in: bytes.indices)
      service = try String(bytes.span, envelope.service)
      method = try String(bytes.span, envelope.method)
      payload = envelope.payload.map { Array(bytes[$0]) }
      timeoutNanoseconds = envelope.timeoutNanoseconds
      let pairs = try envelope.metadata(bytes.span)
      guard pairs.count == envelope.metadataCount else { return nil }
      metadata = pairs.entries.map { "\($0.key): \($0.value)" }
    } catch {
      return nil
    }
  }
}

extension SeededRandom {
  /// Lower-case text of up to 300 bytes, with characters of one to four bytes.
  mutating func text() -> String {
    let alphabet = Array("abcxyz.-_09 äß€漢🚪")
    let count = Bool.random(using: &self) ? Int.random(in: 0...8, using: &self) : 75
    return String(
      (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &self)] }
    )
  }
}
