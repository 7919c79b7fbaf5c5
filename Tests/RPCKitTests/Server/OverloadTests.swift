import Contracts
import RPCKitTesting
import Testing

@testable import RPCKit

/// What becomes of calls when more come than the server can do, by a clock that its handlers move.
@Suite("Overload")
struct OverloadTests {
  /// Calls at a fixed rate over some connections, however the server fares.
  ///
  /// `@unchecked Sendable`: confined to the simulation's thread.
  private final class Load: TimerTarget, @unchecked Sendable {
    struct Answer {
      var latency: Int64
      var code: Int32
    }

    let fixture: ServerFixture
    private var peers: [WirePeer] = []
    private var begun: [[UInt32: MonotonicInstant]] = []
    private(set) var answers: [[Answer]] = []
    private var next: UInt32 = 1
    private let clock: SimulatedEventLoop
    private let method: String
    private var rates: [Int] = []
    private var sent: [Int] = []
    private var start = MonotonicInstant(nanoseconds: 0)
    private var end = MonotonicInstant(nanoseconds: 0)

    /// Each call takes `cost` of the loop, in its handler or in its fast path.
    init(
      _ fixture: ServerFixture,
      connectionCount: Int,
      cost: Duration,
      method: String = "Read"
    ) throws {
      self.fixture = fixture
      self.method = method
      clock = fixture.simulation.loop("load")
      let loop = fixture.loop
      fixture.service.onStart = { _ in loop.spend(cost) }
      fixture.service.immediate = { _, _ in
        loop.spend(cost)
        return ScriptedService.Response()
      }
      for index in 0..<connectionCount {
        let peer = try fixture.connectExtended()
        begun.append([:])
        answers.append([])
        peer.onFrame = { [unowned self] frame in note(frame, index) }
        peers.append(peer)
      }
    }

    private func note(_ frame: WireFrame, _ index: Int) {
      guard let outcome = frame.outcome, let start = begun[index].removeValue(forKey: frame.stream)
      else { return }
      let latency = start.nanoseconds(to: fixture.simulation.now)
      answers[index].append(Answer(latency: latency, code: outcome.code))
    }

    /// Sends `rates` calls a second, one number for each connection.
    func drive(_ rates: [Int], for span: Duration) throws {
      self.rates = rates
      sent = Array(repeating: 0, count: peers.count)
      start = fixture.simulation.now
      end = start.advanced(by: span)
      clock.execute { [self] in timerFired(0) }
      try fixture.simulation.run(for: span + .seconds(1))
    }

    /// A timer of a loop of its own, because a busy server must not hold up who asks.
    func timerFired(_ token: UInt64) {
      let now = fixture.simulation.now
      guard now < end else { return }
      for (index, rate) in rates.enumerated() {
        let due = Int(Int64(rate) * start.nanoseconds(to: now) / 1_000_000_000)
        while sent[index] < due {
          sent[index] += 1
          begun[index][next] = now
          peers[index].send(.call(next, method))
          next += 2
        }
        _ = peers[index].takeFrames()
      }
      _ = clock.schedule(at: now.advanced(by: .microseconds(500)), target: self, token: 0)
    }

    /// Begins to count again.
    func forget() { answers = answers.map { _ in [] } }

    var all: [Answer] { answers.flatMap { $0 } }
  }

  private static func percentile(_ share: Double, _ latencies: [Int64]) -> Int64 {
    let sorted = latencies.sorted()
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
  }

  @Test(
    "at a multiple of its capacity a server does all it can, soon, and refuses the rest at once",
    arguments: [2, 5],
    ["Read", "Ask"]
  )
  func overload_multipleOfCapacity_keepsGoodputAndRefusesSoon(
    multiple: Int,
    method: String
  ) throws {
    let fixture = try ServerFixture()
    let load = try Load(
      fixture,
      connectionCount: 4,
      cost: .microseconds(500),
      method: method
    )
    let capacity = 2000
    // A server that has not learned yet what it can do takes everything.
    try load.drive(Array(repeating: capacity / 8, count: 4), for: .seconds(1))
    #expect(load.all.allSatisfy { $0.code == 0 })
    load.forget()
    try load.drive(Array(repeating: capacity * multiple / 4, count: 4), for: .seconds(2))
    let good = load.all.filter { $0.code == 0 }
    let refused = load.all.filter { $0.code == 8 }
    #expect(good.count + refused.count == load.all.count)
    #expect(good.count >= capacity * 2 * 95 / 100)
    #expect(refused.count >= capacity * 2 * (multiple - 1) * 9 / 10)
    // Admitted ones wait for the 128 that the limit always lets in. The others wait for some turns of
    // 5 ms, because a simulated turn takes only a part of what has arrived.
    #expect(Self.percentile(0.99, good.map(\.latency)) <= 200_000_000)
    #expect(Self.percentile(0.99, refused.map(\.latency)) <= 80_000_000)
    #expect(Self.percentile(0.5, refused.map(\.latency)) <= 25_000_000)
  }

  @Test(
    "clients that flood cost others neither their calls nor their time",
    arguments: [1, 20],
    ["Read", "List", "Ask"]
  )
  func overload_ofSome_isTheirsAlone(floodCount: Int, method: String) throws {
    let fixture = try ServerFixture()
    let load = try Load(
      fixture,
      connectionCount: floodCount + 1,
      cost: .microseconds(500),
      method: method
    )
    let quiet = Array(repeating: 100 / floodCount, count: floodCount)
    try load.drive(quiet + [100], for: .seconds(1))
    load.forget()
    // Five times what the server can do, and beside it a client that wants a twentieth of that.
    let flood = Array(repeating: 10_000 / floodCount, count: floodCount)
    try load.drive(flood + [100], for: .seconds(2))
    let good = load.answers[floodCount]
    #expect(good.count >= 190 && good.allSatisfy { $0.code == 0 })
    // Its turn comes soon, but a simulated turn takes only a part of what has arrived.
    #expect(Self.percentile(0.99, good.map(\.latency)) <= 100_000_000)
    #expect(load.all.count { $0.code == 8 } > 10_000)
    #expect(load.all.count { $0.code == 0 } >= 2 * 2000 * 95 / 100)
  }

