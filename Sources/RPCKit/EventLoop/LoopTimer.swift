/// A single timer that may be set and cancelled from any thread.
public final class LoopTimer: TimerTarget, Sendable {
  private enum State {
    case made
    case waiting(TimerID)
    case done
  }

  private let loop: any EventLoop
  private let state = Lock(State.made)
  private let action: @Sendable () -> Void

  init(_ loop: any EventLoop, _ action: @escaping @Sendable () -> Void) {
    self.loop = loop
    self.action = action
  }

  /// Fires on the loop unless it was cancelled.
  public func timerFired(_ token: UInt64) {
    if case .done = end() { return }
    action()
  }

  /// Makes sure that the action will no longer begin, and takes the timer off the loop.
  public func cancel() {
    guard case .waiting(let timer) = end() else { return }
    if loop.isCurrent {
      loop.cancel(timer)
    } else {
      loop.execute { [loop] in loop.cancel(timer) }
    }
  }

  /// Sets the timer, unless it was cancelled already; once.
  func start(after span: Duration) {
    loop.execute { [self] in
      let deadline = loop.now.advanced(by: span)
      state.withLock { state in
        guard case .made = state else { return }
        state = .waiting(loop.schedule(at: deadline, target: self, token: 0))
      }
    }
  }

  /// Ends the timer; returns what it was until then.
  private func end() -> State {
    state.withLock { state in
      defer { state = .done }
      return state
    }
  }
}

extension EventLoop {
  /// Runs `action` on the loop once, after `span`.
  ///
  /// Callable from anywhere.
  public func after(_ span: Duration, _ action: @escaping @Sendable () -> Void) -> LoopTimer {
    let timer = LoopTimer(self, action)
    timer.start(after: span)
    return timer
  }

  /// Waits for `span` on this loop's clock; returns early when the task is cancelled.
  public func sleep(_ span: Duration) async {
    guard span > .zero else { return }
    let sleeper = Sleeper()
    let timer = LoopTimer(self) { sleeper.wake() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        sleeper.start(continuation)
        timer.start(after: span)
      }
    } onCancel: {
      timer.cancel()
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
