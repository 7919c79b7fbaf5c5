internal import RPCKit

/// Wakes those who work through what is in a store: who follow its changes, tell of revocations, or send mails.
///
/// They read what is new from the store: this only says that there may be something.
package final class WakeSignal: Sendable {
  private struct State {
    var version: UInt64 = 0
    var lastWaiter: UInt64 = 0
    var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Lock(State())

  /// Makes one that nobody waits for.
  package init() {}

  /// Counts announcements; read it before the store, and nothing in between is missed.
  package var version: UInt64 { state.withLock { $0.version } }

  /// There is something new, such as a session that was revoked or a mail that was queued.
  package func announce() {
    let waiters = state.withLock { state in
      state.version += 1
      defer { state.waiters = [:] }
      return state.waiters.values.map { $0 }
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Returns after the next announcement past `version`, or when the task is cancelled.
  package func wait(past version: UInt64) async {
    let id = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          guard state.version == version, !Task.isCancelled else { return true }
          state.waiters[id] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      wake(id)
    }
  }

  private func wake(_ id: UInt64) {
    let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
    waiter?.resume()
  }
}
