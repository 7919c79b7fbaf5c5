/// Messages on their way from a connection to the one task that consumes them.
///
/// Bounded by the peer's flow-control window, not by itself: anyone who pushes has checked the window.
/// `consumed` gets the cost of each message that the consumer took, so that credit can go back.
/// Safe from any thread; one consumer at a time.
final class MessageQueue<Element: Sendable>: Sendable {
  private struct Entry {
    var element: Element
    var byteCount: Int
  }

  private enum End {
    case success
    case failure(any Error)
  }

  private struct State {
    var entries: [Entry] = []
    /// The entries before this one were consumed already.
    var head = 0
    var end: End?
    var waiter: CheckedContinuation<Void, Never>?

    var waitingByteCount: Int { entries[head...].reduce(0) { $0 + $1.byteCount } }
  }

  private let state = Lock(State())
  private let consumed: @Sendable (_ byteCount: Int) -> Void

  init(consumed: @escaping @Sendable (_ byteCount: Int) -> Void) {
    self.consumed = consumed
  }

  /// Adds a message; ignored after the end.
  func push(_ element: Element, byteCount: Int) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.end == nil else { return nil }
      state.entries.append(Entry(element: element, byteCount: byteCount))
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Adds the end, after what is queued; the first end counts.
  ///
  /// A failure drops what is queued, because the consumer should not continue with a call that is
  /// over; returns how many bytes.
  @discardableResult
  func finish(_ error: (any Error)? = nil) -> Int {
    let (waiter, dropped) = state.withLock { state -> (CheckedContinuation<Void, Never>?, Int) in
      guard let error else {
        if state.end == nil { state.end = .success }
        return (state.waiter.take(), 0)
      }
      let dropped = state.waitingByteCount
      let dropsMessages = state.head < state.entries.count
      state.entries = []
      state.head = 0
      // An end that the consumer has not reached yet gives way to the failure.
      if state.end == nil || dropsMessages { state.end = .failure(error) }
      return (state.waiter.take(), dropped)
    }
    waiter?.resume()
    return dropped
  }

  /// Adds the failure that the peer ended with, after what is queued: it came behind the messages,
  /// which are whole and may be what the consumer waits for.
  ///
  /// The first end counts.
  func finishInOrder(_ error: any Error) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if state.end == nil { state.end = .failure(error) }
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Whether the consumer waits for something to be pushed.
  var isAwaited: Bool { state.withLock { $0.waiter != nil } }

  /// Bytes of messages that were pushed and not taken.
  var waitingByteCount: Int { state.withLock { $0.waitingByteCount } }

  /// The next message; nil at the end.
  ///
  /// Throws the failure, or `CancellationError` when the task is cancelled while it waits.
  func next() async throws -> Element? {
    while true {
      if let step = try takeStep() { return step.element }
      try Task.checkCancellation()
      await withTaskCancellationHandler {
        await waitForChange()
      } onCancel: {
        let waiter = state.withLock { $0.waiter.take() }
        waiter?.resume()
      }
    }
  }

  /// The step for a consumer that need not wait; an element of nil is the end.
  struct Step {
    var element: Element?
  }

  /// Takes what is there; nil when the consumer has to wait.
  ///
  /// Throws the failure that is the end.
  func takeStep() throws -> Step? {
    let entry = try state.withLock { state -> Entry?? in
      if state.head < state.entries.count {
        let entry = state.entries[state.head]
        state.head += 1
        if state.head == state.entries.count {
          state.entries.removeAll(keepingCapacity: true)
          state.head = 0
        } else if state.head >= 64, state.head * 2 >= state.entries.count {
          state.entries.removeFirst(state.head)
          state.head = 0
        }
        return .some(entry)
      }
      switch state.end {
      case .none: return nil
      case .success: return .some(nil)
      case .failure(let error): throw error
      }
    }
    guard let entry else { return nil }
    if let entry { consumed(entry.byteCount) }
    return Step(element: entry?.element)
  }

  private func waitForChange() async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        guard state.head == state.entries.count, state.end == nil, !Task.isCancelled else {
          return true
        }
        precondition(state.waiter == nil, "a stream of messages has one consumer")
        state.waiter = continuation
        return false
      }
      if isReady { continuation.resume() }
    }
  }
}
