import TestingContracts
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

/// Descriptors that are read by whoever needs them.
@Suite("Descriptors for JSON", .teardown)
struct ReflectedHTTPTests {
  @Test("Descriptors are read at the first message as JSON, and not before")
  func readWhenNeeded() throws {
    let reflected = ReflectedHTTP([Library().definition])
    #expect(!reflected.isRead)
    let request = Testing_V1.GetBookRequest(bookId: "b1")
    let type = "testing.v1.GetBookRequest"
    let bytes = try reflected.protobuf(fromJSON: Array(#"{"bookId": "b1"}"#.utf8), type: type)
    #expect(bytes == request.protobufBytes)
    #expect(reflected.isRead)
    let json = try reflected.json(fromProtobuf: bytes, type: type)
    #expect(String(decoding: json, as: UTF8.self) == #"{"bookId":"b1"}"#)
  }
}
