import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit

@Suite("Server: how large requests may be", .teardown)
struct RequestSizeTests {
  @Test("requests of public methods that are too large are not decoded, whole or in a stream")
  func request_ofPublicMethod_isBounded() throws {
    let fixture = try ServerFixture { $0.limits.publicRequestByteCountMax = 1000 }
    let peer = try fixture.connect()
    let large = String(repeating: "e", count: 1000)
    let refused = try fixture.exchange(peer, .call(1, "Echo", .init(entity: large)))
    #expect(refused.map { $0.outcome?.code } == [8])
    #expect(fixture.service.started.isEmpty && fixture.server.admission.runningCount == 0)
    let stream = try fixture.exchange(
      peer,
      .call(3, "Collect", nil, flags: 2),
      .message(3, "a"),
      .message(3, large)
    )
    #expect(stream.map { $0.outcome?.code } == [8])
    let taken = try fixture.exchange(peer, .call(5, "Echo", .init(subject: "s")))
    #expect(taken == [.answer(5, "s")])
    #expect(fixture.metrics.limitReached("frame_bytes").value == 2)
  }
}
