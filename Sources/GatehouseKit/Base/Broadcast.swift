import Synchronization

/// A value of which any number of tasks get the present one at once and then each newer one.
///
/// A reader that is slow misses values in between and always gets the last.
final class Broadcast<Value: Sendable>: Sendable {
  private struct State {
    var value: Value
    var readers: [Int: AsyncStream<Value>.Continuation] = [:]
    var next = 0
  }

  private let state: Mutex<State>

  init(_ value: Value) {
    state = Mutex(State(value: value))
  }

  var value: Value { state.withLock(\.value) }

  func send(_ value: Value) {
    state.withLock { state in
      state.value = value
      for reader in state.readers.values { reader.yield(value) }
    }
  }

  var values: AsyncStream<Value> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let number = state.withLock { state in
        state.next += 1
        state.readers[state.next] = continuation
        continuation.yield(state.value)
        return state.next
      }
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { state in _ = state.readers.removeValue(forKey: number) }
      }
    }
  }
}
