/// The place of one call in admission control: held while its handler works, given back while it
/// only waits, and gone exactly once.
///
/// Knows no clock and no counters; what a method returns is for its caller to count.
struct AdmissionSlot {
  /// Scopes of `CallContext.waiting` that the handler's tasks are in.
  private var depth: Int32 = 0
  /// Whether the handler has returned.
  private(set) var hasReturned = false
  private var waitStart = MonotonicInstant(nanoseconds: 0)
  /// How long the handler waited until now, in nanoseconds.
  private(set) var waitedNanoseconds: Int64 = 0

  /// Whether the handler waits now.
  var isWaiting: Bool { depth > 0 && !hasReturned }

  /// A task of the handler begins to wait; true when the slot is given back with that.
  mutating func beginWaiting(now: MonotonicInstant) -> Bool {
    depth += 1
    guard depth == 1, !hasReturned else { return false }
    waitStart = now
    return true
  }

  /// A task of the handler continues; true when the slot is taken again with that.
  mutating func endWaiting(now: MonotonicInstant) -> Bool {
    depth -= 1
    // A task that the handler left behind may continue after it: there is no slot to take then.
    guard depth == 0, !hasReturned else { return false }
    waitedNanoseconds += waitStart.nanoseconds(to: now)
    return true
  }

  /// The handler returned; true when that was in the middle of waiting, so that the slot has been
  /// given back already.
  mutating func end() -> Bool {
    precondition(!hasReturned, "a handler returns once")
    hasReturned = true
    return depth > 0
  }
}
