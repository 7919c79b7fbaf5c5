import PeerContracts
import TestingContracts
import TextEncodings
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

@Suite("Details of errors where they travel in header fields")
struct HeaderDetailsTests {
  private static let requestInfo = RPCError.Detail(
    typeURL: "type.googleapis.com/google.rpc.RequestInfo",
    value: Google_Rpc.RequestInfo(requestId: "req_0123456789").protobufBytes
  )

  /// What a client of gRPC gets of an error.
  private static func sent(_ error: RPCError) throws -> (fields: HTTPFields, Google_Rpc.Status) {
    var fields = HTTPFields()
    GRPCStatusFields.append(error, to: &fields)
    let decoded = Base64.decode((fields["grpc-status-details-bin"] ?? "").utf8.span)
    let bytes = try #require(decoded)
    return (fields, try Google_Rpc.Status(protobuf: bytes.span, limits: MessageLimits()))
  }

  private static func detail<Body: Message>(
    _ type: Body.Type,
    of status: Google_Rpc.Status
  ) throws -> Body? {
    let detail = status.details.first { $0.typeUrl.hasSuffix("/\(type.protobufName)") }
    return try detail.map { try Body(protobuf: $0.value.span, limits: MessageLimits()) }
  }

  private static func invalid(_ count: Int) -> RPCError {
    var error = RPCError.invalid(
      (0..<count).map {
        FieldViolation(field: "entities[\($0)].name", description: "must not be empty")
      }
    )
    error.details.append(requestInfo)
    return error
  }

  @Test(
    "A list keeps its first entries, and what is left out is counted",
    arguments: [40, 120, 5000]
  )
  func list_isCut(_ count: Int) throws {
    let error = Self.invalid(count)
    let (fields, status) = try Self.sent(error)
    // nginx reads 4 KiB of fields, with those that every answer has.
    #expect(fields.byteCount < 3600)
    let kept = try #require(try Self.detail(Google_Rpc.BadRequest.self, of: status))
    let first = try #require(kept.fieldViolations.first)
    #expect(first.field == "entities[0].name" && kept.fieldViolations.count > 20)
    let info = try #require(try Self.detail(Google_Rpc.ErrorInfo.self, of: status))
    #expect(info.reason == "FIELD_VIOLATIONS")
    #expect(
      info.metadata[RPCError.leftOutKey]
        == (count > kept.fieldViolations.count
          ? String(count - kept.fieldViolations.count) : nil)
    )
    let request = try #require(try Self.detail(Google_Rpc.RequestInfo.self, of: status))
    #expect(request.requestId == "req_0123456789")
  }

  @Test("What fits is sent whole")
  func small_isWhole() throws {
    let error = Self.invalid(20)
    let (_, status) = try Self.sent(error)
    #expect(status.details.map(\.value) == error.details.map(\.value))
  }

  @Test(
    "When to try again stays, and a reason stays with as much of its metadata as there is room for"
  )
  func smallDetails_stay() throws {
    let info = Google_Rpc.ErrorInfo(
      reason: "LIMIT",
      domain: "test",
      metadata: ["products": String(repeating: "p,", count: 4000), "tier": "basic"]
    )
    let detail = RPCError.Detail(
      typeURL: "type.googleapis.com/google.rpc.ErrorInfo",
      value: info.protobufBytes
    )
    let error = RPCError(
      .resourceExhausted,
      "full",
      details: [detail, .retryInfo(.seconds(3)), Self.requestInfo]
    )
    let (fields, status) = try Self.sent(error)
    #expect(fields["grpc-retry-pushback-ms"] == "3000")
    #expect(status.details.count == 3)
    let sent = try #require(try Self.detail(Google_Rpc.ErrorInfo.self, of: status))
    #expect(sent.reason == "LIMIT")
    #expect(sent.metadata == ["tier": "basic", RPCError.leftOutKey: "1"])
  }

  @Test("A list that is not encoded as one is left out as a whole")
  func malformedList_isLeftOut() throws {
    var error = Self.invalid(2)
    error.details[1].value = [0x12] + [UInt8](repeating: 0x7F, count: 5000)
    let (_, status) = try Self.sent(error)
    #expect(status.details.count == 2)
    let info = try #require(try Self.detail(Google_Rpc.ErrorInfo.self, of: status))
    #expect(info.metadata[RPCError.leftOutKey] == "1")
  }

  @Test("A message is cut as well, and other details that do not fit are left out")
  func message_isCut() {
    var error = RPCError(.invalidArgument, String(repeating: "\u{20ac}", count: 1000))
    error.details = (0..<3).map {
      RPCError.Detail(typeURL: "t/\($0)", value: .init(repeating: 0, count: 500))
    }
    var fields = HTTPFields()
    GRPCStatusFields.append(error, to: &fields)
    #expect(fields.byteCount < 4 << 10)
    let bytes = Base64.decode((fields["grpc-status-details-bin"] ?? "").utf8.span) ?? []
    let status = try? Google_Rpc.Status(protobuf: bytes.span, limits: MessageLimits())
    #expect(status?.details.map(\.typeUrl) == ["t/0", "t/1"])
    #expect(status?.message == String(repeating: "\u{20ac}", count: 113))
  }

  @Test("Connect carries all of them")
  func connect_carriesAll() {
    var text: [UInt8] = []
    ConnectError.appendJSON(Self.invalid(500), to: &text)
    #expect(text.count > 20_000)
  }
}
