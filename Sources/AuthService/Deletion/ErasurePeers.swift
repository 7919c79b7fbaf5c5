internal import PeerContracts
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
      throw ContextError.unavailable("role_associations", cause: error)
    }
    guard answer.count == 0 else {
      throw DeletionError.mustHandOver(answer.holdings.map(\.entityId), count: Int(answer.count))
    }
  }

  /// Tells TenancyService of an account; the version of the report that counts there, which is greater when
  /// this one came too late.
  ///
  /// Throws MUST_HAND_OVER, `refusingLast`, for a deletion of the last one with a role that somebody must have,
  /// and UNAVAILABLE when TenancyService cannot be determined.
  func tell(_ report: AccountReport, refusingLast: Bool) async throws -> Int64 {
    do {
      let answer = try await tenancy.setAccountState(
        .init(
          userId: report.userID,
          version: UInt64(clamping: report.version),
          disabled: report.isDisabled,
          deletionBegun: report.isDeletionBegun,
          refuseLast: refusingLast
        ),
        timeout: Self.questionTimeout
      )
      return Int64(clamping: answer.version)
    } catch let error as RPCError where error.reason == "MUST_HAND_OVER" {
      let metadata = error.errorInfo?.metadata ?? [:]
      let entities = metadata["entities"]?.split(separator: " ").map(String.init) ?? []
      throw DeletionError.mustHandOver(entities, count: Int(metadata["count"] ?? "") ?? 1)
    } catch {
      throw ContextError.unavailable("role_associations", cause: error)
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
