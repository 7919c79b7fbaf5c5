import PeerContracts
import TestingContracts
import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("Spans of calls")
struct CallTraceTests {
  /// Random bytes that are all the same.
  private struct SameBytes: RandomSource {
    let byte: UInt8

    func bytes(_ count: Int) -> [UInt8] { Array(repeating: byte, count: count) }
  }

  /// What a call ends with instead of a response.
  private static let failures: [String: RPCError] = [
    "missing": RPCError(.notFound, reason: "NOT_THERE", domain: "test", message: "not found"),
    "broken": RPCError(.internal, reason: "BROKEN", domain: "test", message: "broken"),
  ]

  private static func handle(
    _ request: CallStage.Request,
    _ call: CallContext
  ) async throws -> CallStage.Response {
    if let name = call.metadata["fail"], let failure = failures[name] { throw failure }
    return CallStage.Response(allowed: true)
  }

  /// The spans of calls that were made one after the other, once all of the recorded ones are there.
  private func spans(
    _ tracer: Tracer,
    _ calls: [Metadata],
    count: Int
  ) async throws -> [CallSpan] {
    var spans: [CallSpan] = []
    try await CallStage.run(tracer: tracer, Self.handle) { stage in
      for metadata in calls { _ = try await stage.error(metadata) }
      // A span comes after the answer, in the order of the calls.
      let loops = try EventLoopGroup.epoll(count: 1)
      defer { loops.stop() }
      _ = await loops.loops[0].eventually { tracer.queue.count >= count }
    }
    spans = tracer.queue.take()
    #expect(spans.count == count)
    return spans
  }

  @Test("What a service has begun to record is continued, whatever is recorded otherwise")
  func call_ofService_continuesItsTrace() async throws {
    let calls: [Metadata] = [
      [
        "traceparent": TraceFixture.sampled, "tracestate": "vendor=1", "test-service": "auth",
        "x-request-id": "story-7",
      ],
      ["traceparent": TraceFixture.sampled, "test-service": "auth", "test-user": "usr_1"],
    ]
    let spans = try await spans(TraceFixture.tracer(0), calls, count: 2)
    for span in spans {
      #expect(span.kind == .server && span.name == "test.v1.Deeds/Do" && !span.isError)
      #expect(span.context.traceID.description == TraceFixture.traceID && span.context.isSampled)
      #expect(span.parent?.spanIDText == TraceFixture.spanID)
      #expect(span.context.spanIDText != TraceFixture.spanID && span.start <= span.end)
      #expect(span["rpc.system.name"] == "grpc" && span["rpc.method"] == "test.v1.Deeds/Do")
      #expect(span["rpc.response.status_code"] == "OK" && span["error.type"] == nil)
      #expect(span["service.peer.name"] == "auth")
      // Nothing of the user.
      #expect(!span.attributes.contains { $0.value.contains("usr_1") })
    }
    #expect(spans.first?["gatehouse.request_id"] == "story-7")
    #expect(spans.map(\.traceState) == ["vendor=1", nil])
  }

  @Test(
    "That somebody else records a trace is a wish: the draw decides, and the trace stays the same"
  )
  func call_ofAnybody_isDrawn() async throws {
    let wish: Metadata = ["traceparent": TraceFixture.sampled, "test-user": "usr_1"]
    let believed: Metadata = ["traceparent": TraceFixture.sampled, "test-service": "auth"]
    // The last call shows that the others before it left nothing.
    let none = try await spans(TraceFixture.tracer(0), [wish, [:], believed], count: 1)
    #expect(none.first?["service.peer.name"] == "auth")
    let all = try await spans(TraceFixture.tracer(1), [wish, [:]], count: 2)
    #expect(all.first?.context.traceID.description == TraceFixture.traceID)
    #expect(all.first?.parent?.spanIDText == TraceFixture.spanID)
    let own = try #require(all.last)
    #expect(own.parent == nil && own.context.isRandom)
    #expect(own.context.traceID.description != TraceFixture.traceID)
  }

  @Test("What a caller does not record is not recorded here, even of a service")
  func call_unsampled_isNotRecorded() async throws {
    let calls: [Metadata] = [
      ["traceparent": TraceFixture.unsampled, "test-service": "auth"],
      ["traceparent": TraceFixture.unsampled], [:],
    ]
    let spans = try await spans(TraceFixture.tracer(1), calls, count: 1)
    #expect(spans.first?.parent == nil)
  }

  @Test("The ratio is the share of draws that are recorded")
  func draw_followsTheRatio() async throws {
    for (byte, ratio, count) in [
      (0x00, 0, 0), (0x00, 0.001, 1), (0x7F, 0.5, 1), (0x80, 0.5, 0), (0xFF, 0.999, 0),
      (0xFF, 1, 1),
    ] as [(UInt8, Double, Int)] {
      let tracer = TraceFixture.tracer(ratio, random: SameBytes(byte: byte))
      let believed: Metadata = ["traceparent": TraceFixture.sampled, "test-service": "auth"]
      let spans = try await spans(tracer, [[:], believed], count: count + 1)
      #expect(spans.filter { $0.parent == nil }.count == count, "\(byte) \(ratio)")
    }
  }

