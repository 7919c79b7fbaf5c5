internal import CStoreSimulation

/// A thread of a simulated program.
@safe
final class SimulatedThread: @unchecked Sendable {
  /// An event that it waits for.
  @safe
  enum Wait {
    /// Its turn alone.
    case turn
    /// An instant, in microseconds.
    case time(Int64)
    /// A condition, for so long.
    case condition(until: Int64, () -> Bool)
    /// A post of a semaphore.
    case post(UnsafeRawPointer)
    /// Nothing any longer.
    case over
  }

  let number: Int
  let program: Program?
  var wait = Wait.turn
  /// The last connection that it used.
  var link: Link?
  private let place = unsafe CStoreSimulation_make_place()

  init(number: Int, program: Program?) {
    (self.number, self.program) = (number, program)
  }

  deinit { unsafe CStoreSimulation_leave(place) }

  /// Waits until it is woken; called by the thread itself.
  func park() { unsafe CStoreSimulation_park(place) }

  func wake() { unsafe CStoreSimulation_unpark(place) }

  /// Whether it may go on at an instant.
  func isReady(at now: Int64) -> Bool {
    switch wait {
    case .turn: true
    case .time(let end): end <= now
    case .condition(let end, let holds): end <= now || holds()
    case .post(let semaphore): unsafe CStoreSimulation_has_post(semaphore)
    case .over: false
    }
  }

  /// When it goes on by itself; nil if something else has to happen first.
  var end: Int64? {
    switch wait {
    case .time(let end), .condition(let end, _): end == .max ? nil : end
    case .turn, .post, .over: nil
    }
  }
}