  @Test("a burst of one client is begun as a whole, up to a bound")
  func burst_ofOneClient_begins() throws {
    let fixture = try ServerFixture()
    let load = try Load(fixture, connectionCount: 1, cost: .microseconds(1))
    // By then the server has learned that few calls come.
    try load.drive([100], for: .seconds(1))
    #expect(fixture.server.admission.currentLimit == 128)
    let peer = try fixture.connectExtended()
    for index: UInt32 in 0..<500 {
      peer.send(.call(index * 2 + 1, "List", .init(context: "hold")))
    }
    try fixture.simulation.settle()
    #expect(peer.takeFrames().isEmpty && fixture.service.runningCount == 500)
    for index: UInt32 in 500..<600 {
      peer.send(.call(index * 2 + 1, "List", .init(context: "hold")))
    }
    try fixture.simulation.run(for: .seconds(1))
    #expect(fixture.service.runningCount == 512)
    #expect(peer.takeFrames().compactMap(\.outcome).count { $0.code == 8 } == 88)
    fixture.service.release()
    try fixture.simulation.settle()
    #expect(peer.takeFrames().compactMap(\.outcome).count { $0.code == 0 } == 512)
    #expect(fixture.server.admission.runningCount == 0)
  }

  @Test("a connection is not read from for a moment after a call of it was refused")
  func refusal_ofACall_pausesReading() throws {
    let fixture = try ServerFixture {
      $0.admission.limitMin = 4
      $0.admission.burst = 0
      $0.admission.window = .milliseconds(1)
    }
    let (peer, other) = (try fixture.connectExtended(), try fixture.connectExtended())
    for id: UInt32 in [1, 3, 5, 7] {
      try fixture.simulation.run(for: .milliseconds(5))
      #expect(try fixture.exchange(peer, .call(id, "Echo")).count == 1)
    }
    for index: UInt32 in 0..<10 {
      peer.send(.call(index * 2 + 101, "Echo", .init(context: "hold")))
    }
    // Pauses end: each is read in the end.
    try fixture.simulation.run(for: .milliseconds(100))
    #expect(fixture.service.runningCount == 3 && peer.takeFrames().count == 7)
    #expect(try fixture.exchange(peer, .call(201, "Echo")).compactMap(\.outcome?.code) == [8])
    #expect(try fixture.exchange(peer, .call(203, "Echo")).isEmpty)
    #expect(try fixture.exchange(other, .call(1, "Echo")).compactMap(\.outcome?.code) == [0])
    #expect(fixture.server.resources[0].pausedCount == 1)
    try fixture.simulation.run(for: .milliseconds(2))
    #expect(peer.takeFrames().compactMap(\.outcome?.code) == [8])
    // Closed in the middle of a pause.
    peer.close()
    fixture.service.release()
    try fixture.simulation.run(for: .seconds(1))
    #expect(fixture.server.resources[0].pausedCount == 0)
    #expect(try fixture.exchange(other, .call(3, "Echo")).compactMap(\.outcome?.code) == [0])
  }

  @Test("the queue of waiting calls stays short although it is never empty")
  func closedLoop_longerThanATurn_keepsTheListShort() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connectExtended()
    let loop = fixture.loop
    let workers = fixture.server.resources[0].workers
    let longest = Lock(0)
    fixture.service.onStart = { _ in
      loop.spend(.milliseconds(1))
      longest.withLock { $0 = max($0, workers.queue.placeCount) }
    }
    var next: UInt32 = 1
    func call() {
      guard next < 4000 else { return }
      peer.send(.call(next, "Echo"))
      next += 2
    }
    peer.onFrame = { _ in call() }
    for _ in 0..<100 { call() }
    try fixture.simulation.run(for: .seconds(10))
    #expect(peer.takeFrames().count == 2000)
    #expect(longest.withLock { $0 } < 300)
  }

  @Test("answers leave while calls that came with them still wait for their handlers")
  func burst_longerThanATurn_isAnsweredAsItGoes() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connectExtended()
    let loop = fixture.loop
    var startedAtFirstAnswer: Int?
    fixture.service.onStart = { _ in loop.spend(.milliseconds(1)) }
    peer.onFrame = { _ in
      startedAtFirstAnswer = startedAtFirstAnswer ?? fixture.service.started.count
    }
    for index in 0..<60 { peer.send(.call(UInt32(index * 2 + 1), "Echo")) }
    try fixture.simulation.settle()
    // All of them end, although nothing new comes that could wake a worker.
    #expect(peer.takeFrames().count == 60)
    #expect(try #require(startedAtFirstAnswer) < 30)
  }

  @Test("calls left over by a worker that had waited itself are begun in the next turn")
  func leftOver_afterAResumedHandler_begins() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connectExtended()
    let loop = fixture.loop
    let sleeper = Benchmark_V1.CheckRequest(context: "sleep=10")
    fixture.service.onStart = { _ in loop.spend(.milliseconds(3)) }
    _ = try fixture.exchange(peer, .call(1, "Echo", sleeper))
    for index in 1...20 { peer.send(.call(UInt32(index * 2 + 1), "Echo", sleeper)) }
    try fixture.simulation.run(for: .seconds(1))
    #expect(peer.takeFrames().count == 21)
  }
}
