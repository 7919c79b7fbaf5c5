import RPCKit

/// Notes calls of many clients with the order in which they began and ended.
final class HistoryRecorder<Operation: Sendable, Answer: Sendable>: Sendable {
  typealias Call = RecordedCall<Operation, Answer>

  private struct State {
    var tick = 0
    var calls: [Call] = []
  }

  private let state = Lock(State())

  /// What was noted so far.
  var calls: [Call] { state.withLock { $0.calls } }

  /// Makes a call and notes it; `body` gets its identifier and returns nil when the answer was lost.
  @discardableResult
  func record(
    _ operation: Operation,
    _ body: (_ id: Int) async throws -> Answer?
  ) async rethrows -> Answer? {
    let id = state.withLock { state in
      state.tick += 1
      let id = state.calls.count
      state.calls.append(Call(id: id, operation: operation, answer: nil, began: state.tick))
      return id
    }
    let answer = try await body(id)
    state.withLock { state in
      state.tick += 1
      state.calls[id].answer = answer
      if answer != nil { state.calls[id].ended = state.tick }
    }
    return answer
  }
}
