internal import RPCKit

/// An event for a subscriber of the change log.
public enum ChangeEvent: Hashable, Sendable {
  /// The next change.
  case change(Change)
  /// Changes are missing between the last event and this revision: read the state again, at this
  /// revision or later; the changes after it follow.
  case resync(revision: Int64)
}

/// The newest committed changes of a store, and those who wait for more.
///
/// Subscribers hold a position, not a buffer: they read from the shared tail in memory, or from the
/// change log when they have fallen behind it. However many there are and however slow, memory stays
/// at `DatabaseConfiguration.recentChangeCountMax` changes, and a commit never waits for one.
final class ChangeFeed: Sendable {
  /// The next step of a subscriber at some position.
  enum Poll {
    /// These come next.
    case changes([Change])
    /// The next changes are no longer in memory; the newest revision is given.
    case behind(newest: Int64)
    /// Nothing is new.
    case wait
    /// The store is closed.
    case ended
  }

  private struct State {
    /// Every change after `tailStart`, in order.
    var tail: [Change] = []
    var tailStart: Int64 = 0
    var newest: Int64 = 0
    var hasEnded = false
  }

  private let state = Lock(State())
  /// Announces whatever changes `newest` or `hasEnded`.
  private let news = WakeSignal()
  private let tailCountMax: Int

  init(tailCountMax: Int) {
    self.tailCountMax = max(1, tailCountMax)
  }

  /// The newest committed revision.
  var newest: Int64 { state.withLock { $0.newest } }

  /// Starts with a store whose newest change is `revision`.
  func begin(at revision: Int64) {
    state.withLock { state in
      state.newest = revision
      state.tailStart = revision
    }
  }

  /// Adds changes that are durable.
  func publish(_ changes: [Change]) {
    guard let newest = changes.last?.revision else { return }
    state.withLock { state in
      state.tail += changes
      state.newest = newest
      // Half as much again, so that the front is not moved up at every commit.
      if state.tail.count > tailCountMax + tailCountMax / 2 {
        let surplus = state.tail.count - tailCountMax
        state.tailStart = state.tail[surplus - 1].revision
        state.tail.removeFirst(surplus)
      }
    }
    news.announce()
  }

  /// Tells everybody that no more will come.
  func end() {
    state.withLock { $0.hasEnded = true }
    news.announce()
  }

  /// The changes after `position`; at most `limit`.
  func poll(after position: Int64, limit: Int) -> Poll {
    state.withLock { state in
      guard position != state.newest else { return state.hasEnded ? .ended : .wait }
      guard position >= state.tailStart, position < state.newest else {
        return .behind(newest: state.newest)
      }
      let start = Self.firstIndex(after: position, in: state.tail)
      return .changes(Array(state.tail[start...].prefix(limit)))
    }
  }

  /// Sleeps until something is newer than `position`; returns early when the task is cancelled.
  func wait(after position: Int64) async {
    // Read before the state, so that nothing in between is missed.
    let version = news.version
    let isNothingNew = state.withLock { $0.newest == position && !$0.hasEnded }
    if isNothingNew { await news.wait(past: version) }
  }

  /// The place of the first change after `position`, found by halving.
  private static func firstIndex(after position: Int64, in changes: [Change]) -> Int {
    var low = 0
    var high = changes.count
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].revision <= position { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
