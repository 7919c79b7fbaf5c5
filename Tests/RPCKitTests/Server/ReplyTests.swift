import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit

/// Calls that are answered in the event that brought them, and the interceptors around all calls.
@Suite("Server: answers without a task", .teardown)
struct ReplyTests {
  private typealias Request = Benchmark_V1.CheckRequest
  private typealias Response = Benchmark_V1.CheckResponse

  /// What interceptors write down.
  private final class Trace: Sendable {
    private let lines = Lock<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }

    func take() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  /// Says when a call enters, fails and leaves it.
  private struct Tracer: ServerInterceptor {
    let name: String
    let trace: Trace
    /// Needs a task for calls that have this subject in their metadata.
    var waitsFor: String?

    func begin(_ call: CallContext) throws -> Interception {
      guard call.metadata["refused-by"] != name else {
        throw RPCError(.permissionDenied, "refused by \(name)")
      }
      trace.add("\(name) begins")
      guard let waitsFor, call.metadata["waits"] == waitsFor else { return .proceed }
      return .around(wait)
    }

    private nonisolated(nonsending) func wait(
      _ call: CallContext,
      _ next: nonisolated(nonsending) () async throws -> Void
    ) async throws {
      trace.add("\(name) waits")
      if call.metadata["refused-later"] == name {
        throw RPCError(.permissionDenied, "refused later by \(name)")
      }
      try await next()
      trace.add("\(name) is back")
    }

    func failed(_ call: CallContext, _ error: any Error) -> any Error {
      trace.add("\(name) failed")
      guard let error = error as? RPCError else { return error }
      return RPCError(error.code, "\(error.message), \(name)")
    }

    func ended(_ call: CallContext) { trace.add("\(name) ended") }
  }

  /// Lets nobody through and says nothing.
  private struct Swallower: ServerInterceptor {
    func begin(_ call: CallContext) -> Interception { .around { _, _ in } }
  }

  private static func reply(_ request: Request) -> Response {
    Response(reason: CallContext.current == nil ? "now \(request.subject)" : request.subject)
  }

  @Test("an answer from memory needs no task, and leaves nothing behind")
  func answer_now_needsNoTask() throws {
    let fixture = try ServerFixture()
    fixture.service.immediate = { request, call in
      #expect(fixture.server.admission.runningCount == 1)
      return Self.reply(request)
    }
    let peer = try fixture.connectExtended()
    let calls = (0..<3).map { WireFrame.call(UInt32($0 * 2 + 1), "Ask", .init(subject: "a")) }
    peer.send(calls[0], calls[1], calls[2])
    try fixture.simulation.settle()
    let frames = peer.takeFrames()
    #expect(frames == [.answer(1, "now a"), .answer(3, "now a"), .answer(5, "now a")])
    #expect(fixture.service.started.isEmpty)
    #expect(fixture.server.admission.runningCount == 0 && fixture.runningHandlersGauge == 0)
  }

  @Test("an answer that takes a wait is found in a task")
  func answer_later_isFoundInTask() throws {
    let fixture = try ServerFixture()
    fixture.service.immediate = { request, _ in request.subject == "a" ? Self.reply(request) : nil }
    let peer = try fixture.connect()
    let frames = try fixture.exchange(
      peer,
      .call(1, "Ask", .init(subject: "a")),
      .call(3, "Ask", .init(subject: "b"))
    )
    #expect(frames == [.answer(1, "now a"), .answer(3, "b")])
    #expect(fixture.service.started == ["b"])
  }

  @Test("what it throws is the status; what is no status is INTERNAL and hidden")
  func answer_throws_isTheStatus() throws {
    let reported = Lock(0)
    let fixture = try ServerFixture(reportUnexpected: { _, _, _ in reported.withLock { $0 += 1 } })
    fixture.service.immediate = { request, _ in
      guard request.subject.isEmpty else { throw RPCError(.notFound, "no \(request.subject)") }
      throw ScriptedService.Unexpected()
    }
    let peer = try fixture.connect()
    let frames = try fixture.exchange(
      peer,
      .call(1, "Ask", .init(subject: "a")),
      .call(3, "Ask")
    )
    #expect(frames.map { $0.outcome?.code } == [5, 13])
    #expect(frames.first?.outcome?.message == "no a")
    #expect(frames.last?.outcome?.message.contains("Unexpected") == false)
    #expect(reported.withLock { $0 } == 1)
    #expect(fixture.service.started.isEmpty && fixture.server.admission.runningCount == 0)
  }

