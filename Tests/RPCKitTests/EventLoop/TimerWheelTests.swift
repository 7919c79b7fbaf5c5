import Testing

@testable import RPCKit

@Suite("The timer wheel")
struct TimerWheelTests {
  @Test("fires at the deadline's millisecond and not before")
  func timer_firesOnTime() {
    let wheel = WheelBox()
    wheel.schedule(1, after: 5_000_001)
    #expect(wheel.fired(at: 5_000_001) == [])
    #expect(wheel.fired(at: 5_999_999) == [])
    #expect(wheel.fired(at: 6_000_000) == [1])
    #expect(wheel.fired(at: 1_000_000_000) == [])
    #expect(wheel.count == 0)
  }

  @Test("fires a deadline in the past at its next tick", arguments: [Int64.min, -1, 0, 999_999])
  func pastDeadline_firesAtTheNextTick(nanoseconds: Int64) {
    let wheel = WheelBox()
    wheel.schedule(1, at: MonotonicInstant(nanoseconds: nanoseconds))
    #expect(wheel.fired(at: 999_999) == [])
    #expect(wheel.fired(at: 1_000_000) == [1])
  }

  @Test(
    "says when a timer would fire, to the nanosecond",
    arguments: [Int64.min, 0, 5_999_999, 6_000_000, 6_000_001, 63_999_999, 300_000_000_000]
  )
  func firing_isWhenItFires(nanoseconds: Int64) {
    let wheel = WheelBox()
    #expect(wheel.fired(at: 5_500_000) == [])
    let deadline = MonotonicInstant(nanoseconds: nanoseconds)
    let firing = wheel.firing(of: deadline)
    wheel.schedule(1, at: deadline)
    #expect(wheel.fired(at: firing.nanoseconds - 1) == [])
    #expect(wheel.fired(at: firing.nanoseconds) == [1])
  }

  @Test("never fires in the distant future, and says so without overflow")
  func distantFuture_waits() {
    let wheel = WheelBox()
    wheel.schedule(1, at: .distantFuture)
    #expect(wheel.fired(at: 400 * WheelBox.day) == [])
    #expect(wheel.fired(at: 80 * 365 * WheelBox.day) == [])
    #expect(wheel.count == 1)
    #expect(wheel.nextDeadline != nil)
  }

  @Test("forgets a cancelled timer, and ignores names of timers that are gone")
  func cancelledTimer_doesNotFire() {
    let wheel = WheelBox()
    let first = wheel.schedule(1, after: 2_000_000)
    wheel.cancel(first)
    #expect(wheel.count == 0 && wheel.nextDeadline == nil)
    // The second one gets the place of the first.
    let second = wheel.schedule(2, after: 2_000_000)
    #expect(first != second)
    wheel.cancel(first)
    wheel.cancel(.none)
    #expect(wheel.fired(at: 2_000_000) == [2])
    wheel.cancel(second)
    #expect(wheel.count == 0)
  }

  @Test("cancels any of several timers of one slot", arguments: 0..<4)
  func cancel_inASharedSlot_leavesTheOthers(place: Int) {
    let wheel = WheelBox()
    let timers = (0..<4).map { wheel.schedule(UInt64($0), after: 70_000_000) }
    wheel.cancel(timers[place])
    let rest = (0..<4).filter { $0 != place }.map { UInt64($0) }
    #expect(wheel.fired(at: 69_999_999) == [])
    #expect(wheel.fired(at: 70_000_000).sorted() == rest)
  }

  @Test("fires in the order of the deadlines however late it is asked")
  func lateAdvance_keepsTheOrder() {
    let wheel = WheelBox()
    let spans: [Int64] = [5, 70, 1, 4096, 64, 63, 300_000, 4095, 65]
    for span in spans { wheel.schedule(UInt64(span), after: span * 1_000_000) }
    #expect(wheel.fired(at: WheelBox.day) == spans.sorted().map { UInt64($0) })
  }

  /// A timer that crosses a boundary of 64ⁿ ticks was put into a slot far behind it: at the sixth
  /// level, which a process reaches after two years, it would have fired two years late.
  @Test(
    "fires on time across the boundaries of its levels",
    arguments: 1...6,
    [-2, -1, 0, 1, 63] as [Int64]
  )
  func boundary_isCrossedOnTime(level: Int, offset: Int64) {
    let boundary = Int64(1) << Int64(6 * level)
    for start in [boundary - 3, boundary - 1, boundary] {
      let wheel = WheelBox()
      #expect(wheel.fired(at: start * 1_000_000) == [])
      let tick = max(boundary + offset, start + 1)
      wheel.schedule(1, at: MonotonicInstant(nanoseconds: tick * 1_000_000))
      if let next = wheel.nextDeadline {
        #expect(next.nanoseconds <= tick * 1_000_000, "the loop would sleep too long")
      }
      #expect(wheel.fired(at: tick * 1_000_000 - 1) == [])
      #expect(wheel.fired(at: tick * 1_000_000) == [1], "from tick \(start) to \(tick)")
    }
  }

