import RPCKit
import Testing

@testable import ServiceKit

/// The bytes were made by the package opentelemetry-proto 1.27.0 for Python, from the same values.
@Suite("Messages of OTLP")
struct TraceMessageTests {
  private static func bytes(_ text: String) throws -> [UInt8] {
    let digits = Array(text.filter { !$0.isWhitespace })
    return try stride(from: 0, to: digits.count, by: 2).map {
      try #require(UInt8(String(digits[$0...$0 + 1]), radix: 16))
    }
  }

  @Test("A request has the bytes that another implementation writes for it")
  func request_isThatOfOthers() throws {
    let server = try #require(TraceContext(traceparent: TraceFixture.sampled))
    let client = try #require(
      TraceContext(traceparent: "00-\(TraceFixture.traceID)-0000000000000001-03")
    )
    let parent = try #require(
      TraceContext(traceparent: "00-\(TraceFixture.traceID)-b7ad6b7169203331-01")
    )
    let request = TraceRequest(
      service: "tenancy",
      version: "1.2.3",
      wallClockOffset: 1_800_000_000_000_000_000
    )
    let bytes = request.bytes([
      TraceFixture.span(
        .server,
        server,
        parent: parent,
        traceState: "vendor=1",
        from: 1,
        to: 250_000_001,
        attributes: [("rpc.system.name", "grpc")],
        isError: true
      ),
      TraceFixture.span(.client, client, from: 1, to: 1),
    ])
    let expected = try Self.bytes(
      """
      0aa9020a590a190a0c736572766963652e6e616d6512090a0774656e616e63790a200a11736572766963652e6e61
      6d657370616365120b0a0967617465686f7573650a1a0a0f736572766963652e76657273696f6e12070a05312e32
      2e3312cb010a120a0967617465686f7573651205312e322e3312730a104bf92f3577b34da6a3ce929d0e0e473612
      0800f067aa0ba902b71a0876656e646f723d312208b7ad6b71692033312a08612e76312e422f433002390100b493
      76e2fa184181b29aa276e2fa184a190a0f7270632e73797374656d2e6e616d6512060a04677270637a0218028501
      0103000012400a104bf92f3577b34da6a3ce929d0e0e4736120800000000000000012a08612e76312e422f433003
      390100b49376e2fa18410100b49376e2fa18850103010000
      """
    )
    #expect(bytes == expected)
  }

  @Test("An answer says how many spans were refused and why")
  func answer_isRead() throws {
    let answer = TraceAnswer(try Self.bytes("0a0b08031207746f6f206f6c64"))
    #expect(answer.rejectedCount == 3 && answer.message == "too old")
    #expect(TraceAnswer([]).rejectedCount == 0)
    // -1, and a field that nobody knows before it.
    let negative = TraceAnswer(try Self.bytes("1001 0a0b08ffffffffffffffffff01"))
    #expect(negative.rejectedCount == 0)
  }

  @Test("An answer that is cut off or no message at all says nothing, wherever it ends")
  func answer_malformed_saysNothing() throws {
    let whole = try Self.bytes("0a0b08031207746f6f206f6c64")
    for count in 1..<whole.count {
      let answer = TraceAnswer(Array(whole.prefix(count)))
      #expect(answer.rejectedCount == 0 && answer.message.isEmpty, "\(count) bytes")
    }
    #expect(TraceAnswer(Array("<html>Bad Gateway</html>".utf8)).rejectedCount == 0)
    #expect(TraceAnswer(try Self.bytes("0aff ffff ffff ffff ff01 00")).rejectedCount == 0)
  }
}