  @Test("a payload that is no request is refused as ever")
  func payload_malformed_isRefused() throws {
    let fixture = try ServerFixture()
    fixture.service.immediate = { request, _ in Self.reply(request) }
    let peer = try fixture.connect()
    func call(_ stream: UInt32, _ method: String) -> WireFrame {
      WireFrame(
        stream: stream,
        type: WireFrame.request,
        payload: WireMessage.request(ServerFixture.service, method, payload: [0x0A, 0x05, 0x41])
      )
    }
    let frames = try fixture.exchange(peer, call(1, "Ask"), call(3, "Echo"))
    #expect(frames.map { $0.outcome?.code } == [13, 13])
    #expect(frames[0].outcome?.message == frames[1].outcome?.message)
    #expect(fixture.server.admission.runningCount == 0)
  }

  @Test("interceptors are asked in order, once, and told of the end in the opposite order")
  func interceptors_ofCall_runInOrder() throws {
    let trace = Trace()
    let fixture = try ServerFixture(
      interceptors: [Tracer(name: "1", trace: trace), Tracer(name: "2", trace: trace)]
    )
    fixture.service.immediate = { request, _ in request.subject == "a" ? Self.reply(request) : nil }
    let peer = try fixture.connect()
    for subject in ["a", "b"] {
      _ = try fixture.exchange(peer, .call(subject == "a" ? 1 : 3, "Ask", .init(subject: subject)))
      #expect(trace.take() == ["1 begins", "2 begins", "2 ended", "1 ended"])
    }
    _ = try fixture.exchange(peer, .call(5, "Watch", .init(context: "count=2"), flags: 1))
    #expect(trace.take() == ["1 begins", "2 begins", "2 ended", "1 ended"])
  }

  @Test("those who let a call in see its failure, and only those")
  func interceptors_ofFailedCall_seeTheFailure() throws {
    let trace = Trace()
    let fixture = try ServerFixture(
      interceptors: [Tracer(name: "1", trace: trace), Tracer(name: "2", trace: trace)]
    )
    let peer = try fixture.connectExtended()
    var frames = try fixture.exchange(peer, .call(1, "Echo", .init(context: "fail=5")))
    #expect(frames.first?.outcome?.message == "as ordered, 2, 1")
    let all = ["1 begins", "2 begins", "2 failed", "1 failed", "2 ended", "1 ended"]
    #expect(trace.take() == all)
    let undecodable = WireFrame(
      stream: 3,
      type: WireFrame.request,
      payload: WireMessage.request(ServerFixture.service, "Echo", payload: [0x0A, 0x05, 0x41])
    )
    frames = try fixture.exchange(peer, undecodable)
    #expect(frames.first?.outcome?.message.hasSuffix(", 2, 1") == true)
    #expect(trace.take() == all)
    frames = try fixture.exchange(peer, .call(5, "Echo", .init(), metadata: [("refused-by", "2")]))
    #expect(frames.first?.outcome?.message == "refused by 2, 1")
    #expect(trace.take() == ["1 begins", "1 failed", "1 ended"])
    #expect(fixture.service.started == [""] && fixture.server.admission.runningCount == 0)
    #expect(fixture.runningHandlersGauge == 0)
  }

