import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit

/// How many calls that stream may be open, by connection, by caller and in all.
@Suite("Bounds of streaming calls", .teardown)
struct StreamingCallLimitTests {
  /// Counts each stream for whom its metadata name: `user:a`.
  private struct Holders: ServerInterceptor {
    func begin(_ call: CallContext) throws -> Interception {
      if let text = call.metadata["holder"] {
        let parts = text.split(separator: ":", maxSplits: 1).map { String($0) }
        let holder: CountedCaller =
          switch parts[0] {
          case "user": .user(parts[1])
          case "service": .service(parts[1])
          default: .anonymous(parts[1])
          }
        try call.countStream(for: holder)
      }
      return .proceed
    }
  }

  private static let wait = Benchmark_V1.CheckRequest(context: "wait")

  /// Opens a stream that waits; the code that it is refused with, or nil.
  private func open(
    _ fixture: ServerFixture,
    _ peer: WirePeer,
    _ id: UInt32,
    _ holder: String? = nil
  ) throws -> Int32? {
    let frames = try fixture.exchange(
      peer,
      .call(id, "Watch", Self.wait, flags: 1, metadata: holder.map { [("holder", $0)] } ?? [])
    )
    let outcome = frames.first?.outcome
    if let outcome { #expect(outcome.isNotProcessed) }
    return outcome?.code
  }

  private func shed(_ fixture: ServerFixture, _ reason: ShedReason) -> UInt64 {
    fixture.metrics.server.shed(reason).value
  }

  @Test("a connection has so many and no more, and unary calls go on")
  func connection_full_refusesStreamsAlone() throws {
    let fixture = try ServerFixture { $0.limits.streamingCallsPerConnectionMax = 3 }
    let (peer, other) = (try fixture.connectExtended(), try fixture.connectExtended())
    for id: UInt32 in [1, 3, 5] { #expect(try open(fixture, peer, id) == nil) }
    #expect(try open(fixture, peer, 7) == 8)
    #expect(shed(fixture, .streamingCallsPerConnection) == 1)
    #expect(fixture.metrics.limitReached("streaming_calls_per_connection").value == 1)
    #expect(try fixture.exchange(peer, .call(9, "Echo")) == [.answer(9, "")])
    #expect(try open(fixture, other, 1) == nil)
    // A place is free again when the handler has returned.
    _ = try fixture.exchange(peer, WireFrame(stream: 3, type: WireFrame.cancel))
    #expect(try open(fixture, peer, 11) == nil)
    #expect(try open(fixture, peer, 13) == 8)
    #expect(fixture.server.streamingCallCount == 4 && fixture.slots == [0, 4])
    peer.close()
    try fixture.simulation.settle()
    #expect(fixture.server.streamingCallCount == 1)
  }

  @Test("a stream whose first message is refused gives its place back")
  func stream_malformed_givesItsPlaceBack() throws {
    let fixture = try ServerFixture { $0.limits.streamingCallsPerConnectionMax = 1 }
    let peer = try fixture.connectExtended()
    for id: UInt32 in [1, 3, 5] {
      let request = WireFrame(
        stream: id,
        type: WireFrame.request,
        flags: 1,
        payload: WireMessage.request(ServerFixture.service, "Watch", payload: [0xFF])
      )
      #expect(try fixture.exchange(peer, request).map { $0.outcome?.code } == [13])
    }
    #expect(fixture.server.streamingCallCount == 0 && fixture.slots == [0, 0])
    #expect(fixture.metrics.server.streamingCalls(.unknown).value == 0)
    #expect(try open(fixture, peer, 7) == nil)
  }

  @Test("a server has so many in all, whoever holds them")
  func server_full_refusesStreamsAlone() throws {
    let fixture = try ServerFixture { $0.limits.streamingCallsMax = 2 }
    let peers = try (0..<3).map { _ in try fixture.connectExtended() }
    #expect(try open(fixture, peers[0], 1) == nil)
    #expect(try open(fixture, peers[1], 1) == nil)
    #expect(try open(fixture, peers[2], 1) == 8)
    #expect(shed(fixture, .streamingCalls) == 1 && fixture.slots == [0, 2])
    #expect(try fixture.exchange(peers[2], .call(3, "Echo")) == [.answer(3, "")])
    peers[0].close()
    try fixture.simulation.settle()
    #expect(try open(fixture, peers[2], 5) == nil)
  }

  @Test(
    "each caller has its own bound, over all connections",
    arguments: [
      ("anonymous:10.0.0.1", "anonymous:10.0.0.2"), ("user:a", "user:b"),
      ("service:a", "service:b"),
    ]
  )
  func caller_full_isRefusedAlone(holder: String, other: String) throws {
    let fixture = try ServerFixture(interceptors: [Holders()]) {
      $0.limits.streamingCallsPerSourceMax = 2
      $0.limits.streamingCallsPerUserMax = 2
      $0.limits.streamingCallsPerServiceMax = 2
    }
    let (first, second) = (try fixture.connectExtended(), try fixture.connectExtended())
    #expect(try open(fixture, first, 1, holder) == nil)
    #expect(try open(fixture, second, 1, holder) == nil)
    #expect(try open(fixture, second, 3, holder) == 8)
    #expect(shed(fixture, .streamingCallsPerCaller) == 1)
    #expect(try open(fixture, second, 5, other) == nil)
    #expect(fixture.service.started.count == 3)
    first.close()
    try fixture.simulation.settle()
    #expect(try open(fixture, second, 7, holder) == nil)
    fixture.service.release()
    try fixture.simulation.settle()
    for kind in CountedCallerKind.allCases {
      #expect(fixture.metrics.server.streamingCalls(kind).value == 0)
    }
  }

  @Test("neither anonymous callers nor users can take the share of services")
  func kinds_full_leaveRoomForServices() throws {
    let fixture = try ServerFixture(interceptors: [Holders()]) {
      $0.limits.streamingCallsMax = 8
    }
    let peer = try fixture.connectExtended()
    var next: UInt32 = 1
    func open(_ holders: [String]) throws -> Int {
      try holders.count { holder in
        defer { next += 2 }
        return try self.open(fixture, peer, next, holder) == nil
      }
    }
    #expect(try open((0..<5).map { "anonymous:10.0.0.\($0)" }) == 2)
    #expect(try open((0..<8).map { "user:\($0)" }) == 4)
    #expect(try open(["anonymous:10.0.0.9", "user:9"]) == 0)
    #expect(try open(["service:a", "service:b", "service:c"]) == 2)
    let counts = CountedCallerKind.allCases.map {
      fixture.metrics.server.streamingCalls($0).value
    }
    #expect(counts == [0, 2, 4, 2])
  }
}
