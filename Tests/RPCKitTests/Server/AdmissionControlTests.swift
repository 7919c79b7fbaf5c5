import Testing

@testable import RPCKit

/// What the server begins, as a function of how many run and how long they took.
@Suite("Admission control")
struct AdmissionControlTests {
  /// Calls of one latency, a thousand in each window of 100 ms, on a clock of its own.
  private final class Stage {
    let control: AdmissionControl
    private var now = MonotonicInstant(nanoseconds: 1_000_000_000)

    init(
      runningMax: Int = 10_000,
      _ change: (inout AdmissionControl.Configuration) -> Void = { _ in }
    ) {
      var configuration = AdmissionControl.Configuration()
      change(&configuration)
      control = AdmissionControl(configuration, runningMax: runningMax, now: now)
    }

    /// Lets windows pass in which every call takes `milliseconds`.
    ///
    /// They end at the end of the window, whose first one closes it: the others count for the next.
    func serve(_ milliseconds: Int64, windows: Int = 1, callsPerWindow: Int = 1000) {
      for _ in 0..<windows {
        now = now.advanced(by: .milliseconds(100))
        for _ in 0..<callsPerWindow {
          _ = control.admit(.high)
          control.ended(latency: milliseconds * 1_000_000, now: now)
        }
      }
    }

    /// Admits calls of a priority until one is refused; says how many, and takes them back.
    func room(_ priority: MethodDescriptor.Priority) -> (count: Int, AdmissionControl.Decision) {
      var count = 0
      while true {
        let decision = control.admit(priority)
        guard decision == .admit else {
          for _ in 0..<count { control.ended(latency: nil, now: now) }
          return (count, decision)
        }
        count += 1
      }
    }
  }

  @Test("admits up to the fixed bound, and again when a handler returned")
  func admit_atTheFixedBound_refusesUntilOneReturns() {
    let stage = Stage(runningMax: 3) { $0.isAdaptive = false }
    for _ in 0..<3 { #expect(stage.control.admit(.high) == .admit) }
    #expect(stage.control.admit(.high) == .refuseFull)
    #expect(stage.control.runningCount == 3)
    stage.control.ended(latency: 1, now: MonotonicInstant(nanoseconds: 1))
    #expect(stage.control.admit(.high) == .admit)
    #expect(stage.control.admit(.high) == .refuseFull)
  }

  @Test("starts without an adaptive bound, and without samples keeps it")
  func limit_withoutSamples_isTheFixedBound() {
    let stage = Stage(runningMax: 600)
    #expect(stage.control.currentLimit == 600)
    #expect(stage.room(.high).count == 600)
    #expect(stage.control.currentLimit == 600)
    #expect(stage.control.runningCount == 0)
  }

  @Test("sets the bound to peak rate times the latency that is tolerated")
  func limit_steadyLoad_isRateTimesTolerance() {
    let stage = Stage()
    stage.serve(20, windows: 5)
    // 10,000 calls a second × (2.3 × 20 ms − 20 ms).
    #expect(abs(stage.control.currentLimit - 260) <= 1)
  }

  @Test("lowers the bound when calls get slower, never below its least, and raises it again")
  func limit_latencyRisesAndFalls_follows() {
    let stage = Stage { $0.limitMin = 40 }
    stage.serve(20, windows: 5)
    let steady = stage.control.currentLimit
    stage.serve(36, windows: 3)
    let slow = stage.control.currentLimit
    // 10,000 × (2.3 × 20 ms − 36 ms).
    #expect(abs(slow - 100) <= 1)
    stage.serve(90, windows: 3)
    #expect(stage.control.currentLimit == 40)
    stage.serve(20, windows: 3)
    #expect(abs(stage.control.currentLimit - steady) <= 1)
  }

  @Test("takes a lasting change of latency for the new normal after a while")
  func limit_latencyStaysHigher_isMeasuredAnew() {
    let stage = Stage()
    stage.serve(20, windows: 5)
    stage.serve(60, windows: 5)
    #expect(stage.control.currentLimit == 128)
    stage.serve(60, windows: 100)
    // 10,000 × (2.3 × 60 ms − 60 ms).
    #expect(abs(stage.control.currentLimit - 780) <= 1)
  }

  @Test("takes short latencies for batching and not for a reason to refuse")
  func limit_latencyBelowTheFloor_countsAsTheFloor() {
    let stage = Stage { $0.limitMin = 1 }
    stage.serve(1, windows: 5)
    // 10,000 × (2.3 × 10 ms − 1 ms).
    #expect(abs(stage.control.currentLimit - 220) <= 1)
  }

  @Test("forgets its peak rate slowly, and never passes the fixed bound")
  func limit_afterThePeak_decays() {
    let stage = Stage(runningMax: 1000) { $0.limitMin = 1 }
    stage.serve(20, windows: 5, callsPerWindow: 10_000)
    #expect(stage.control.currentLimit == 1000)
    stage.serve(20, windows: 200, callsPerWindow: 100)
    // 2,600 calls × 0.98²⁰⁰ is less than what the present rate gives.
    #expect(stage.control.currentLimit < 60)
    #expect(stage.control.currentLimit >= 26)
  }

  @Test("keeps two thirds for lists, five sixths for writes and all for checks")
  func admit_priorities_haveTheirShares() {
    let stage = Stage()
    stage.serve(20, windows: 5)
    let limit = stage.control.currentLimit
    for (priority, share) in [
      (MethodDescriptor.Priority.low, limit * 2 / 3), (.normal, limit * 5 / 6), (.high, limit),
    ] {
      let room = stage.room(priority)
      #expect(room.count == share)
      #expect(room.1 == .refuseOverloaded)
    }
    #expect(stage.control.runningCount == 0)
  }

  @Test("learns nothing from calls that were cut short, nor when it is not adaptive")
  func ended_withoutLatency_changesNothing() {
    let stage = Stage { $0.isAdaptive = false }
    stage.serve(500, windows: 10)
    #expect(stage.control.currentLimit == 10_000)
    let adaptive = Stage()
    for second: Int64 in 2..<10 {
      #expect(adaptive.control.admit(.low) == .admit)
      adaptive.control.ended(latency: nil, now: MonotonicInstant(nanoseconds: second << 30))
    }
    #expect(adaptive.control.currentLimit == 10_000 && adaptive.control.runningCount == 0)
  }

  @Test("loses no count when many threads ask at once")
  func admit_fromManyThreads_keepsCount() async {
    let stage = Stage(runningMax: 4) { $0.isAdaptive = false }
    let control = stage.control
    let (admitted, refused) = (Tally(), Tally())
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<5000 {
            if control.admit(.normal) == .admit {
              admitted.add()
              control.ended(latency: nil, now: MonotonicInstant(nanoseconds: 0))
            } else {
              refused.add()
            }
          }
        }
      }
    }
    #expect(admitted.value + refused.value == 40_000)
    #expect(control.runningCount == 0)
    #expect(stage.room(.high).count == 4)
  }
}
