import RPCKit

@testable import EntitlementService

/// The part of AuthService that knows who has an account.
final class KnownAccounts: AccountDirectory {
  private struct State {
    var users: Set<String> = [ServiceFixture.anna, ServiceFixture.bert]
    var isDown = false
    var asked: [[String]] = []
  }

  private let state = Lock(State())

  /// Whether it does not answer.
  var isDown: Bool {
    get { state.withLock { $0.isDown } }
    set { state.withLock { $0.isDown = newValue } }
  }

  /// Whom it was asked for, in order.
  var asked: [[String]] { state.withLock { $0.asked } }

  func add(_ userID: String) { state.withLock { _ = $0.users.insert(userID) } }

  func remove(_ userID: String) { state.withLock { _ = $0.users.remove(userID) } }

  func existing(of userIDs: [String]) async throws -> Set<String> {
    try state.withLock { state in
      state.asked.append(userIDs)
      if state.isDown { throw RPCError(.unavailable, "nobody answers") }
      return state.users.intersection(userIDs)
    }
  }
}
