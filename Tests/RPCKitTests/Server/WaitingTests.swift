import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit

/// Calls that only wait, and the places that they leave to others.
@Suite("Handlers that wait", .teardown)
struct WaitingTests {
  /// A server whose adaptive bound is at its least, which lets a few calls in.
  private func busyFixture(limitMin: Int = 8) throws -> ServerFixture {
    let fixture = try ServerFixture {
      $0.admission.limitMin = limitMin
      $0.admission.window = .milliseconds(1)
    }
    let peer = try fixture.connectExtended()
    for id: UInt32 in [1, 3, 5, 7] {
      try fixture.simulation.run(for: .milliseconds(5))
      #expect(try fixture.exchange(peer, .call(id, "Echo")) == [.answer(id, "")])
    }
    #expect(fixture.server.admission.currentLimit == limitMin)
    return fixture
  }

  @Test("a hundred streams that wait leave every place to other calls; a handful that work do not")
  func streams_thatWait_holdNoPlace() throws {
    for (order, isServed) in [("wait", true), ("hold", false)] {
      let fixture = try busyFixture()
      let (watcher, peer) = (try fixture.connectExtended(), try fixture.connectExtended())
      for index in 0..<100 {
        let id = UInt32(index * 2 + 1)
        _ = try fixture.exchange(watcher, .call(id, "Watch", .init(context: order), flags: 1))
      }
      #expect(fixture.server.streamingCallCount == (isServed ? 100 : 6))
      #expect(fixture.slots == (isServed ? [0, 100] : [6, 0]))
      let lists = try (0..<5).flatMap { index in
        try fixture.exchange(peer, .call(UInt32(index * 2 + 1), "List"))
      }
      #expect(lists.allSatisfy { $0.outcome?.code == (isServed ? 0 : 8) })
      fixture.service.release()
      try fixture.simulation.settle()
      #expect(fixture.slots == [0, 0] && fixture.server.streamingCallCount == 0)
    }
  }

  @Test("what waits counts for the fixed bound, which protects memory")
  func fixedBound_countsWaiting() throws {
    let fixture = try ServerFixture {
      $0.admission.isAdaptive = false
      $0.limits.runningHandlersMax = 3
    }
    let peer = try fixture.connectExtended()
    for id: UInt32 in [1, 3, 5] {
      #expect(try fixture.exchange(peer, .call(id, "Echo", .init(context: "wait"))).isEmpty)
    }
    #expect(fixture.slots == [0, 3] && fixture.metrics.server.waitingHandlers.value == 3)
    #expect(try fixture.exchange(peer, .call(7, "Echo")).map { $0.outcome?.code } == [8])
    fixture.service.release()
    try fixture.simulation.settle()
    #expect(peer.takeFrames().count == 3)
    #expect(fixture.slots == [0, 0] && fixture.metrics.server.waitingHandlers.value == 0)
  }

