/// A pause on an event loop's clock that a cancelled task leaves early.
final class RetryPause: TimerTarget, Sendable {
  private enum State {
    case waiting(CallContinuation<Bool>)
    case new
    case over
  }

  private let state = Lock(State.new)

  /// Waits; false when the task was cancelled.
  static func wait(_ pause: Duration, on loop: any EventLoop) async -> Bool {
    let waiter = RetryPause()
    let deadline = loop.now.advanced(by: pause)
    let outcome = await withTaskCancellationHandler {
      await CallContinuation<Bool>.suspend { continuation in
        let isCancelled = waiter.state.withLock { state in
          guard case .new = state else { return true }
          state = .waiting(continuation)
          return false
        }
        if isCancelled {
          continuation.resume(.success(false))
        } else {
          loop.execute { _ = loop.schedule(at: deadline, target: waiter, token: 0) }
        }
      }
    } onCancel: {
      waiter.end(false)
    }
    guard case .success(let isOver) = outcome else { return false }
    return isOver
  }

  func timerFired(_ token: UInt64) { end(true) }

  private func end(_ isOver: Bool) {
    let continuation = state.withLock { state -> CallContinuation<Bool>? in
      defer { state = .over }
      guard case .waiting(let continuation) = state else { return nil }
      return continuation
    }
    continuation?.resume(.success(isOver))
  }
}
