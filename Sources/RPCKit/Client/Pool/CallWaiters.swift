/// A call that waits for a connection.
struct CallWaiter: Sendable {
  let id: UInt64
  /// Waits through failures, until its deadline.
  let waitsForReady: Bool
  let continuation: CallContinuation<ClientConnection>
  /// Belongs to the pool's home loop.
  var timer = TimerID.none

  init(id: UInt64, waitsForReady: Bool, _ continuation: CallContinuation<ClientConnection>) {
    self.id = id
    self.waitsForReady = waitsForReady
    self.continuation = continuation
  }
}

/// Calls that wait for a connection, oldest first.
///
/// Anyone who removes one resumes it.
struct CallWaiters {
  private var waiters: [CallWaiter] = []
  private var lastID: UInt64 = 15

  var count: Int { waiters.count }
  var isEmpty: Bool { waiters.isEmpty }

  /// A number for a new waiter; the first sixteen name the pool's own timers.
  mutating func newID() -> UInt64 {
    lastID += 1
    return lastID
  }

  mutating func append(_ waiter: CallWaiter) { waiters.append(waiter) }

  func contains(_ id: UInt64) -> Bool { index(of: id) != nil }

  mutating func setTimer(_ timer: TimerID, of id: UInt64) {
    guard let index = index(of: id) else { return }
    waiters[index].timer = timer
  }

  mutating func removeFirst() -> CallWaiter? {
    waiters.isEmpty ? nil : waiters.removeFirst()
  }

  mutating func remove(_ id: UInt64) -> CallWaiter? {
    index(of: id).map { waiters.remove(at: $0) }
  }

  mutating func removeAll(where isRemoved: (CallWaiter) -> Bool) -> [CallWaiter] {
    let removed = waiters.filter(isRemoved)
    waiters.removeAll(where: isRemoved)
    return removed
  }

  private func index(of id: UInt64) -> Int? { waiters.firstIndex { $0.id == id } }
}
