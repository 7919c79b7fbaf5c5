internal import RPCKit
internal import ServiceKit

/// The silence of a stream of changes, for watchers that rely on being notified.
///
/// `never` → `hearing` ⇄ `silent` → `reported` → `hearing`.
final class Silence: Sendable {
  private enum State: Equatable {
    /// Nothing was heard yet.
    case never
    /// The stream is open and was heard from.
    case hearing
    /// The stream ended then, and has not been heard from since.
    case silent(since: MonotonicInstant)
    /// The silence has lasted for a lease, and that was reported.
    case reported
  }

  private let state = Lock(State.never)
  private let signal = WakeSignal()

  /// Whether anything was ever heard.
  var hasHeard: Bool { state.withLock { $0 != .never } }

  /// Something was heard.
  func heard() { state.withLock { $0 = .hearing } }

  /// The stream ended, or could not be opened again.
  func began(at now: MonotonicInstant) {
    state.withLock { if $0 == .hearing { $0 = .silent(since: now) } }
    signal.announce()
  }

  /// Calls `report` once for each silence that lasts for a lease, until the task is cancelled.
  func watch(
    for lease: Duration,
    on loop: any EventLoop,
    then report: @Sendable () -> Void
  ) async {
    while !Task.isCancelled {
      let version = signal.version
      guard case .silent(let since) = state.withLock({ $0 }) else {
        await signal.wait(past: version)
        continue
      }
      let rest = loop.now.duration(to: since.advanced(by: lease))
      if rest > .zero {
        await loop.sleep(rest)
      } else if endsUnheard(since) {
        report()
      }
    }
  }

  /// Whether the same silence still lasts; it is reported then.
  private func endsUnheard(_ since: MonotonicInstant) -> Bool {
    state.withLock { state in
      guard state == .silent(since: since) else { return false }
      state = .reported
      return true
    }
  }
}
