import LoadGenerator
import RPCKit
import Testing

/// An open loop on a manual clock: what a stall of the server does to the figures.
@Suite struct CoordinatedOmissionTests {
  private static let millisecond: Int64 = 1_000_000

  /// A server with `places`, which answers at once except between 400 and 500 ms.
  private struct Simulation {
    var pacer: ArrivalPacer
    var recorder: LoadRecorder
    var open: [Int64] = []
    let places: Int
    var dues: [Int64] = []

    init(places: Int, waitingMax: Int = 10_000) {
      let schedule = ArrivalSchedule(rate: 1000, isPoisson: false, share: 0, of: 1, seed: 1)
      let second = 1000 * millisecond
      pacer = ArrivalPacer(schedule, end: second, waitingMax: waitingMax)
      recorder = LoadRecorder(isOpenLoop: true, windowStart: 0, windowEnd: second)
      self.places = places
    }

    mutating func run() {
      for tick in 0..<12_000 {
        let now = Int64(tick) * millisecond / 10
        let isStalled = now >= 400 * millisecond && now < 500 * millisecond
        repeat {
          send(now)
          if !isStalled { answer(now) }
        } while !isStalled && pacer.waitingCount > 0
        if pacer.isDone, open.isEmpty { return }
      }
    }

    private mutating func send(_ now: Int64) {
      while true {
        switch pacer.takeDue(now, hasPlace: open.count < places) {
        case .due(let due):
          open.append(due)
          dues.append(due)
        case .dropped(let due):
          recorder.record(start: due, end: now, isSlow: false, .dropped)
        case .none:
          return
        }
      }
    }

    private mutating func answer(_ now: Int64) {
      for start in open { recorder.record(start: start, end: now, isSlow: false, .succeeded) }
      open = []
    }
  }

  @Test("A stall of 100 ms at 1,000/s shows in all 100 calls it delayed", arguments: [1, 8, 1000])
  func stall_ofServer_showsInEveryDelayedCall(places: Int) throws {
    var simulation = Simulation(places: places)
    simulation.run()
    let latencies = simulation.recorder.latencies
    #expect(latencies.count == 1000)
    let delayed = latencies.count - latencies.count(upTo: Self.millisecond / 2)
    #expect((99...101).contains(delayed))
    #expect(latencies.max == 100 * Self.millisecond)
    // Delays of 1 to 100 ms, evenly: half of those 10 % are above 50 ms.
    #expect(abs(Double(try #require(latencies.percentile(95))) / 1e6 - 50) < 2)
  }

  @Test("When calls are due does not depend on the server")
  func stall_ofServer_movesNoArrival() {
    var narrow = Simulation(places: 1)
    var wide = Simulation(places: 1000)
    narrow.run()
    wide.run()
    #expect(narrow.dues == wide.dues)
    #expect(narrow.dues == (0..<1000).map { Int64($0) * Self.millisecond })
    #expect((98...100).contains(narrow.pacer.waitedCount))
    #expect(wide.pacer.waitedCount == 0)
  }

  @Test("Calls beyond the backlog are dropped and counted as failures")
  func backlog_full_dropsAndCounts() {
    var simulation = Simulation(places: 1, waitingMax: 10)
    simulation.run()
    let dropped = simulation.recorder.failures.first { $0.outcome == .dropped }?.count ?? 0
    #expect((88...90).contains(dropped))
    #expect(simulation.recorder.succeededCount + dropped == 1000)
    #expect(simulation.pacer.waitingPeak == 10)
  }

  @Test(
    "Calls that were never sent are failures, and not among those sent; early ones are kept apart"
  )
  func failures_ofEachSort_areKeptApart() {
    var recorder = LoadRecorder(isOpenLoop: true, windowStart: 100, windowEnd: 200)
    recorder.record(start: 150, end: 900, isSlow: false, .unsent)
    recorder.record(start: 150, end: 900, isSlow: false, .unfinished)
    recorder.record(start: 5, end: 9, isSlow: false, .failed(.unimplemented), message: "no B")
    #expect(recorder.totalCount == 2)
    #expect(recorder.totalFailedCount == 3)
    #expect(recorder.failures.map(\.outcome) == [.unsent, .unfinished])
    #expect(
      recorder.unmeasuredFailures
        == [.init(outcome: .failed(.unimplemented), count: 1, example: "no B")]
    )
  }

  @Test("A call that is put back is first in line, at its own time")
  func putBack_call_isNextWithItsTime() {
    let schedule = ArrivalSchedule(rate: 1000, isPoisson: false, share: 0, of: 1, seed: 1)
    var pacer = ArrivalPacer(schedule, end: 3 * Self.millisecond, waitingMax: 5)
    let now = 10 * Self.millisecond
    #expect(pacer.takeDue(now, hasPlace: true) == .due(0))
    pacer.putBack(0)
    #expect(pacer.takeDue(now, hasPlace: true) == .due(0))
    #expect(pacer.takeDue(now, hasPlace: true) == .due(Self.millisecond))
    #expect(!pacer.isDone)
    #expect(pacer.takeDue(now, hasPlace: true) == .due(2 * Self.millisecond))
    #expect(pacer.isDone)
    #expect(pacer.takeDue(now, hasPlace: true) == .none)
  }

  @Test("A closed loop measures what began and ended in the window, an open loop what was due")
  func window_ofEachLoop_hasItsCalls() {
    for (isOpenLoop, expected) in [(false, UInt64(1)), (true, 2)] {
      var recorder = LoadRecorder(isOpenLoop: isOpenLoop, windowStart: 100, windowEnd: 200)
      recorder.record(start: 99, end: 150, isSlow: false, .succeeded)
      recorder.record(start: 100, end: 200, isSlow: false, .succeeded)
      recorder.record(start: 199, end: 900, isSlow: false, .succeeded)
      recorder.record(start: 200, end: 210, isSlow: false, .succeeded)
      #expect(recorder.succeededCount == expected)
      #expect(recorder.totalCount == 4)
    }
  }
}
