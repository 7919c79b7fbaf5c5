import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit

/// The handlers, interceptors and limits of a server behind a wire that knows no frames.
@Suite("Server: calls over a second wire", .teardown)
struct MemoryWireTests {
  private let fixture: ServerFixture
  private let wire: MemoryWire

  private struct Bouncer: ServerInterceptor {
    func begin(_ call: CallContext) throws -> Interception {
      if call.metadata["unwanted"] != nil { throw RPCError(.permissionDenied, "unwanted") }
      return call.metadata["waits"] == nil ? .proceed : .around { _, next in try await next() }
    }
  }

  init() throws {
    fixture = try ServerFixture(
      interceptors: [Bouncer()],
      configure: { $0.limits.runningHandlersMax = 6 }
    )
    wire = MemoryWire(fixture)
  }

  private func settle() throws { try fixture.simulation.settle() }

  /// Nothing of any call is left: no place, no timer, no entry in a table.
  private func expectNothingLeft(_ location: SourceLocation = #_sourceLocation) {
    #expect(wire.openCallCount == 0, sourceLocation: location)
    #expect(wire.unconsumedByteCount == 0, sourceLocation: location)
    #expect(fixture.slots == [0, 0], sourceLocation: location)
    #expect(fixture.service.runningCount == 0, sourceLocation: location)
    #expect(fixture.server.streamingCallCount == 0, sourceLocation: location)
    #expect(fixture.simulation.timerCount == 0, sourceLocation: location)
  }

  @Test("A unary call is answered in a task, with the metadata of its handler")
  func unary_inATask_isAnswered() throws {
    let id = try wire.call("Echo", .init(subject: "a", context: "header"))
    #expect(wire[id].code == nil)
    try settle()
    #expect(wire[id].code == .ok && wire[id].reasons == ["a"])
    #expect(wire[id].metadata["answered-by"] == "test")
    expectNothingLeft()
  }

  @Test("A unary call is answered at once where the handler can")
  func unary_atOnce_isAnswered() throws {
    fixture.service.immediate = { request, _ in .init(reason: "now \(request.subject)") }
    let id = try wire.call("Ask", .init(subject: "a"))
    #expect(wire[id].code == .ok && wire[id].reasons == ["now a"])
    #expect(fixture.service.started.isEmpty)
    // An interceptor that needs a task takes the call to one.
    let later = try wire.call("Ask", .init(subject: "b"), metadata: [("waits", "1")])
    #expect(wire[later].code == nil)
    try settle()
    #expect(wire[later].code == .ok && wire[later].reasons == ["now b"])
    expectNothingLeft()
  }

  @Test("What a handler or an interceptor throws is the status", arguments: ["Echo", "Watch"])
  func thrownError_isTheStatus(method: String) throws {
    let failed = try wire.call(method, .init(subject: "a", context: "fail=5"))
    let crashed = try wire.call(method, .init(subject: "a", context: "crash"))
    let refused = try wire.call(method, .init(subject: "a"), metadata: [("unwanted", "1")])
    try settle()
    #expect(wire[failed].code == .notFound)
    #expect(wire[crashed].code == .internal)
    #expect(wire[refused].code == .permissionDenied)
    expectNothingLeft()
  }

  @Test("A stream of responses waits for the client's room")
  func responses_withoutRoom_wait() throws {
    let id = try wire.call("Watch", .init(subject: "a", context: "count=5 header"), room: 2)
    try settle()
    #expect(wire[id].reasons == ["a0", "a1"] && wire[id].code == nil)
    // Whoever only waits for the client holds no place.
    #expect(fixture.slots == [0, 1])
    wire.makeRoom(3, for: id)
    try settle()
    #expect(wire[id].reasons == ["a0", "a1", "a2", "a3", "a4"] && wire[id].code == .ok)
    #expect(wire[id].metadata["answered-by"] == "test")
    expectNothingLeft()
  }