  @Test(
    "a call that is cancelled, late or lost while it waits gives its place back once",
    arguments: ["cancel", "deadline", "loss"]
  )
  func waiting_endedFromOutside_returnsThePlaceOnce(how: String) throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connectExtended()
    for (index, order) in ["wait", "deafwait", "nap=60000"].enumerated() {
      let timeout: Int64 = how == "deadline" ? 50_000_000 : 0
      let request = Benchmark_V1.CheckRequest(context: order)
      peer.send(.call(UInt32(index * 2 + 1), "Echo", request, timeoutNanoseconds: timeout))
    }
    try fixture.simulation.run(for: .milliseconds(10))
    #expect(fixture.slots == [0, 3])
    switch how {
    case "cancel":
      for id: UInt32 in [1, 3, 5] { peer.send(WireFrame(stream: id, type: WireFrame.cancel)) }
    case "deadline": try fixture.simulation.run(for: .milliseconds(60))
    default: peer.close()
    }
    try fixture.simulation.run(for: .milliseconds(10))
    // The deaf one continues waiting, and is counted as such until it returns.
    #expect(fixture.slots == [0, 1])
    fixture.service.release()
    try fixture.simulation.settle()
    #expect(fixture.slots == [0, 0] && fixture.runningHandlersGauge == 0)
    #expect(fixture.metrics.server.waitingHandlers.value == 0)
  }

  @Test("a task that waits on after its handler returned has no place to take or give back")
  func waiting_leftBehind_countsNothing() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connectExtended()
    let answers = try fixture.exchange(peer, .call(1, "Echo", .init(context: "leave")))
    #expect(answers.map { $0.outcome?.code } == [0])
    #expect(fixture.slots == [0, 0])
    let left = try #require(fixture.service.left)
    fixture.service.release()
    let isOver = Tally()
    fixture.simulation.start {
      await left.value
      isOver.add()
    }
    try fixture.simulation.settle()
    #expect(isOver.value == 1)
    #expect(fixture.slots == [0, 0] && fixture.metrics.server.waitingHandlers.value == 0)
  }

  @Test("a writer that waits for credit, and a reader that waits for a message, only wait")
  func streams_clientTakesItsTime_onlyWait() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connectExtended(window: 1000)
    let request = Benchmark_V1.CheckRequest(context: "reply=480 count=10")
    _ = try fixture.exchange(peer, .call(1, "Watch", request, flags: 1))
    #expect(fixture.service.writtenCount == 3 && fixture.slots == [0, 1])
    _ = try fixture.exchange(peer, .call(3, "Collect", nil, flags: 6), .message(3, "a"))
    #expect(fixture.service.taken == ["a"] && fixture.slots == [0, 2])
    let work = WireFrame(
      stream: 3,
      type: WireFrame.data,
      payload: Benchmark_V1.CheckRequest(context: "sleep=5").encoded()
    )
    _ = try fixture.exchange(peer, work)
    #expect(fixture.slots == [1, 1])
    try fixture.simulation.run(for: .milliseconds(10))
    #expect(fixture.slots == [0, 2])
    let credit = WireFrame(
      stream: 1,
      type: WireFrame.credit,
      payload: WireMessage().varint(1, 100_000).bytes
    )
    _ = try fixture.exchange(peer, credit, .end(3))
    #expect(fixture.service.writtenCount == 10 && fixture.slots == [0, 0])
  }

  @Test("the time that a call waits is not the server's latency")
  func latency_ofACallThatWaited_isWithoutTheWait() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connectExtended()
    peer.send(.call(1, "Echo", .init(context: "nap=700 sleep=20 nap=300")))
    try fixture.simulation.run(for: .seconds(2))
    #expect(peer.takeFrames().map { $0.outcome?.code } == [0])
    let call = try #require(fixture.service.calls.first)
    let waited = call.slot.waitedNanoseconds
    #expect(waited >= 1_000_000_000 && waited < 1_010_000_000)
    let end = try #require(call.ended)
    let worked = call.received.nanoseconds(to: end) - waited
    #expect(worked >= 20_000_000 && worked < 30_000_000)
  }

  @Test("calls that wait long do not make the server look slow")
  func adaptiveBound_callsThatWait_isNotRaised() throws {
    let fixture = try ServerFixture {
      $0.admission.limitMin = 1
      $0.admission.window = .seconds(1)
    }
    let peer = try fixture.connectExtended()
    for second in 0..<3 {
      for index in 0..<100 {
        let id = UInt32((second * 100 + index) * 2 + 1)
        peer.send(.call(id, "Echo", .init(context: "nap=900")))
      }
      try fixture.simulation.run(for: .seconds(1))
    }
    #expect(peer.takeFrames().count == 300)
    // 100 calls a second × 2.3 × the floor of 10 ms; with the wait it were a hundred and more.
    #expect(fixture.server.admission.currentLimit <= 3)
  }
}
