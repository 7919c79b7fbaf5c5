import PeerContracts
import RPCKit
import Testing

@testable import ServiceKit

/// Questions that are asked together when many come at once.
@Suite("Questions that share a call", .timeLimit(.minutes(1)))
struct PermissionQuestionsTests {
  /// Holds calls until they are let go, and answers each question with its own subject.
  private final class Peer: Sendable {
    private struct State {
      var calls: [[String]] = []
      var held: [CheckedContinuation<Void, Never>] = []
      var failing: Set<String> = []
    }

    private let state = Lock(State())

    /// The subjects of each call, in the order of the calls.
    var calls: [[String]] { state.withLock { $0.calls } }
    var heldCount: Int { state.withLock { $0.held.count } }

    /// Has each call fail that asks about this subject.
    func fail(_ subject: String) { state.withLock { _ = $0.failing.insert(subject) } }

    func ask(_ questions: [Tenancy_V1.CheckRequest]) async throws -> [Tenancy_V1.Decision] {
      let subjects = questions.map(\.subjectId)
      state.withLock { $0.calls.append(subjects) }
      await withCheckedContinuation { continuation in
        state.withLock { $0.held.append(continuation) }
      }
      guard state.withLock({ $0.failing.isDisjoint(with: subjects) }) else {
        throw RPCError(.invalidArgument, "one of the questions is wrong")
      }
      return subjects.map { .init(allowed: true, role: $0) }
    }

    /// Answers the call that has waited the longest.
    func release() async {
      while heldCount == 0 { await Task.yield() }
      state.withLock { $0.held.removeFirst() }.resume()
    }
  }

  private let peer = Peer()
  private let questions: PermissionQuestions

  init() {
    questions = PermissionQuestions(waitingCountMax: 1000) { [peer] in try await peer.ask($0) }
  }

  /// Begins to ask, and returns once that is on its way or waits.
  private func begin(_ subject: String) async -> Task<String?, any Error> {
    let (questions, callCount, waitingCount) = (questions, peer.calls.count, questions.waitingCount)
    let task = Task { try await questions.answer(to: .init(subjectId: subject))?.role }
    while peer.calls.count == callCount, questions.waitingCount == waitingCount {
      await Task.yield()
    }
    return task
  }

  private func begin(_ subjects: [String]) async -> [Task<String?, any Error>] {
    var tasks: [Task<String?, any Error>] = []
    for subject in subjects { tasks.append(await begin(subject)) }
    return tasks
  }

  @Test("Two are asked at once, each by itself, and what comes meanwhile shares the next call")
  func answer_manyAtOnce_shareACall() async throws {
    let subjects = (0..<100).map { "usr_\($0)" }
    let tasks = await begin(subjects)
    #expect(peer.calls == [["usr_0"], ["usr_1"]] && questions.waitingCount == 98)
    await peer.release()
    while peer.calls.count < 3 { await Task.yield() }
    #expect(peer.calls[2] == Array(subjects[2...]) && questions.waitingCount == 0)
    // The second place is free again only when the second call ends.
    let late = await begin("usr_100")
    #expect(peer.calls.count == 3 && questions.waitingCount == 1)
    for _ in 0..<3 { await peer.release() }
    for (task, subject) in zip(tasks + [late], subjects + ["usr_100"]) {
      #expect(try await task.value == subject)
    }
    #expect(peer.calls.count == 4 && peer.calls[3] == ["usr_100"])
    // Both places are free.
    let later = await begin(["usr_1", "usr_2"])
    #expect(peer.calls.count == 6)
    for _ in 0..<2 { await peer.release() }
    for task in later { _ = try await task.value }
  }

  @Test("A question that fails the call of several fails alone")
  func answer_oneIsWrong_failsAlone() async throws {
    peer.fail("usr_3")
    let tasks = await begin((0..<6).map { "usr_\($0)" })
    for _ in 0..<2 { await peer.release() }
    // The shared call, and then each of its four questions by itself.
    for _ in 0..<5 { await peer.release() }
    for (number, task) in tasks.enumerated() {
      if number == 3 {
        await #expect(throws: RPCError.self) { try await task.value }
      } else {
        #expect(try await task.value == "usr_\(number)")
      }
    }
    #expect(peer.calls.count == 7 && peer.calls[2].count == 4)
    #expect(peer.calls[3...].allSatisfy { $0.count == 1 })
    let after = await begin("usr_9")
    await peer.release()
    #expect(try await after.value == "usr_9")
  }

  @Test("A call has no more questions than fit, and no more wait than may")
  func answer_tooMany_areRefused() async throws {
    let tasks = await begin((0..<1002).map { "usr_\($0)" })
    #expect(questions.waitingCount == 1000)
    #expect(try await questions.answer(to: .init(subjectId: "usr_x")) == nil)
    for _ in 0..<6 { await peer.release() }
    for (number, task) in tasks.enumerated() { #expect(try await task.value == "usr_\(number)") }
    #expect(
      peer.calls.map(\.count).sorted()
        == [1, 1, 1000 - 3 * PermissionQuestions.questionCountMax, 256, 256, 256]
    )
  }
}
