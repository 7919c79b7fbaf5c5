internal import RPCKit
internal import ServiceKit
internal import Synchronization

/// The people with a role that came of an invitation by itself, and what they use.
///
/// Every permitted call is looked at, so memory alone says that most of them are nobody's first use. What is noted
/// is looked up in the store later, by the one who makes the role one like others.
final class FirstUses: Sendable {
  /// Something that a person was allowed to do to an entity.
  struct Use: Hashable, Sendable {
    let userID: String
    let entityID: String
  }

  private struct State {
    var people: Set<String> = []
    var uses: Set<Use> = []
  }

  /// Uses that wait at most; a further one is noted when it happens again.
  private static let waitingCountMax = 10_000

  private let count = Atomic(0)
  private let state = Lock(State())
  private let signal = WakeSignal()

  /// Has the uses of a person noted.
  func expect(_ userID: String) {
    state.withLock { state in
      state.people.insert(userID)
      count.store(state.people.count, ordering: .relaxed)
    }
  }

  /// A person has nothing left that was not used.
  func forget(_ userID: String) {
    state.withLock { state in
      state.people.remove(userID)
      count.store(state.people.count, ordering: .relaxed)
    }
  }

  func isExpected(of userID: String) -> Bool {
    guard count.load(ordering: .relaxed) > 0 else { return false }
    return state.withLock { $0.people.contains(userID) }
  }

  /// Notes that a person was allowed to do something to an entity.
  func note(_ userID: String, on entityID: String) {
    guard count.load(ordering: .relaxed) > 0 else { return }
    let isNews = state.withLock { state in
      guard state.people.contains(userID), state.uses.count < Self.waitingCountMax else {
        return false
      }
      return state.uses.insert(Use(userID: userID, entityID: entityID)).inserted
    }
    if isNews { signal.announce() }
  }

  /// The uses so far, which are not given again.
  func take() -> Set<Use> {
    state.withLock { state in
      defer { state.uses = [] }
      return state.uses
    }
  }

  /// Returns when something was noted, or when the task is cancelled.
  func wait() async {
    let version = signal.version
    guard state.withLock({ $0.uses.isEmpty }) else { return }
    await signal.wait(past: version)
  }
}
