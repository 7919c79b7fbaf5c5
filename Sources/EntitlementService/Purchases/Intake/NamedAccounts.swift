internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// The directory of accounts, for purchases that name a user.
///
/// Any 128 bits are some user's token: zeros, that of another back end, and Apple's samples name users who do
/// not exist.
protocol AccountDirectory: Sendable {
  /// Those of the users who have an account; at most 1000 at a time.
  ///
  /// Throws when it cannot be determined.
  func existing(of userIDs: [String]) async throws -> Set<String>
}

/// The accounts of AuthService, asked for each time.
struct AuthAccountDirectory: AccountDirectory {
  private let users: Auth_V1.UsersClient

  /// Asks through a client whose channel proves which service is calling.
  init(_ users: Auth_V1.UsersClient) { self.users = users }

  func existing(of userIDs: [String]) async throws -> Set<String> {
    let response = try await users.batchGet(
      Auth_V1.BatchGetUsersRequest(userIds: userIDs),
      timeout: .seconds(2)
    )
    return Set(response.users.map(\.id))
  }
}

/// The answers of one call about the users whom purchases name.
///
/// A transaction of the store cannot ask another service. What it needs to know and does not is noted, the
/// transaction is given up, and after the answer it begins anew.
final class NamedAccounts: Sendable {
  /// The state of a user.
  enum Presence {
    case exists, absent, cannotBeTold, notAsked
  }

  /// Users of one call that are asked for, at most.
  static let countMax = 1000

  private struct State {
    var known: [String: Presence] = [:]
    var wanted: Set<String> = []
  }

  private let state = Lock(State())

  /// The state of a user; a user who was not asked for is noted.
  func presence(of userID: String) -> Presence {
    state.withLock { state in
      if let known = state.known[userID] { return known }
      state.wanted.insert(userID)
      return .notAsked
    }
  }

  /// Whether everything that was needed is known.
  var isComplete: Bool { state.withLock { $0.wanted.isEmpty } }

  /// Asks for everybody who was noted.
  func ask(_ directory: any AccountDirectory) async {
    let wanted = Array(state.withLock(\.wanted).sorted().prefix(Self.countMax))
    let existing = try? await directory.existing(of: wanted)
    state.withLock { state in
      for userID in wanted {
        let presence: Presence = existing?.contains(userID) == true ? .exists : .absent
        state.known[userID] = existing == nil ? .cannotBeTold : presence
      }
      state.wanted = []
    }
  }
}

/// Whether a user has an account must be found out before the write can go on.
struct AccountsUndecided: Error {}