  @Test("an interceptor that waits does so in the call's task, and those inside begin after it")
  func interceptor_waits_inTask() throws {
    let trace = Trace()
    let fixture = try ServerFixture(
      interceptors: [
        Tracer(name: "1", trace: trace), Tracer(name: "2", trace: trace, waitsFor: "yes"),
        Tracer(name: "3", trace: trace, waitsFor: "yes"),
      ]
    )
    fixture.service.immediate = { request, _ in Self.reply(request) }
    let peer = try fixture.connectExtended()
    let request = ScriptedService.Request(subject: "a")
    var frames = try fixture.exchange(peer, .call(1, "Ask", request, metadata: [("waits", "yes")]))
    #expect(frames == [.answer(1, "a")])
    #expect(
      trace.take() == [
        "1 begins", "2 begins", "2 waits", "3 begins", "3 waits", "3 is back", "2 is back",
        "3 ended", "2 ended", "1 ended",
      ]
    )
    let metadata = [("waits", "yes"), ("refused-later", "2")]
    frames = try fixture.exchange(peer, .call(3, "Ask", request, metadata: metadata))
    #expect(frames.first?.outcome?.message == "refused later by 2, 2, 1")
    #expect(
      trace.take() == [
        "1 begins", "2 begins", "2 waits", "2 failed", "1 failed", "2 ended", "1 ended",
      ]
    )
    #expect(try fixture.exchange(peer, .call(5, "Ask", request)) == [.answer(5, "now a")])
  }

  @Test("an interceptor that swallows the call is a mistake, and the call is answered")
  func interceptor_swallows_isAnswered() throws {
    let fixture = try ServerFixture(interceptors: [Swallower()])
    let peer = try fixture.connect()
    let frames = try fixture.exchange(peer, .call(1, "Ask"), .call(3, "Watch", .init(), flags: 1))
    #expect(frames.map { $0.outcome?.code } == [13, 13])
    #expect(fixture.server.admission.runningCount == 0)
  }

  @Test("no call overtakes one that came earlier and waits")
  func call_behindWaitingOne_waits() throws {
    let fixture = try ServerFixture()
    fixture.service.immediate = { request, _ in Self.reply(request) }
    let peer = try fixture.connect()
    // All at once, so that they are read in one turn.
    peer.send(
      .call(1, "Ask", .init(subject: "a")),
      .call(3, "Echo", .init(subject: "b")),
      .call(5, "Ask", .init(subject: "c"))
    )
    try fixture.simulation.settle()
    #expect(peer.takeFrames() == [.answer(1, "now a"), .answer(3, "b"), .answer(5, "c")])
    // Nothing waits any more.
    #expect(
      try fixture.exchange(peer, .call(7, "Ask", .init(subject: "d"))) == [.answer(7, "now d")]
    )
  }

  @Test("what comes when the turn has had its share waits for the next, like any call")
  func share_ofTheTurn_isKept() throws {
    let fixture = try ServerFixture()
    let (peer, loop) = (try fixture.connectExtended(), fixture.loop)
    fixture.service.immediate = { request, _ in
      loop.spend(.milliseconds(2))
      return Self.reply(request)
    }
    peer.send(
      .call(1, "Ask", .init(subject: "a")),
      .call(3, "Ask", .init(subject: "b")),
      .call(5, "Ask", .init(subject: "c")),
      .call(7, "Ask", .init(subject: "d"))
    )
    try fixture.simulation.settle()
    // The third ends after more than 5 ms.
    let answers = ["now a", "now b", "now c", "d"].map { Response(reason: $0).encoded() }
    #expect(peer.takeFrames().map { $0.outcome?.payload } == answers)
    #expect(
      try fixture.exchange(peer, .call(9, "Ask", .init(subject: "e"))) == [.answer(9, "now e")]
    )
  }

  @Test("a connection that only waited for it closes behind the answer of a draining server")
  func drain_duringIt_closesBehindTheAnswer() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    fixture.service.immediate = { [unowned fixture] request, call in
      (call.connection as? ServerConnection)?.drain()
      #expect(fixture.server.admission.runningCount == 1)
      return Self.reply(request)
    }
    peer.send(.call(1, "Ask", .init(subject: "a")), .call(3, "Ask", .init(subject: "b")))
    try fixture.simulation.settle()
    let frames = peer.takeFrames()
    #expect(frames.first == .answer(1, "now a"))
    #expect(frames.dropFirst().allSatisfy { $0.outcome?.code == 14 })
    #expect(fixture.server.admission.runningCount == 0 && fixture.runningHandlersGauge == 0)
    try fixture.simulation.run(for: .seconds(60))
    #expect(fixture.server.connectionCount == 0)
  }
}
