import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Repeated requests of those who have lost something since")
struct ReplayTests {
  private func rename(
    _ stage: TenancyStage,
    _ home: Building,
    _ name: String = "Flat",
    key: String = "k"
  ) async throws -> Tenancy_V1.Unit {
    try await stage.units.update(
      .init(unitId: home.unit, name: name, idempotencyKey: key),
      options: .by(home.manager)
    )
  }

  @Test("A manager who was removed gets the first answer again, byte for byte, and no new one")
  func replay_afterRoleRemoved_repeatsTheAnswer() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let first = try await rename(stage, home)
      _ = try await stage.properties.removeManager(
        .init(propertyId: home.property, userId: home.manager),
        options: .by(home.owner)
      )
      _ = try await stage.units.addTenant(
        .init(unitId: home.unit, userId: "usr_newcomer"),
        options: .by(home.owner)
      )
      let second = try await rename(stage, home)
      #expect(second.protobufBytes == first.protobufBytes)
      #expect(!second.tenantUserIds.contains("usr_newcomer"))
      let other = try await refusal { try await rename(stage, home, key: "other") }
      #expect(other == Refusal(.notFound, "NOT_FOUND"))
    }
  }

  @Test("Whoever takes a role of their own, or deletes something, is told so again")
  func replay_ofWhatTookTheRight_repeatsTheAnswer() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let (admin, owner) = (CallOptions.by(home.admin), CallOptions.by(home.owner))
      let deletion = Tenancy_V1.DeletePropertyRequest(
        propertyId: home.property,
        cascade: true,
        deleteDevices: true,
        idempotencyKey: "delete"
      )
      let deleted = try await stage.properties.delete(deletion, options: admin)
      #expect(try await stage.properties.delete(deletion, options: admin) == deleted)
      _ = try await stage.portfolios.addAdmin(
        .init(portfolioId: home.portfolio, userId: "usr_heir", role: "owner"),
        options: owner
      )
      let removal = Tenancy_V1.RemovePortfolioAdminRequest(
        portfolioId: home.portfolio,
        userId: home.owner,
        idempotencyKey: "remove"
      )
      let removed = try await stage.portfolios.removeAdmin(removal, options: owner)
      #expect(removed.removed == 1)
      #expect(try await stage.portfolios.removeAdmin(removal, options: owner) == removed)
    }
  }

  @Test("A suspended user gets no stored answer until the suspension is lifted")
  func replay_whileSuspended_isRefused() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let first = try await rename(stage, home)
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: "usr_root"),
        options: .byService("auth")
      )
      let root = CallOptions.by("usr_root")
      _ = try await stage.subjects.suspend(.init(userId: home.manager), options: root)
      let refused = try await refusal { try await rename(stage, home) }
      #expect(refused == Refusal(.permissionDenied, "SUBJECT_SUSPENDED"))
      _ = try await stage.subjects.resume(.init(userId: home.manager), options: root)
      #expect(try await rename(stage, home) == first)
    }
  }

  @Test("An operator who is one no more suspends nobody, however long the call has waited")
  func suspend_byFormerOperator_isRefused() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      for user in ["usr_root", "usr_other"] {
        _ = try await stage.associations.grantSuperAdmin(
          .init(userId: user),
          options: .byService("auth")
        )
      }
      let database = stage.service.database
      let hold = await WriterHold(database)
      let removal = await WriterHold.queue(in: database) {
        try? await stage.associations.revokeSuperAdmin(
          .init(userId: "usr_root"),
          options: .byService("auth")
        )
      }
      let suspension = await WriterHold.queue(in: database) {
        // Only refusals are awaited here.
        try? await refusal {
          try await stage.subjects.suspend(.init(userId: home.tenant), options: .by("usr_root"))
        }
      }
      try await hold.end()
      #expect(await removal.value?.removed == 1)
      #expect(await suspension.value == Refusal(.permissionDenied, "NO_ASSOCIATION"))
    }
  }
}
