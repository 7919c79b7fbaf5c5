/// A single timer that may be set and cancelled from any thread.
public final class LoopTimer: TimerTarget, Sendable {
  private enum State {
    case waiting
    case done
  }

  private let loop: any EventLoop
  private let state = Lock(State.waiting)
  private let action: @Sendable () -> Void

  init(_ loop: any EventLoop, _ action: @escaping @Sendable () -> Void) {
    self.loop = loop
    self.action = action
  }

  /// Fires on the loop unless it was cancelled.
  public func timerFired(_ token: UInt64) {
    if end() { action() }
  }

  /// Makes sure that the action will not begin any more.
  public func cancel() {
    _ = end()
  }

  /// Ends the timer; false when it has ended already.
  private func end() -> Bool {
    state.withLock { state in
      defer { state = .done }
      return state == .waiting
    }
  }
}

extension EventLoop {
  /// Runs `action` on the loop once, after `span`.
  ///
  /// Callable from anywhere.
  ///
  /// A cancelled timer keeps its place in the wheel until it would have fired, so this is for rare,
  /// long timers and not for calls.
  public func after(_ span: Duration, _ action: @escaping @Sendable () -> Void) -> LoopTimer {
    let timer = LoopTimer(self, action)
    execute { [self] in _ = schedule(at: now.advanced(by: span), target: timer, token: 0) }
    return timer
  }

  /// Waits for `span` on this loop's clock; returns early when the task is cancelled.
  public func sleep(_ span: Duration) async {
    guard span > .zero else { return }
    let sleeper = Sleeper()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        sleeper.start(continuation)
        _ = after(span) { sleeper.wake() }
      }
    } onCancel: {
      sleeper.wake()
    }
  }
}

/// Resumes one continuation once, whichever of timer and cancellation comes first.
private final class Sleeper: Sendable {
  private struct State {
    var isAwake = false
    var continuation: CheckedContinuation<Void, Never>?
  }

  private let state = Lock(State())

  func start(_ continuation: CheckedContinuation<Void, Never>) {
    let isAwake = state.withLock { state in
      if !state.isAwake { state.continuation = continuation }
      return state.isAwake
    }
    if isAwake { continuation.resume() }
  }

  func wake() {
    let continuation = state.withLock { state in
      state.isAwake = true
      return state.continuation.take()
    }
    continuation?.resume()
  }
}
