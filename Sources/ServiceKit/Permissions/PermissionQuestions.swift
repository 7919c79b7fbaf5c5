internal import PeerContracts
internal import RPCKit

/// Questions to TenancyService whose answers must not be older than they are, several in one call when many
/// come at once.
///
/// A question is asked by itself while fewer than two calls are under way. Those that come in the meantime wait
/// for one of them to end and then go together, so with many callers they share the price of a call, and with
/// few nobody waits.
final class PermissionQuestions: Sendable {
  typealias Question = Tenancy_V1.CheckRequest
  typealias Answer = Tenancy_V1.Decision

  /// Calls under way at a time.
  static let callCountMax = 2
  /// Questions in one call; `BatchCheck` takes a thousand.
  static let questionCountMax = 256

  private enum Turn: Sendable {
    case answered(Answer)
    /// To ask now, for others as well or for itself alone.
    case asks(with: [Waiting])
    /// To ask by itself, because a call for several has failed.
    case asksAlone
    case refused
  }

  private struct Waiting: Sendable {
    let question: Question
    let continuation: CheckedContinuation<Turn, Never>
  }

  private struct State {
    var callCount = 0
    var waiting: [Waiting] = []
  }

  private let state = Lock(State())
  private let waitingCountMax: Int
  private let ask: @Sendable ([Question]) async throws -> [Answer]

  /// `ask` gets at least one question, must end by itself, and answers in the order of the questions.
  init(
    waitingCountMax: Int,
    _ ask: @escaping @Sendable ([Question]) async throws -> [Answer]
  ) {
    self.waitingCountMax = waitingCountMax
    self.ask = ask
  }

  /// Questions that nobody asks yet.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// The answer to a question, asked after this was called; nil when too many wait.
  ///
  /// Throws what `ask` throws for this question alone.
  func answer(to question: Question) async throws -> Answer? {
    switch await turn(for: question) {
    case .answered(let answer): return answer
    case .asks(let others): return try await asked(question, with: others)
    case .asksAlone: return try await asked(question)
    case .refused: return nil
    }
  }

  private func turn(for question: Question) async -> Turn {
    await withCheckedContinuation { continuation in
      let turn = state.withLock { state -> Turn? in
        if state.callCount < Self.callCountMax {
          state.callCount += 1
          return .asks(with: [])
        }
        guard state.waiting.count < waitingCountMax else { return .refused }
        state.waiting.append(Waiting(question: question, continuation: continuation))
        return nil
      }
      if let turn { continuation.resume(returning: turn) }
    }
  }

  private func asked(_ question: Question) async throws -> Answer {
    guard let answer = try await ask([question]).first else {
      throw RPCError(.internal, "the permission service answered nothing")
    }
    return answer
  }

  /// Asks for others too, and lets the next ones ask when the answers are there.
  private func asked(_ question: Question, with others: [Waiting]) async throws -> Answer {
    defer { passOn() }
    guard !others.isEmpty else { return try await asked(question) }
    let questions = [question] + others.map(\.question)
    guard let answers = try? await ask(questions), answers.count == questions.count else {
      // One question can fail all of a call, and so can a caller who gives up.
      for other in others { other.continuation.resume(returning: .asksAlone) }
      return try await asked(question)
    }
    for (other, answer) in zip(others, answers.dropFirst()) {
      other.continuation.resume(returning: .answered(answer))
    }
    return answers[0]
  }

  /// Has one of those who wait ask for as many as fit into a call.
  private func passOn() {
    let next = state.withLock { state -> (asker: Waiting, others: [Waiting])? in
      guard let asker = state.waiting.first else {
        state.callCount -= 1
        return nil
      }
      let others = Array(state.waiting.prefix(Self.questionCountMax).dropFirst())
      state.waiting.removeFirst(others.count + 1)
      return (asker, others)
    }
    next?.asker.continuation.resume(returning: .asks(with: next?.others ?? []))
  }
}