  @Test("A stream of requests is taken to its end")
  func requests_areTaken() throws {
    let id = try wire.call("Collect")
    for subject in ["a", "b", "c"] { wire.send(.init(subject: subject), to: id) }
    #expect(wire.unconsumedByteCount > 0)
    try settle()
    #expect(wire[id].code == nil && wire.unconsumedByteCount == 0)
    wire.finish(id)
    try settle()
    #expect(wire[id].reasons == ["a,b,c"] && wire[id].code == .ok)
    expectNothingLeft()
  }

  @Test("Streams go both ways at the same time")
  func bothWays_areIndependent() throws {
    let id = try wire.call("Chat")
    for subject in ["a", "b"] {
      wire.send(.init(subject: subject), to: id)
      try settle()
      #expect(wire[id].reasons.last == subject && wire[id].code == nil)
    }
    wire.finish(id)
    try settle()
    #expect(wire[id].reasons == ["a", "b"] && wire[id].code == .ok)
    expectNothingLeft()
  }

  @Test("A call that is given up is cancelled and not answered", arguments: ["Echo", "Watch"])
  func cancelledCall_isNotAnswered(method: String) throws {
    let id = try wire.call(method, .init(subject: "a", context: "hold"))
    try settle()
    #expect(fixture.service.runningCount == 1)
    wire.cancel(id)
    try settle()
    #expect(fixture.service.cancelled == ["a"])
    #expect(wire[id].code == nil && wire[id].reasons.isEmpty)
    expectNothingLeft()
  }

  @Test("Requests that a cancelled handler did not take are counted out")
  func cancelledStream_dropsItsMessages() throws {
    let id = try wire.call("Collect")
    wire.send(.init(subject: "a", context: "hold"), to: id)
    try settle()
    wire.send(.init(subject: "b"), to: id)
    wire.cancel(id)
    try settle()
    expectNothingLeft()
  }

  @Test("A deadline ends the call and its handler", arguments: ["Echo", "Watch"])
  func deadline_endsTheCall(method: String) throws {
    let deadline = fixture.simulation.now.advanced(by: .milliseconds(50))
    let id = try wire.call(method, .init(subject: "a", context: "hold"), deadline: deadline)
    try fixture.simulation.run(for: .milliseconds(49))
    #expect(wire[id].code == nil)
    try fixture.simulation.run(for: .milliseconds(2))
    #expect(wire[id].code == .deadlineExceeded)
    #expect(fixture.service.cancelled == ["a"])
    expectNothingLeft()
  }

  @Test("A call that is answered in time leaves no timer")
  func deadline_ofAnAnsweredCall_isForgotten() throws {
    let deadline = fixture.simulation.now.advanced(by: .seconds(5))
    let id = try wire.call("Echo", .init(subject: "a"), deadline: deadline)
    try settle()
    #expect(wire[id].code == .ok)
    expectNothingLeft()
  }

  @Test("The server's limits hold for calls of every wire together")
  func limits_areShared() throws {
    let peer = try fixture.connect()
    // Of the highest priority, which may have all places.
    peer.send(.call(1, "Read", .init(subject: "framed", context: "hold")))
    try settle()
    let held = try (0..<5).map { try wire.call("Read", .init(subject: "\($0)", context: "hold")) }
    try settle()
    #expect(fixture.slots == [6, 0])
    let refused = try wire.call("Read", .init(subject: "late"))
    try settle()
    #expect(wire[refused].code == .resourceExhausted)
    fixture.service.release()
    try settle()
    #expect(held.allSatisfy { wire[$0].code == .ok })
    #expect(peer.takeFrames() == [.answer(1, "framed")])
    #expect(fixture.service.started.sorted() == ["0", "1", "2", "3", "4", "framed"])
  }

  @Test("A response that is too large for the wire is answered as an error")
  func response_tooLarge_isAnError() throws {
    wire.messageByteCountMax = 100
    let response = try wire.call("Echo", .init(subject: "a", context: "reply=200"))
    let stream = try wire.call("Watch", .init(subject: "a", context: "count=1 reply=200 count=1"))
    try settle()
    #expect(wire[response].code == .resourceExhausted && wire[response].reasons.isEmpty)
    #expect(wire[stream].code == .resourceExhausted && wire[stream].reasons == ["a0"])
    expectNothingLeft()
  }
}
