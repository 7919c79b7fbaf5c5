internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// The directory of accounts: for names, and for purchases that name a user.
///
/// Any 128 bits are some user's reference in a store: zeros, that of another back end, and a store's samples name users
/// who do not exist.
protocol AccountDirectory: Sendable {
  /// The display names of those of the users who have an account; at most 1000 at a time.
  ///
  /// Throws when it cannot be determined.
  func names(of userIDs: [String]) async throws -> [String: String]

  /// A calling user as AuthService shows it to the user; nil if it does not soon.
  func profile(of user: UserIdentity) async -> Auth_V1.User?
}

extension AccountDirectory {
  /// Those of the users who have an account; at most 1000 at a time.
  ///
  /// Throws when it cannot be determined.
  func existing(of userIDs: [String]) async throws -> Set<String> {
    Set(try await names(of: userIDs).keys)
  }
}

/// The accounts of AuthService, asked for each time.
struct AuthAccountDirectory: AccountDirectory {
  private let users: Auth_V1.UsersClient

  /// Asks through a client whose channel proves which service is calling.
  init(_ users: Auth_V1.UsersClient) { self.users = users }

  func names(of userIDs: [String]) async throws -> [String: String] {
    let response = try await users.batchGet(
      Auth_V1.BatchGetUsersRequest(userIds: userIDs),
      timeout: .seconds(2)
    )
    return Dictionary(response.users.map { ($0.id, $0.displayName) }) { first, _ in first }
  }

  func profile(of user: UserIdentity) async -> Auth_V1.User? {
    try? await users.getMe(
      Auth_V1.GetMeRequest(allowPartialContext: true),
      options: CallOptions(timeout: .seconds(2)).acting(for: user)
    )
  }
}
