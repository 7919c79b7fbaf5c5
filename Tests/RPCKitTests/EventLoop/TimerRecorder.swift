@testable import RPCKit

/// Notes which timers fired and how late.
///
/// `@unchecked Sendable`: used on its loop only.
final class TimerRecorder: TimerTarget, @unchecked Sendable {
  private let loop: any EventLoop
  private var deadlines: [UInt64: MonotonicInstant] = [:]
  private(set) var fired: [(token: UInt64, lateness: Int64)] = []
  var onFire: (UInt64) -> Void = { _ in }

  init(_ loop: any EventLoop) { self.loop = loop }

  /// Sets a timer so many milliseconds after `start`; they are its token too.
  @discardableResult
  func schedule(_ start: MonotonicInstant, _ milliseconds: Int) -> TimerID {
    let deadline = start.advanced(by: .milliseconds(milliseconds))
    deadlines[UInt64(milliseconds)] = deadline
    return loop.schedule(at: deadline, target: self, token: UInt64(milliseconds))
  }

  func timerFired(_ token: UInt64) {
    fired.append((token, deadlines[token]?.nanoseconds(to: loop.preciseNow) ?? -1))
    onFire(token)
  }
}
