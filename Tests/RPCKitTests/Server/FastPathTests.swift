import Contracts
import RPCKitTesting
import Testing

@testable import RPCKit

/// Calls that are answered in the event that brought them.
@Suite("Server: the fast path of a unary method")
struct FastPathTests {
  private typealias Request = Benchmark_V1.CheckRequest
  private typealias Response = Benchmark_V1.CheckResponse

  /// What both ways of a call write down.
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

  /// Says when a call enters and leaves it, either way.
  private struct Tracer: ServerInterceptor {
    let name: String
    let trace: Trace

    func intercept(_ call: CallContext, next: () async throws -> Void) async throws {
      trace.add("\(name) handler")
      try await next()
    }

    func interceptFastPath(_ call: CallContext, next: () throws -> Bool) throws -> Bool {
      trace.add("\(name) in")
      let isAnswered = try next()
      trace.add("\(name) \(isAnswered)")
      return isAnswered
    }
  }

  /// Knows of no fast path.
  private struct Old: ServerInterceptor {
    func intercept(_ call: CallContext, next: () async throws -> Void) async throws {
      try await next()
    }
  }

  /// Answers nothing and lets nobody through.
  private struct Swallower: ServerInterceptor {
    func intercept(_ call: CallContext, next: () async throws -> Void) async throws {}

    func interceptFastPath(_ call: CallContext, next: () throws -> Bool) throws -> Bool { true }
  }

  private static func reply(_ request: Request) -> Response {
    Response(reason: "fast \(request.subject)")
  }

  @Test("an answer at once needs no handler, and leaves nothing behind")
  func answer_atOnce_needsNoHandler() throws {
    let fixture = try ServerFixture()
    fixture.service.fastPath = { request, call in
      #expect(CallContext.current == nil)
      #expect(fixture.server.admission.runningCount == 1)
      return Self.reply(request)
    }
    let peer = try fixture.connectExtended()
    let calls = (0..<3).map { WireFrame.call(UInt32($0 * 2 + 1), "Ask", .init(subject: "a")) }
    peer.send(calls[0], calls[1], calls[2])
    try fixture.simulation.settle()
    let frames = peer.takeFrames()
    #expect(frames == [.answer(1, "fast a"), .answer(3, "fast a"), .answer(5, "fast a")])
    #expect(fixture.service.started.isEmpty)
    #expect(fixture.server.admission.runningCount == 0 && fixture.runningHandlersGauge == 0)
  }

  @Test("what the fast path cannot tell is the handler's to say")
  func answer_nil_runsTheHandler() throws {
    let fixture = try ServerFixture()
    fixture.service.fastPath = { request, _ in request.subject == "a" ? Self.reply(request) : nil }
    let peer = try fixture.connect()
    let frames = try fixture.exchange(
      peer,
      .call(1, "Ask", .init(subject: "a")),
      .call(3, "Ask", .init(subject: "b"))
    )
    #expect(frames == [.answer(1, "fast a"), .answer(3, "b")])
    #expect(fixture.service.started == ["b"])
  }

  @Test("what it throws is the status; what is no status is INTERNAL and hidden")
  func answer_throws_isTheStatus() throws {
    let reported = Lock(0)
    let fixture = try ServerFixture(reportUnexpected: { _, _, _ in reported.withLock { $0 += 1 } })
    fixture.service.fastPath = { request, _ in
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
    fixture.service.fastPath = { request, _ in Self.reply(request) }
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

  @Test("interceptors run in order around it, and again around the handler")
  func interceptors_bothWays_runInOrder() throws {
    let trace = Trace()
    let fixture = try ServerFixture(
      interceptors: [Tracer(name: "1", trace: trace), Tracer(name: "2", trace: trace)]
    )
    fixture.service.fastPath = { request, _ in request.subject == "a" ? Self.reply(request) : nil }
    let peer = try fixture.connect()
    _ = try fixture.exchange(peer, .call(1, "Ask", .init(subject: "a")))
    #expect(trace.take() == ["1 in", "2 in", "2 true", "1 true"])
    _ = try fixture.exchange(peer, .call(3, "Ask", .init(subject: "b")))
    #expect(trace.take() == ["1 in", "2 in", "2 false", "1 false", "1 handler", "2 handler"])
  }

  @Test("nothing gets past an interceptor that knows of no fast path")
  func interceptor_withoutFastPath_isNotPassed() throws {
    let fixture = try ServerFixture(interceptors: [Old()])
    fixture.service.fastPath = { request, _ in Self.reply(request) }
    let peer = try fixture.connect()
    #expect(try fixture.exchange(peer, .call(1, "Ask", .init(subject: "a"))) == [.answer(1, "a")])
  }

  @Test("an interceptor that swallows the call is a mistake, and the call is answered")
  func interceptor_swallows_isAnswered() throws {
    let fixture = try ServerFixture(interceptors: [Swallower()])
    let peer = try fixture.connect()
    let frames = try fixture.exchange(peer, .call(1, "Ask"))
    #expect(frames.map { $0.outcome?.code } == [13])
    #expect(fixture.server.admission.runningCount == 0)
  }

  @Test("no call overtakes one that came earlier and waits")
  func call_behindWaitingOne_waits() throws {
    let fixture = try ServerFixture()
    fixture.service.fastPath = { request, _ in Self.reply(request) }
    let peer = try fixture.connect()
    // All at once, so that they are read in one turn.
    peer.send(
      .call(1, "Ask", .init(subject: "a")),
      .call(3, "Echo", .init(subject: "b")),
      .call(5, "Ask", .init(subject: "c"))
    )
    try fixture.simulation.settle()
    #expect(peer.takeFrames() == [.answer(1, "fast a"), .answer(3, "b"), .answer(5, "c")])
    // Nothing waits any more.
    #expect(
      try fixture.exchange(peer, .call(7, "Ask", .init(subject: "d"))) == [.answer(7, "fast d")]
    )
  }

  @Test("what comes when the turn has had its share waits for the next, like any call")
  func share_ofTheTurn_isKept() throws {
    let fixture = try ServerFixture()
    let (peer, loop) = (try fixture.connectExtended(), fixture.loop)
    fixture.service.fastPath = { request, _ in
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
    let answers = ["fast a", "fast b", "fast c", "d"].map { Response(reason: $0).encoded() }
    #expect(peer.takeFrames().map { $0.outcome?.payload } == answers)
    #expect(
      try fixture.exchange(peer, .call(9, "Ask", .init(subject: "e"))) == [.answer(9, "fast e")]
    )
  }

  @Test("a connection that only waited for it closes behind the answer of a draining server")
  func drain_duringIt_closesBehindTheAnswer() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connect()
    fixture.service.fastPath = { [unowned fixture] request, call in
      call.connection.drain()
      #expect(fixture.server.admission.runningCount == 1)
      return Self.reply(request)
    }
    peer.send(.call(1, "Ask", .init(subject: "a")), .call(3, "Ask", .init(subject: "b")))
    try fixture.simulation.settle()
    let frames = peer.takeFrames()
    #expect(frames.first == .answer(1, "fast a"))
    #expect(frames.dropFirst().allSatisfy { $0.outcome?.code == 14 })
    #expect(fixture.server.admission.runningCount == 0 && fixture.runningHandlersGauge == 0)
    try fixture.simulation.run(for: .seconds(60))
    #expect(fixture.server.connectionCount == 0)
  }
}
