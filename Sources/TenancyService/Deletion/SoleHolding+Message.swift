internal import PeerContracts

extension SoleHolding {
  /// The holding as it is sent.
  var message: Tenancy_V1.SoleHolding {
    Tenancy_V1.SoleHolding(entityId: entityID, entityType: entityType, role: role)
  }
}
