import RPCKit
import RPCKitTesting
import Testing

@testable import RPCKitHTTP

/// How large requests may be of methods that anybody may call, as all methods of the fixture's service are.
@Suite("Requests to methods that anybody may call", .teardown)
struct PublicRequestTests {
  private static let grpc: HTTPFields = ["content-type": "application/grpc"]
  private static let json: HTTPFields = ["content-type": "application/json"]
  private static let byteCountMax = 1000

  private func makeFixture() throws -> ExchangeFixture {
    var limits = Limits()
    limits.publicRequestByteCountMax = Self.byteCountMax
    return try ExchangeFixture(limits: limits)
  }

  /// The head of an envelope.
  private func head(_ byteCount: Int) -> [UInt8] {
    Array(envelope(Array(repeating: 0, count: byteCount)).prefix(5))
  }

  @Test("By gRPC they are refused as soon as their length is known", arguments: ["Say", "Join"])
  func grpc_large_isRefused(method: String) throws {
    let fixture = try makeFixture()
    let large = try fixture.open(.call(method, Self.grpc))
    try large.send(head(Self.byteCountMax + 1))
    #expect(large.answer.head?.fields["grpc-status"] == "8")
    let exact = try fixture.open(.call(method, Self.grpc))
    try exact.send(head(Self.byteCountMax))
    #expect(!exact.answer.isEnded)
  }

  @Test("By gRPC they are not inflated further")
  func grpc_bomb_isRefused() throws {
    let fixture = try makeFixture()
    let bomb = compressed(Array(repeating: 0, count: Self.byteCountMax + 1), "gzip")
    var fields = Self.grpc
    fields.append("grpc-encoding", "gzip")
    let answer = try fixture.answer(.call("Say", fields), envelope(bomb, flags: 1))
    #expect(answer.head?.fields["grpc-status"] == "8")
    #expect(fixture.service.taken.isEmpty && fixture.heldByteCount == 0)
  }

  @Test("By Connect they are refused by the length that is announced, or when so much has come")
  func connect_large_isRefused() throws {
    let fixture = try makeFixture()
    var fields = Self.json
    fields.append("content-length", "1001")
    #expect(try fixture.open(.call("Say", fields)).answer.head?.status == 429)
    let sent = try fixture.open(.call("Say", Self.json))
    try sent.send(Array(repeating: UInt8(ascii: " "), count: Self.byteCountMax))
    #expect(!sent.answer.isEnded)
    try sent.send([UInt8(ascii: "{")])
    #expect(sent.answer.head?.status == 429)
    var compressed = Self.json
    compressed.append("content-encoding", "gzip")
    let bomb = RPCKitHTTPTests.compressed(
      Array(repeating: UInt8(ascii: " "), count: Self.byteCountMax + 1),
      "gzip"
    )
    #expect(try fixture.answer(.call("Say", compressed), bomb).head?.status == 429)
  }
}
