import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit

/// Timers count in milliseconds, and other services' answers come when they come: what a call is answered when its
/// caller's time is over does not depend on who notices first.
@Suite("Server: answers that come too late", .teardown)
struct LateAnswerTests {
  /// Ends a call that was given 10 ms and a nanosecond as `order` says, so long after it began.
  private static func outcome(of order: String, after duration: Duration?) throws -> Int32? {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    let context = "hold \(order)"
    peer.send(
      .call(1, "Echo", .init(subject: "a", context: context), timeoutNanoseconds: 10_000_001)
    )
    try fixture.simulation.settle()
    let call = try #require(fixture.service.calls.first)
    let toDeadline = fixture.loop.now.duration(to: call.deadline)
    try fixture.simulation.run(for: duration ?? toDeadline)
    // No timer has noticed.
    #expect(peer.takeFrames().isEmpty)
    fixture.service.release()
    try fixture.simulation.settle()
    return peer.takeFrames().first?.outcome?.code
  }

  @Test(
    "An answer, or an error that tells only of somebody else, is the caller's own deadline by then",
    arguments: [("reply=1", 0), ("fail=14", 14), ("fail=1", 1), ("fail=4", 4)] as [(String, Int32)]
  )
  func late_isDeadlineExceeded(_ order: String, _ code: Int32) throws {
    #expect(try Self.outcome(of: order, after: nil) == StatusCode.deadlineExceeded.rawValue)
    #expect(try Self.outcome(of: order, after: .milliseconds(1)) ?? 0 == code)
  }

  @Test(
    "What is wrong with the request stays, however late it is found",
    arguments: [3, 5, 7, 8, 9, 16] as [Int32]
  )
  func late_butRight_stays(_ code: Int32) throws {
    #expect(try Self.outcome(of: "fail=\(code)", after: nil) == code)
  }

  @Test(
    "Whose time was over in another service is told so, though this one thinks there is some left"
  )
  func peerOutOfTime_isDeadlineExceeded() throws {
    var outOfTime = RPCError(.deadlineExceeded, "the deadline passed before the call completed")
    outOfTime.isOutcomeOfCallersDeadline = true
    let ownLimit = RPCError(.deadlineExceeded, "the deadline passed before the call completed")
    let fixture = try ServerFixture()
    fixture.service.immediate = { request, _ in
      let cause = request.subject == "theirs" ? outOfTime : ownLimit
      throw RPCError(
        .unavailable,
        "part is unavailable",
        cause: RPCError(.unknown, "", cause: cause)
      )
    }
    let peer = try fixture.connect()
    let frames = try fixture.exchange(
      peer,
      .call(1, "Ask", .init(subject: "theirs"), timeoutNanoseconds: 1_000_000_000),
      .call(3, "Ask", .init(subject: "ours"), timeoutNanoseconds: 1_000_000_000)
    )
    #expect(frames.map { $0.outcome?.code } == [4, 14])
  }

  @Test("A call knows whether its deadline is that of the call being served")
  func plan_knowsWhoseDeadlineItHas() async throws {
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let configuration = ChannelConfiguration(loops: loops)
    let method = MethodDescriptor(
      service: "test.Service",
      method: "Ask",
      kind: .unary,
      callerClass: .public,
      requestType: "",
      responseType: ""
    )
    func isCallers(_ given: Duration?, _ own: Duration?) async -> Bool {
      let deadline = given.map { loops.loops[0].now.advanced(by: $0) }
      return await CallScope.with(deadline: deadline) {
        CallPlan(method, CallOptions(timeout: own), configuration)
          .outcome(RPCError(.deadlineExceeded, "")).isOutOfCallersTime
      }
    }
    #expect(await isCallers(.seconds(1), nil))
    #expect(await isCallers(.seconds(1), .seconds(2)))
    #expect(await !isCallers(.seconds(2), .seconds(1)))
    #expect(await !isCallers(nil, .seconds(1)))
    #expect(await !isCallers(nil, nil))
  }
}
