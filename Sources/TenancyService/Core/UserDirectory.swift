public import PeerContracts
internal import RPCKit
public import ServiceKit

/// The directory of accounts and display names.
public protocol UserDirectory: Sendable {
  /// Display names of those of the users who exist, by identifier; at most 1000 at a time.
  ///
  /// Throws when it cannot be determined.
  func displayNames(of userIDs: [String]) async throws -> [String: PersonName]

  /// The address of a user's account; nil when there is no such user.
  ///
  /// Throws when it cannot be determined.
  func address(of userID: String) async throws -> UserAddress?
}

/// The address of an account.
public struct UserAddress: Hashable, Sendable {
  /// The address.
  public let email: EmailAddress
  /// Whether its owner has proved to receive mail there.
  public let isVerified: Bool

  /// Makes an address.
  public init(_ email: EmailAddress, isVerified: Bool) {
    self.email = email
    self.isVerified = isVerified
  }
}

/// The directory of AuthService, asked each time.
public struct AuthUserDirectory: UserDirectory {
  private let users: Auth_V1.UsersClient

  /// Asks through a client whose channel proves which service is calling.
  public init(_ users: Auth_V1.UsersClient) { self.users = users }

  /// See `UserDirectory.displayNames`.
  public func displayNames(of userIDs: [String]) async throws -> [String: PersonName] {
    let response = try await users.batchGet(
      Auth_V1.BatchGetUsersRequest(userIds: userIDs),
      timeout: .seconds(2)
    )
    return Dictionary(
      response.users.map {
        // An AuthService that does not count changes yet has one version of each name.
        ($0.id, PersonName($0.displayName, version: max(1, Int64(clamping: $0.version))))
      }
    ) { first, _ in first }
  }

  /// See `UserDirectory.address`.
  public func address(of userID: String) async throws -> UserAddress? {
    do {
      let response = try await users.getAddress(
        Auth_V1.GetUserAddressRequest(userId: userID),
        timeout: .seconds(2)
      )
      return UserAddress(EmailAddress(response.email), isVerified: response.emailVerified)
    } catch let error as RPCError where error.code == .notFound {
      return nil
    }
  }
}
