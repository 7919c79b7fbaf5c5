import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

/// The same answers as over HTTP/1.1, where HTTP/2 has a way of its own to get to them.
@Suite("HTTP/2: requests on their way to the router", .teardown)
struct HTTP2RouterTests {
  private func makeStage() throws -> HTTP2Stage {
    try HTTP2Stage { $0.router = CallRouter() }
  }

  @Test("OPTIONS may ask for the server as a whole, and no other method")
  func options_ofTheServer() throws {
    let client = try makeStage().open()
    try client.exchange(.request(1, "*", method: "OPTIONS"), .request(3, "*", method: "GET"))
    #expect(client[1].status == "204")
    #expect(client[1].fields.contains { $0.0 == "allow" && $0.1.contains("OPTIONS") })
    // The library finds it malformed.
    #expect(client[3].status == nil && client[3].reset == 1)
  }

  @Test("Browsers are told not to guess the type of what is refused before it gets there")
  func refusal_isNotSniffed() throws {
    let client = try makeStage().open()
    try client.exchange(.request(1, "/a", method: "PROPFIND"))
    #expect(client[1].status == "501")
    #expect(client[1].fields.contains { $0 == ("x-content-type-options", "nosniff") })
  }

  @Test("A call with too many fields is refused as such a call is, and the next one is made")
  func call_withTooManyFields() throws {
    let stage = try makeStage()
    let client = try stage.open()
    let large = (0..<20).map { ("x-\($0)", String(repeating: "v", count: 1000)) }
    let type = [("content-type", "application/grpc"), ("te", "trailers")]
    let path = "/test.Service/Hold"
    // The type may come before what is too much, or after it.
    for (number, fields) in [type + large, large + type].enumerated() {
      let id = UInt32(4 * number + 1)
      client.send(HTTP2Frame.request(id, path, fields, isEnd: false).inPieces)
      try stage.simulation.settle()
      #expect(client[id].status == "200")
      #expect(client[id].fields.contains { $0 == ("grpc-status", "8") })
      try client.exchange(.request(id + 2, path, type, isEnd: false))
      try client.exchange(.data(id + 2, [0, 0, 0, 0, 0], isEnd: true))
      stage.service.release()
      try stage.simulation.settle()
      #expect(client[id + 2].trailers.contains { $0 == ("grpc-status", "0") })
    }
    #expect(stage.service.startedCount == 2)
    #expect(client.goAwayCodes == [])
  }
}
