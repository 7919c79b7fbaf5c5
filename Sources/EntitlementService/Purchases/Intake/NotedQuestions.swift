internal import RPCKit

/// The answers of one call to questions that only another service can answer.
///
/// A transaction of the store cannot ask another service. What it needs to know and does not is noted, the
/// transaction is given up, and after the answer it begins anew.
final class NotedQuestions<Question: Hashable & Sendable>: Sendable {
  /// An answer.
  enum Answer {
    case yes, no, cannotBeTold, notAsked
  }

  private struct State {
    var known: [Question: Answer] = [:]
    var wanted: Set<Question> = []
  }

  private let state = Lock(State())

  /// The answer to a question; one that was not asked is noted.
  func answer(to question: Question) -> Answer {
    state.withLock { state in
      if let known = state.known[question] { return known }
      state.wanted.insert(question)
      return .notAsked
    }
  }

  /// Whether everything that was needed is known.
  var isComplete: Bool { state.withLock { $0.wanted.isEmpty } }

  /// Asks everything that was noted, at most `countMax` questions: `body` answers those that are true, and throws
  /// when it cannot tell.
  func ask(
    countMax: Int,
    _ body: ([Question]) async throws -> Set<Question>
  ) async {
    let wanted = Array(state.withLock(\.wanted).prefix(countMax))
    guard !wanted.isEmpty else { return }
    let right = try? await body(wanted)
    state.withLock { state in
      for question in wanted {
        let answer: Answer = right?.contains(question) == true ? .yes : .no
        state.known[question] = right == nil ? .cannotBeTold : answer
      }
      state.wanted = []
    }
  }
}

/// Something must be found out at another service before the write can go on.
struct IntakeUndecided: Error {}
