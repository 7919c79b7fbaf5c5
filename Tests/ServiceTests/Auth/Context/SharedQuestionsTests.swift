import RPCKit
import Testing

@testable import AuthService

/// Questions that several calls ask at once.
@Suite("Questions that calls share", .timeLimit(.minutes(1)))
struct SharedQuestionsTests {
  /// Answers with the number of the question, once it is let go; -1 to whoever gave up.
  private final class Peer: Sendable {
    private struct State {
      var count = 0
      var held: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    var count: Int { state.withLock { $0.count } }
    var heldCount: Int { state.withLock { $0.held.count } }

    func ask() async -> Int {
      let number = state.withLock { state in
        state.count += 1
        return state.count
      }
      await withCheckedContinuation { continuation in
        state.withLock { $0.held.append(continuation) }
      }
      return Task.isCancelled ? -1 : number
    }

    /// Answers the question that has waited the longest.
    func release() { state.withLock { $0.held.removeFirst() }.resume() }
  }

  private let peer: Peer
  private let questions: SharedQuestions<Int>

  init() {
    let peer = Peer()
    self.peer = peer
    questions = SharedQuestions { _ in await peer.ask() }
  }

  /// Begins to ask, and returns once somebody does or `waitingCount` calls wait.
  private func begin(_ key: String, waitingCount: Int = 0) async -> Task<Int, Never> {
    let (questions, heldCount) = (questions, peer.heldCount)
    let task = Task { await questions.answer(to: key) }
    while waitingCount == 0
      ? peer.heldCount == heldCount : questions.waitingCount(of: key) < waitingCount
    {
      await Task.yield()
    }
    return task
  }

  @Test("A hundred that come while one asks share one question, which is asked after they came")
  func answer_manyAtOnce_isAskedTwice() async {
    let first = await begin("a")
    var others: [Task<Int, Never>] = []
    for number in 1...100 { others.append(await begin("a", waitingCount: number)) }
    #expect(peer.count == 1)
    // What is asked of others has nothing to do with it.
    let other = await begin("b")
    #expect(peer.count == 2)
    peer.release()
    #expect(await first.value == 1)
    while peer.heldCount < 2 { await Task.yield() }
    #expect(questions.waitingCount(of: "a") == 0)
    peer.release()
    #expect(await other.value == 2)
    peer.release()
    for task in others { #expect(await task.value == 3) }
    #expect(peer.count == 3)
    let later = await begin("a")
    peer.release()
    #expect(await later.value == 4)
  }

  @Test("A call that gives up while it asks for others leaves them their answer")
  func answer_askerCancelled_isTheOthers() async {
    let first = await begin("a")
    let asker = await begin("a", waitingCount: 1)
    let other = await begin("a", waitingCount: 2)
    peer.release()
    #expect(await first.value == 1)
    while peer.heldCount < 1 { await Task.yield() }
    asker.cancel()
    peer.release()
    #expect(await other.value == 2)
    #expect(await asker.value == 2)
  }
}
