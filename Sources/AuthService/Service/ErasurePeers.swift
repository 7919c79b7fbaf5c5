internal import Contracts
internal import RPCKit
internal import ServiceKit

/// The services that erase a user besides this one.
struct ErasurePeers: Sendable {
  private let tenancy: Tenancy_V1.ErasureClient
  private let entitlement: Entitlement_V1.HoldersClient

  /// How long a part of the work may take.
  private static let timeout = Duration.seconds(20)
  /// How long a question may take.
  private static let questionTimeout = Duration.seconds(2)

  init(tenancy: Channel, entitlement: Channel) {
    self.tenancy = Tenancy_V1.ErasureClient(tenancy)
    self.entitlement = Entitlement_V1.HoldersClient(entitlement)
  }

  /// Throws MUST_HAND_OVER for a user who is the last one with a role that somebody must have, and
  /// UNAVAILABLE when TenancyService cannot be asked.
  func requireNoSoleHolding(of userID: String) async throws {
    let answer: Tenancy_V1.ListSoleHoldingsResponse
    do {
      answer = try await tenancy.listSoleHoldings(
        .init(userId: userID),
        timeout: Self.questionTimeout
      )
    } catch {
      throw AuthError.contextUnavailable("role_associations", cause: error)
    }
    guard answer.count == 0 else {
      throw AuthError.mustHandOver(answer.holdings.map(\.entityId), count: Int(answer.count))
    }
  }

  /// Where a service is after a part of its work.
  enum Progress: Sendable {
    case goesOn(String)
    case finished
  }

  func eraseInTenancy(
    _ userID: String,
    as pseudonym: String,
    addresses: [String],
    from cursor: String
  ) async throws -> Progress {
    let answer = try await tenancy.eraseUser(
      .init(userId: userID, pseudonym: pseudonym, addresses: addresses, cursor: cursor),
      timeout: Self.timeout
    )
    return answer.finished ? .finished : .goesOn(answer.cursor)
  }

  func eraseInEntitlement(
    _ userID: String,
    as pseudonym: String,
    from cursor: String
  ) async throws -> Progress {
    let answer = try await entitlement.eraseUser(
      .init(userId: userID, pseudonym: pseudonym, cursor: cursor),
      timeout: Self.timeout
    )
    return answer.finished ? .finished : .goesOn(answer.cursor)
  }
}
