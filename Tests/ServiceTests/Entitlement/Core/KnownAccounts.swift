import PeerContracts
import RPCKit
import ServiceKit

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

  func names(of userIDs: [String]) async throws -> [String: String] {
    try state.withLock { state in
      state.asked.append(userIDs)
      if state.isDown { throw RPCError(.unavailable, "nobody answers") }
      let known = state.users.intersection(userIDs)
      return Dictionary(uniqueKeysWithValues: known.map { ($0, Self.name(of: $0)) })
    }
  }

  func profile(of user: UserIdentity) async -> Auth_V1.User? {
    state.withLock { state in
      guard !state.isDown, state.users.contains(user.userID) else { return nil }
      return Auth_V1.User(id: user.userID, displayName: Self.name(of: user.userID))
    }
  }

  /// The display name of a user.
  static func name(of userID: String) -> String { "Name of \(userID)" }
}
