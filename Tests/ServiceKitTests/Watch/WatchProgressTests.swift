import RPCKit
import Testing

@testable import ServiceKit

@Suite("What a follower does next")
struct WatchProgressTests {
  private func at(_ seconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
  }

  /// A lease of 10 s and pauses of 100 ms, 200 ms, … 5 s when the random number is the largest.
  private func progress() -> WatchProgress {
    WatchProgress(
      lease: .seconds(10),
      backOff: BackOff(initial: .milliseconds(100), maximum: .seconds(5))
    )
  }

  private func ended(
    _ progress: inout WatchProgress,
    _ ending: WatchProgress.Ending = .lost
  ) -> WatchProgress.Next {
    progress.ended(ending, random: .max)
  }

  @Test("The first event of all begins anew and is a proof, and so is every later one")
  func heard_first_beginsAnew() {
    var progress = progress()
    #expect(progress.lastHeard == nil && !progress.lease.isLive(at: at(0)))
    progress.open(at: at(1), isResumed: false)
    #expect(progress.heard(at: at(2)) == .init(beginsAnew: true))
    #expect(progress.lastHeard == at(2) && progress.lease.end == at(12))
    #expect(progress.heard(at: at(4)) == .init())
    #expect(progress.lease.end == at(14))
  }

  @Test(
    "A stream that follows within the lease goes on, and only its second event extends the lease"
  )
  func heard_resumedInTime_goesOn() {
    var progress = progress()
    progress.open(at: at(1), isResumed: false)
    _ = progress.heard(at: at(2))
    _ = ended(&progress)
    progress.open(at: at(5), isResumed: true)
    #expect(progress.heard(at: at(11)) == .init(isProof: false, isBack: true))
    #expect(progress.lease.end == at(12))
    #expect(progress.heard(at: at(11)) == .init())
    #expect(progress.lease.end == at(21))
  }

  @Test("A stream that is cut after each first event does not keep what is known alive")
  func heard_onlyFirstEvents_leaseEnds() {
    var progress = progress()
    progress.open(at: at(1), isResumed: false)
    _ = progress.heard(at: at(2))
    for second in Int64(3)...11 {
      _ = ended(&progress)
      progress.open(at: at(second), isResumed: true)
      #expect(progress.heard(at: at(second)).isProof == false)
    }
    #expect(!progress.lease.isLive(at: at(12)))
    _ = ended(&progress)
    progress.open(at: at(12), isResumed: true)
    #expect(progress.heard(at: at(12)) == .init(beginsAnew: true, isBack: true))
  }

  @Test("A stream that follows after the lease begins anew; so does one that is not resumed")
  func heard_afterLease_beginsAnew() {
    var progress = progress()
    progress.open(at: at(1), isResumed: false)
    _ = progress.heard(at: at(2))
    _ = ended(&progress, .credentialsExpired)
    progress.open(at: at(3), isResumed: true)
    #expect(progress.heard(at: at(12)).beginsAnew)
    // Late, but on the stream that was open all the time: nothing can be missing.
    #expect(progress.heard(at: at(40)) == .init())
    progress.open(at: at(41), isResumed: false)
    #expect(progress.heard(at: at(41)).beginsAnew)
  }

  @Test("Silence counts from the opening or the last event, and is over when something comes")
  func silenceEnd_follows() {
    var progress = progress()
    progress.open(at: at(1), isResumed: false)
    #expect(progress.silenceEnd == at(11))
    _ = progress.heard(at: at(5))
    #expect(progress.silenceEnd == at(15))
    _ = ended(&progress)
    progress.open(at: at(8), isResumed: true)
    #expect(progress.silenceEnd == at(18), "what the last stream said does not count")
  }

  @Test("Expired credentials are renewed without a pause, unless they were never good")
  func ended_credentialsExpired_reopens() {
    var progress = progress()
    progress.open(at: at(1), isResumed: false)
    #expect(
      ended(&progress, .credentialsExpired) == .pause(.milliseconds(100), isNews: true)
    )
    progress.open(at: at(2), isResumed: true)
    _ = progress.heard(at: at(2))
    #expect(ended(&progress, .credentialsExpired) == .reopen)
    progress.open(at: at(3), isResumed: true)
    // Nothing was heard on this one.
    #expect(
      ended(&progress, .credentialsExpired) == .pause(.milliseconds(100), isNews: true)
    )
  }

  @Test("Pauses double up to a bound, are news once, and begin small after something was heard")
  func ended_failures_backOff() {
    var progress = progress()
    var pauses: [Duration] = []
    for index in 0..<8 {
      progress.open(at: at(Int64(index)), isResumed: false)
      let ending = index.isMultiple(of: 2) ? WatchProgress.Ending.lost : .silent
      guard case .pause(let pause, let isNews) = ended(&progress, ending) else {
        Issue.record("a failure has no pause")
        return
      }
      pauses.append(pause)
      #expect(isNews == (index == 0))
    }
    #expect(pauses == [100, 200, 400, 800, 1600, 3200, 5000, 5000].map { .milliseconds($0) })
    #expect(progress.endings == [.lost: 4, .silent: 4])
    progress.open(at: at(20), isResumed: true)
    #expect(progress.heard(at: at(20)).isBack)
    #expect(!progress.heard(at: at(21)).isBack)
    #expect(ended(&progress) == .pause(.milliseconds(100), isNews: true))
    #expect(progress.ended(.lost, random: 0) == .pause(.zero, isNews: false), "full jitter")
  }
}
