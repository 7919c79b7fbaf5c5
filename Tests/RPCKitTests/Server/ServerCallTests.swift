import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit

@Suite("Server: calls of all kinds", .teardown)
struct ServerCallTests {
  @Test("a unary call is answered", arguments: [FaultPlan.calm, .dripping])
  func unary_request_isAnswered(faults: FaultPlan) throws {
    let fixture = try ServerFixture(faults: faults)
    let peer = try fixture.connect()
    let frames = try fixture.exchange(peer, .call(1, "Echo", .init(subject: "hello")))
    #expect(frames == [.answer(1, "hello")])
    #expect(fixture.service.runningCount == 0 && fixture.server.admission.runningCount == 0)
  }

  @Test("a server stream sends its messages and the end")
  func serverStreaming_request_sendsMessagesAndEnd() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    let frames = try fixture.exchange(
      peer,
      .call(1, "Watch", .init(subject: "m", context: "count=3"), flags: 0x01)
    )
    #expect(frames == [.item(1, "m0"), .item(1, "m1"), .item(1, "m2"), .end(1)])
  }

  @Test("a client stream is answered after its end", arguments: [UInt8(0x02), 0x06])
  func clientStreaming_messagesAndEnd_areAnswered(flags: UInt8) throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    let frames = try fixture.exchange(
      peer,
      .call(1, "Collect", nil, flags: flags),
      .message(1, "a"),
      .message(1, "b")
    )
    #expect(frames.isEmpty)
    #expect(try fixture.exchange(peer, .end(1)) == [.answer(1, "a,b")])
  }

  @Test("a stream both ways answers while messages come")
  func bidirectional_messages_areAnsweredOneByOne() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    #expect(
      try fixture.exchange(peer, .call(1, "Chat", nil, flags: 0x02), .message(1, "a"))
        == [.item(1, "a")]
    )
    #expect(try fixture.exchange(peer, .message(1, "b")) == [.item(1, "b")])
    #expect(try fixture.exchange(peer, .end(1)) == [.end(1)])
  }
}
