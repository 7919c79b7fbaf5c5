public import Contracts
internal import RPCKit

/// Who has an account, and what they want to be called.
public protocol UserDirectory: Sendable {
  /// Display names of those of the users who exist, by identifier; at most 1000 at a time.
  ///
  /// Throws when it cannot be told.
  func displayNames(of userIDs: [String]) async throws -> [String: String]
}

/// The directory of AuthService, asked each time.
public struct AuthUserDirectory: UserDirectory {
  private let users: Auth_V1.UsersClient

  /// Asks through a client whose channel proves which service is calling.
  public init(_ users: Auth_V1.UsersClient) { self.users = users }

  /// See `UserDirectory.displayNames`.
  public func displayNames(of userIDs: [String]) async throws -> [String: String] {
    let response = try await users.batchGet(
      Auth_V1.BatchGetUsersRequest(userIds: userIDs),
      timeout: .seconds(2)
    )
    return Dictionary(response.users.map { ($0.id, $0.displayName) }) { first, _ in first }
  }
}