  @Test(
    "agrees with a sorted list over spans of a millisecond to years",
    arguments: UInt64(1)...20
  )
  func randomTimers_matchTheModel(seed: UInt64) {
    var random = SeededRandom(seed)
    let start = Int64.random(in: -1_000_000_000...1_000_000_000, using: &random)
    let wheel = WheelBox(start)
    var now = start
    var model: [UInt64: (deadline: Int64, tick: Int64, timer: TimerID)] = [:]
    var stale: [TimerID] = []
    for token in UInt64(0)..<700 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0...5:
        // Every order of magnitude up to 2⁵⁷ ns, which is four years.
        let span = Int64.random(
          in: -2...(1 << Int64.random(in: 1...57, using: &random)),
          using: &random
        )
        let deadline = now + span
        let tick = max((deadline - start + 999_999) / 1_000_000, (now - start) / 1_000_000 + 1)
        let timer = wheel.schedule(token, at: MonotonicInstant(nanoseconds: deadline))
        model[token] = (deadline, tick, timer)
      case 6:
        guard let token = model.keys.sorted().randomElement(using: &random) else { continue }
        guard let entry = model.removeValue(forKey: token) else { continue }
        wheel.cancel(entry.timer)
        stale.append(entry.timer)
      case 7:
        if let timer = stale.randomElement(using: &random) { wheel.cancel(timer) }
      default:
        let earliest = model.values.map(\.tick).min()
        if let earliest, let next = wheel.nextDeadline {
          #expect(next.nanoseconds <= start + earliest * 1_000_000, "the loop would sleep too long")
        }
        // To the wheel's own deadline, as a loop does, or anywhere.
        let jump = Int64.random(
          in: 0...(1 << Int64.random(in: 1...56, using: &random)),
          using: &random
        )
        let own = wheel.nextDeadline?.nanoseconds ?? now
        now = max(now, Bool.random(using: &random) ? own : now + jump)
        let tick = (now - start) / 1_000_000
        let due = model.filter { $0.value.tick <= tick }
        let fired = wheel.fired(at: now)
        guard fired.sorted() == due.keys.sorted() else {
          Issue.record("seed \(seed), token \(token): other timers fired")
          return
        }
        let ticks = fired.compactMap { due[$0]?.tick }
        #expect(ticks == ticks.sorted(), "out of order")
        #expect(due.values.allSatisfy { $0.deadline <= now }, "early")
        for token in fired {
          if let entry = model.removeValue(forKey: token) { stale.append(entry.timer) }
        }
      }
      #expect(wheel.count == model.count)
    }
  }
}

/// A wheel that expectations can ask.
private final class WheelBox {
  static let day: Int64 = 86_400_000_000_000

  private var wheel: TimerWheel
  /// Not the box itself, which the wheel would then hold for ever.
  private let target = Target()

  private final class Target: TimerTarget {
    func timerFired(_ token: UInt64) {}
  }

  init(_ start: Int64 = 0) {
    wheel = TimerWheel(now: MonotonicInstant(nanoseconds: start))
  }

  var count: Int { wheel.count }

  var nextDeadline: MonotonicInstant? { wheel.nextDeadline() }

  func firing(of deadline: MonotonicInstant) -> MonotonicInstant { wheel.firing(of: deadline) }

  @discardableResult
  func schedule(_ token: UInt64, at deadline: MonotonicInstant) -> TimerID {
    wheel.schedule(at: deadline, target: target, token: token)
  }

  @discardableResult
  func schedule(_ token: UInt64, after nanoseconds: Int64) -> TimerID {
    schedule(token, at: MonotonicInstant(nanoseconds: nanoseconds))
  }

  func cancel(_ timer: TimerID) { wheel.cancel(timer) }

  /// The tokens that became due, in the order in which they would fire.
  func fired(at nanoseconds: Int64) -> [UInt64] {
    var due: [TimerWheel.Due] = []
    wheel.popDue(at: MonotonicInstant(nanoseconds: nanoseconds), into: &due)
    return due.map(\.token)
  }
}
