import PeerContracts
import TestingContracts
import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("What a request is named in the services that it leads to")
struct CallPropagationTests {
  private static let traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let span = "00f067aa0ba902b7"

  /// Calls a service that calls another one; what the second was told beside the request.
  private func passedOn(_ metadata: Metadata) async throws -> Metadata {
    let heard = Lock(Metadata())
    try await CallStage.run { _, call in
      heard.withLock { $0 = call.metadata }
      return CallStage.Response(allowed: true)
    } _: { second in
      let loops = try EventLoopGroup.epoll(count: 1)
      defer { loops.stop() }
      var configuration = ChannelConfiguration(loops: loops)
      configuration.interceptors = [
        CallPropagation(IdentifierFactory(clock: ManualClock(), random: SystemRandomSource()))
      ]
      try await withChannel(second.target, configuration) { channel in
        try await CallStage.run { request, _ in
          // As the permissions cache does: in a task that others may join.
          let task = Task { () async throws -> CallStage.Response in
            try await channel.unary(CallStage.method, request, options: CallOptions())
          }
          return try await task.value
        } _: { first in
          let error = try await first.error(metadata)
          #expect(error == nil)
        }
      }
    }
    return heard.withLock { $0 }
  }

  @Test("Its name goes along, and its trace with a span of its own")
  func call_fromHandler_carriesNameAndTrace() async throws {
    let heard = try await passedOn([
      "x-request-id": "story-7", "traceparent": "00-\(Self.traceID)-\(Self.span)-01",
    ])
    #expect(heard.values("x-request-id") == ["story-7"])
    let trace = try #require(heard["traceparent"].flatMap { TraceContext(traceparent: $0) })
    #expect(trace.traceID.description == Self.traceID && trace.spanIDText != Self.span)
  }

  @Test("What came with the trace goes along; if it is not valid, the trace alone does")
  func call_withTraceState_carriesIt() async throws {
    let traceparent = "00-\(Self.traceID)-\(Self.span)-03"
    for (state, carried) in [("vendor=1, other=2", "vendor=1,other=2"), ("Vendor=1", nil)] {
      let heard = try await passedOn(["traceparent": traceparent, "tracestate": state])
      let trace = try #require(heard["traceparent"].flatMap { TraceContext(traceparent: $0) })
      #expect(trace.traceID.description == Self.traceID && trace.isSampled && trace.isRandom)
      #expect(heard["tracestate"] == carried)
    }
  }

  @Test("A trace that is not valid goes no further, nor what came with it")
  func call_withBadTrace_carriesNone() async throws {
    let traceparent = "ff-\(Self.traceID)-\(Self.span)-01"
    let heard = try await passedOn(["traceparent": traceparent, "tracestate": "vendor=1"])
    #expect(heard["traceparent"] == nil && heard["tracestate"] == nil)
  }

  @Test("Of two traces none is believed: the request begins one of its own")
  func call_withTwoTraces_carriesNeither() async throws {
    let traceparent = "00-\(Self.traceID)-\(Self.span)-01"
    for second in [traceparent, "00-\(Self.traceID)-00f067aa0ba902b8-01", ""] {
      let heard = try await passedOn([
        "traceparent": traceparent, "traceparent": second, "tracestate": "vendor=1",
      ])
      #expect(heard["traceparent"] == nil && heard["tracestate"] == nil)
      #expect(heard["x-request-id"]?.hasPrefix("req_") == true)
    }
  }

  @Test(
    "A request without a name gets one, the same in both; one that is ill-formed goes no further"
  )
  func call_withoutName_carriesTheMadeOne() async throws {
    for metadata in [[:], ["x-request-id": "a b\n"]] as [Metadata] {
      let heard = try await passedOn(metadata)
      #expect(heard["x-request-id"]?.hasPrefix("req_") == true)
      #expect(heard["traceparent"] == nil)
    }
  }
}
