public import PeerContracts
internal import RPCKit
internal import ServiceKit

/// The service to notify of deleted entities that may have subscriptions or points.
public protocol EntitlementHolders: Sendable {
  /// Ends all that the entity has, for good; ending it again is harmless.
  ///
  /// Throws `RPCError` for an attempt that is worth another one.
  func end(_ holderID: String) async throws
}

/// EntitlementService.
public struct RemoteEntitlementHolders: EntitlementHolders {
  private let holders: Entitlement_V1.HoldersClient

  /// Ends through a client whose channel proves which service is calling.
  public init(_ holders: Entitlement_V1.HoldersClient) { self.holders = holders }

  /// See `EntitlementHolders.end`.
  public func end(_ holderID: String) async throws {
    _ = try await holders.end(.init(holderId: holderID), timeout: .seconds(20))
  }
}
