import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit

/// What becomes of calls when more come than the server can do, by a clock that its handlers move.
@Suite("Overload", .teardown)
struct OverloadTests {
  /// Calls at a fixed rate over some connections, however the server fares.
  private final class Load {
    struct Answer {
      var latency: Int64
      var code: Int32
    }

    let fixture: ServerFixture
    private var peers: [WirePeer] = []
    private var begun: [[UInt32: MonotonicInstant]] = []
    private(set) var answers: [[Answer]] = []
    private var next: UInt32 = 1

    private let method: String

    /// Each call takes `cost` of the loop, in its handler or in its fast path.
    init(
      _ fixture: ServerFixture,
      connectionCount: Int,
      cost: Duration,
      method: String = "Read"
    ) throws {
      self.fixture = fixture
      self.method = method
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
      let start = fixture.simulation.now
      var sent = Array(repeating: 0, count: peers.count)
      while true {
        try fixture.simulation.run(for: .microseconds(500))
        let elapsed = start.nanoseconds(to: fixture.simulation.now)
        guard elapsed < span.nanosecondsSaturated else { break }
        for (index, rate) in rates.enumerated() {
          let due = Int(Int64(rate) * elapsed / 1_000_000_000)
          while sent[index] < due {
            sent[index] += 1
            begun[index][next] = fixture.simulation.now
            peers[index].send(.call(next, method))
            next += 2
          }
          _ = peers[index].takeFrames()
        }
      }
      try fixture.simulation.run(for: .seconds(1))
    }

    /// Begins to count again.
    func forget() { answers = answers.map { _ in [] } }

    /// Calls that were sent and not answered.
    var unansweredCount: Int { begun.reduce(0) { $0 + $1.count } }

    var all: [Answer] { answers.flatMap { $0 } }
  }

  /// Counts the calls that were let in and that ended.
  private final class Witness: ServerInterceptor {
    private let counts = Lock((began: 0, ended: 0))

    var began: Int { counts.withLock { $0.began } }
    var ended: Int { counts.withLock { $0.ended } }

    func begin(_ call: CallContext) -> Interception {
      counts.withLock { $0.began += 1 }
      return .proceed
    }

    func ended(_ call: CallContext) { counts.withLock { $0.ended += 1 } }

    func forget() { counts.withLock { $0 = (0, 0) } }
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
  func overload_bySome_costsOnlyThem(floodCount: Int, method: String) throws {
    let fixture = try ServerFixture()
    let load = try Load(
      fixture,
      connectionCount: floodCount + 1,
      cost: .microseconds(500),
      method: method
    )
    try load.drive(Array(repeating: 100 / floodCount, count: floodCount) + [50], for: .seconds(1))
    load.forget()
    // Five times what the server can do, and a client that wants less than its share of that.
    let flood = Array(repeating: 10_000 / floodCount, count: floodCount)
    try load.drive(flood + [50], for: .seconds(2))
    let good = load.answers[floodCount]
    #expect(good.count >= 95 && good.allSatisfy { $0.code == 0 })
    // Its turn comes soon, but a simulated turn takes only a part of what has arrived.
    #expect(Self.percentile(0.99, good.map(\.latency)) <= 100_000_000)
    let refused = load.all.count { $0.code == 8 }
    #expect(refused >= 10_000 && load.all.count - refused >= 2 * 2000 * 95 / 100)
    // Those that gave way were answered once, counted, and left no place taken.
    #expect(load.unansweredCount == 0 && fixture.slots == [0, 0])
    #expect(fixture.metrics.server.shed(.overloaded).value == UInt64(refused))
    #expect(fixture.runningHandlersGauge == 0)
  }

  @Test("a waiting stream that gives way ends, and its interceptors hear of it")
  func stream_givingWay_ends() throws {
    let witness = Witness()
    let fixture = try ServerFixture(interceptors: [witness]) {
      $0.admission.limitMin = 12
      $0.admission.window = .milliseconds(1)
    }
    let (flood, good) = (try fixture.connectExtended(), try fixture.connectExtended())
    let loop = fixture.loop
    for id: UInt32 in [1, 3, 5, 7] {
      try fixture.simulation.run(for: .milliseconds(5))
      _ = try fixture.exchange(good, .call(id, "Echo"))
    }
    #expect(fixture.server.admission.currentLimit == 12)
    witness.forget()
    // A turn has time for three of the ten that may begin, and there are more than twice as many. Streams
    // of low priority leave some places free, which the first good calls of a round take.
    fixture.service.onStart = { _ in loop.spend(.milliseconds(2)) }
    for round: UInt32 in 0..<20 {
      for index: UInt32 in 0..<20 {
        flood.send(.call((round * 20 + index) * 2 + 1, "Watch", flags: 1))
      }
      for index: UInt32 in 0..<4 { good.send(.call((round * 4 + index) * 2 + 101, "Echo")) }
      try fixture.simulation.run(for: .milliseconds(10))
    }
    try fixture.simulation.run(for: .seconds(1))
    #expect(good.takeFrames().compactMap(\.outcome?.code) == Array(repeating: 0, count: 80))
    let refused = flood.takeFrames().compactMap(\.outcome?.code).count { $0 == 8 }
    let served = fixture.service.started.count - 84
    #expect(refused + served == 400)
    #expect(fixture.metrics.server.shed(.overloaded).value == UInt64(refused))
    // Some were let in and never ran.
    #expect(witness.began > served + 80)
    #expect(witness.ended == witness.began)
    #expect(fixture.slots == [0, 0] && fixture.server.streamingCallCount == 0)
  }

  @Test("what one loop has too much of is not refused on another, up to its part")
  func overload_ofOneLoop_leavesItsPartToTheOther() throws {
    let fixture = try ServerFixture(loopCount: 2) {
      $0.admission.limitMin = 8
      $0.admission.window = .milliseconds(1)
    }
    let (flood, other) = (try fixture.connectExtended(), try fixture.connectExtended())
    for id: UInt32 in [1, 3, 5, 7] {
      try fixture.simulation.run(for: .milliseconds(5))
      #expect(try fixture.exchange(flood, .call(id, "Echo")).count == 1)
    }
    #expect(fixture.server.admission.currentLimit == 8)
    var next: UInt32 = 101
    func hold(_ peer: WirePeer, _ count: Int) throws -> Int {
      for _ in 0..<count {
        peer.send(.call(next, "Read", .init(context: "hold")))
        next += 2
      }
      try fixture.simulation.settle()
      return peer.takeFrames().compactMap(\.outcome?.code).count { $0 == 8 }
    }
    #expect(try hold(flood, 20) == 12)
    #expect(try hold(other, 6) == 2)
    #expect(fixture.slots == [12, 0])
    fixture.service.release()
    try fixture.simulation.settle()
    #expect(fixture.slots == [0, 0])
    #expect(try hold(flood, 8) == 0 && hold(other, 8) == 0)
  }

  @Test("the list of waiting calls stays short although it is never empty")
  func closedLoop_longerThanATurn_keepsTheListShort() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connectExtended()
    let loop = fixture.loop
    let workers = fixture.server.resources[0].workers
    let longest = Lock(0)
    fixture.service.onStart = { _ in
      loop.spend(.milliseconds(1))
      longest.withLock { $0 = max($0, workers.placeCount) }
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
