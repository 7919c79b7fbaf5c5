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

/// A buyer and the subject that a purchase is for.
struct BuyerRight: Hashable, Sendable {
  var buyerID: String
  var subject: Subject
}

/// The questions of an intake to other services: which of the users whom purchases name exist, and which buyers may
/// still buy for the subjects of their purchases.
struct IntakeQuestions: Sendable {
  let accounts = NotedQuestions<String>()
  let rights = NotedQuestions<BuyerRight>()

  /// Users of one call that are asked for, at most.
  private static let accountCountMax = 1000
  /// Rights of one call that are asked for, at most.
  private static let rightCountMax = 100

  /// Whether everything that was needed is known.
  var isComplete: Bool { accounts.isComplete && rights.isComplete }

  /// Asks for everything that was noted.
  func ask(_ directory: any AccountDirectory, _ authorizer: SubjectAuthorizer) async {
    await accounts.ask(countMax: Self.accountCountMax) {
      try await directory.existing(of: $0.sorted())
    }
    await rights.ask(countMax: Self.rightCountMax) { rights in
      var held: Set<BuyerRight> = []
      for right in rights where try await authorizer.holds(right) { held.insert(right) }
      return held
    }
  }
}

extension SubjectAuthorizer {
  /// Whether a buyer may still buy for a subject; throws when that cannot be found out.
  func holds(_ right: BuyerRight) async throws -> Bool {
    guard let permission = right.subject.purchasePermission else { return true }
    do {
      return try await holds(permission, right.buyerID)
    } catch let error as RPCError
      where [.notFound, .permissionDenied, .invalidArgument].contains(error.code)
    {
      return false
    }
  }
}
