import Testing

@testable import RPCKit

@Suite("The standard details of an error")
struct StandardDetailsTests {
  @Test(
    "say when to retry, as google.rpc.RetryInfo does",
    arguments: [
      (Duration.zero, 0, 0), (.milliseconds(100), 0, 100_000_000), (.seconds(90), 90, 0),
      (.nanoseconds(1_999_999_999), 1, 999_999_999), (.seconds(-5), 0, 0),
    ] as [(Duration, Int64, Int32)]
  )
  func retryInfo_isReadByProtobufC(delay: Duration, seconds: Int64, nanoseconds: Int32) throws {
    let detail = RPCError.Detail.retryInfo(delay)
    #expect(detail.typeURL == "type.googleapis.com/google.rpc.RetryInfo")
    let read = try Google_Rpc.RetryInfo(protobuf: detail.value.span, limits: MessageLimits())
    #expect(read.retryDelay?.seconds == seconds)
    #expect(read.retryDelay?.nanos == nanoseconds)
  }

  @Test("list the fields that are wrong, as google.rpc.BadRequest does", arguments: [0, 1, 3])
  func badRequest_isReadByProtobufC(count: Int) throws {
    let violations = (0..<count).map {
      FieldViolation(field: "guests[\($0)].email", description: String(repeating: "ä", count: 100))
    }
    let detail = RPCError.Detail.badRequest(violations)
    #expect(detail.typeURL == "type.googleapis.com/google.rpc.BadRequest")
    let read = try Google_Rpc.BadRequest(protobuf: detail.value.span, limits: MessageLimits())
    #expect(read.fieldViolations.map(\.field) == violations.map(\.field))
    #expect(read.fieldViolations.map(\.description) == violations.map(\.description))
  }
}

@Suite("An error on its way out")
struct BoundedErrorTests {
  @Test("stays whole up to half a frame")
  func smallError_isUnchanged() {
    var limits = Limits()
    limits.frameByteCountMax = 4000
    let error = RPCError(
      .aborted,
      String(repeating: "x", count: 1500),
      details: [.init(typeURL: "a", value: Array(repeating: 0, count: 483))],
      isNotProcessed: true
    )
    let same = error.bounded(limits)
    #expect(same.message == error.message && same.details == error.details)
    #expect(same.isNotProcessed)
  }

  @Test("loses its details and most of its message past that, and keeps its code")
  func largeError_isCut() {
    var limits = Limits()
    limits.frameByteCountMax = 4000
    let error = RPCError(
      .aborted,
      String(repeating: "x", count: 1500),
      details: [.init(typeURL: "a", value: Array(repeating: 0, count: 484))],
      metadata: ["a": "b"],
      isNotProcessed: true
    )
    let cut = error.bounded(limits)
    #expect(cut.code == .aborted && cut.isNotProcessed)
    #expect(cut.message == String(repeating: "x", count: 1024))
    #expect(cut.details.isEmpty && cut.metadata.isEmpty)
  }
}
