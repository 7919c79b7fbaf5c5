internal import PeerContracts
internal import RPCKit

/// The other services' data about a user, as they send it.
struct ExportSources: Sendable {
  private let tenancy: Tenancy_V1.TenancyExportsClient
  private let entitlement: Entitlement_V1.EntitlementExportsClient

  /// How long one of them may take: much longer than the largest account does, and an end for a service that
  /// never answers.
  ///
  /// The caller's own deadline may come first.
  private static let options = CallOptions(timeout: .seconds(600))

  init(tenancy: Channel, entitlement: Channel) {
    self.tenancy = Tenancy_V1.TenancyExportsClient(tenancy)
    self.entitlement = Entitlement_V1.EntitlementExportsClient(entitlement)
  }

  /// Reads what TenancyService knows of a user, part by part.
  func readTenancy(
    _ userID: String,
    verifiedEmail: String,
    _ take: (_ section: String, _ records: [String]) async throws -> Void
  ) async throws {
    let request = Tenancy_V1.ExportUserRequest(userId: userID, verifiedEmail: verifiedEmail)
    for try await part in tenancy.exportUser(request, options: Self.options) {
      try await take(part.section, part.records)
    }
  }

  /// Reads what EntitlementService knows of a user, part by part.
  func readEntitlement(
    _ userID: String,
    _ take: (_ section: String, _ records: [String]) async throws -> Void
  ) async throws {
    let request = Entitlement_V1.ExportUserRequest(userId: userID)
    for try await part in entitlement.exportUser(request, options: Self.options) {
      try await take(part.section, part.records)
    }
  }
}
