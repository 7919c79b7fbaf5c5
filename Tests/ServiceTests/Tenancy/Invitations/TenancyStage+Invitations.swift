import PeerContracts
import RPCKit
import TenancyContracts

@testable import ServiceTesting

extension TenancyStage {
  /// The building's manager invites a tenant.
  func inviteTenant(
    _ home: Building,
    email: String = ""
  ) async throws -> Tenancy_V1.CreateInvitationResponse {
    try await invitations.create(
      .init(entityId: home.unit, role: "tenant", email: email),
      options: .by(home.manager)
    )
  }
}
