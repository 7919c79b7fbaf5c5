public import PeerContracts

/// The service that keeps points of families and children.
public protocol PointsDirectory: Sendable {
  /// The points of some holders, in their order.
  ///
  /// Throws `RPCError` when they are unavailable.
  func summaries(of holderIDs: [String]) async throws -> [Entitlement_V1.PointsSummary]
}

/// EntitlementService.
public struct RemotePointsDirectory: PointsDirectory {
  private let summaries: Entitlement_V1.PointsSummariesClient

  /// Asks through a client whose channel proves which service is calling.
  public init(_ summaries: Entitlement_V1.PointsSummariesClient) { self.summaries = summaries }

  /// See `PointsDirectory.summaries`.
  public func summaries(
    of holderIDs: [String]
  ) async throws -> [Entitlement_V1.PointsSummary] {
    try await summaries.get(.init(holderIds: holderIDs), timeout: .seconds(2)).summaries
  }
}