  @Test("A call that fails says why; it counts as an error if the server is at fault")
  func call_failing_saysWhy() async throws {
    let calls: [Metadata] = [["fail": "missing"], ["fail": "broken"]]
    let spans = try await spans(TraceFixture.tracer(1), calls, count: 2)
    #expect(spans.map(\.isError) == [false, true])
    #expect(spans.map { $0["rpc.response.status_code"] } == ["NOT_FOUND", "INTERNAL"])
    #expect(spans.map { $0["gatehouse.reason"] } == ["NOT_THERE", "BROKEN"])
    #expect(spans.map { $0["error.type"] } == [nil, "INTERNAL"])
  }

  /// Calls a service that calls another one, both with tracers; `first` and `second` are their spans.
  private func chain(
    _ metadata: Metadata,
    ratio: Double
  ) async throws -> (first: [CallSpan], second: [CallSpan], heard: Metadata) {
    let heard = Lock(Metadata())
    let tracers = (first: TraceFixture.tracer(ratio), second: TraceFixture.tracer(0))
    try await CallStage.run(tracer: tracers.second) { request, call in
      heard.withLock { $0 = call.metadata }
      return try await Self.handle(request, call)
    } _: { second in
      let loops = try EventLoopGroup.epoll(count: 1)
      defer { loops.stop() }
      var configuration = ChannelConfiguration(loops: loops)
      configuration.retry = .never
      configuration.interceptors = [
        CallPropagation(tracers.first.identifiers, peer: "second", tracer: tracers.first)
      ]
      try await withChannel(second.target, configuration) { channel in
        try await CallStage.run(tracer: tracers.first) { request, call in
          var options = CallOptions(metadata: ["test-service": "first"])
          if let failure = call.metadata["fail"] { options.metadata["fail"] = failure }
          return try await channel.unary(CallStage.method, request, options: options)
        } _: { first in
          _ = try await first.error(metadata)
          let (count, queues) = (ratio > 0 ? (2, 1) : (0, 0), tracers)
          _ = await loops.loops[0].eventually {
            queues.first.queue.count >= count.0 && queues.second.queue.count >= count.1
          }
        }
      }
    }
    return (tracers.first.queue.take(), tracers.second.queue.take(), heard.withLock { $0 })
  }

  @Test("A call that is made for another one is a span between both")
  func call_fromHandler_isASpanBetween() async throws {
    let (first, second, heard) = try await chain([:], ratio: 1)
    let made = try #require(first.first { $0.kind == .client })
    let served = try #require(first.first { $0.kind == .server })
    let other = try #require(second.first)
    #expect(first.count == 2 && second.count == 1)
    #expect(served.parent == nil && made.parent == served.context && other.parent == made.context)
    #expect(heard["traceparent"] == made.context.traceparent)
    #expect(Set([served, made, other].map(\.context.traceID)).count == 1)
    #expect(Set([served, made, other].map(\.context.spanID)).count == 3)
    #expect(made.name == "test.v1.Deeds/Do" && made["service.peer.name"] == "second")
    #expect(Set([served, made, other].map { $0["gatehouse.request_id"] }).count == 1)
    #expect(served.start <= made.start && made.end <= served.end)
  }

  @Test("Whatever a call that was made does not get, its span is an error")
  func call_fromHandlerFailing_isAnError() async throws {
    let (first, second, _) = try await chain(["fail": "missing"], ratio: 1)
    let made = try #require(first.first { $0.kind == .client })
    #expect(made.isError && made["error.type"] == "NOT_FOUND")
    #expect(made["gatehouse.reason"] == "NOT_THERE")
    #expect(first.contains { $0.kind == .server && !$0.isError } && second.first?.isError == false)
  }

  @Test("A trace that is not recorded goes on as one that is not, with the same name")
  func call_fromHandlerUnsampled_saysSo() async throws {
    let metadata: Metadata = ["traceparent": TraceFixture.sampled, "tracestate": "vendor=1"]
    let (first, second, heard) = try await chain(metadata, ratio: 0)
    #expect(first.isEmpty && second.isEmpty)
    let trace = try #require(heard["traceparent"].flatMap { TraceContext(traceparent: $0) })
    #expect(trace.traceID.description == TraceFixture.traceID && !trace.isSampled)
    #expect(trace.spanIDText != TraceFixture.spanID && heard["tracestate"] == "vendor=1")
  }

  @Test("Without a tracer no call has a span")
  func call_untraced_hasNoSpan() async throws {
    let hasSpan = Lock<Bool?>(nil)
    try await CallStage.run { _, call in
      hasSpan.withLock { $0 = call.span != nil }
      return CallStage.Response(allowed: true)
    } _: { stage in
      let error = try await stage.error(["traceparent": TraceFixture.sampled])
      #expect(error == nil)
    }
    #expect(hasSpan.withLock { $0 } == false)
  }
}
