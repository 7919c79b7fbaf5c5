import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

@Suite("What operators read of a customer's roles")
struct OperatorReadTests {
  private static let (boss, customer) = ("usr_boss", "usr_customer")

  private func run(_ body: (TenancyStage) async throws -> Void) async throws {
    try await TenancyStage.run { stage in
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: Self.boss),
        options: .byService("auth")
      )
      _ = try await stage.portfolios.create(
        .init(name: "Home"),
        options: .by(Self.customer)
      )
      try await body(stage)
    }
  }

  private func roles(
    _ stage: TenancyStage,
    by user: String
  ) async throws -> [[Tenancy_V1.RoleAssociation]] {
    [
      try await stage.associations.listByUser(
        .init(userId: Self.customer),
        options: .by(user)
      ).associations,
      try await Tenancy_V1.RolesClient(stage.channel).listByUser(
        .init(userId: Self.customer),
        options: .by(user)
      ).associations,
    ]
  }

  @Test("An operator reads anybody's roles by both methods, and is recorded")
  func listByUser_byOperator_isAnsweredAndAudited() async throws {
    try await run { stage in
      for found in try await roles(stage, by: Self.boss) {
        #expect(found.map(\.role) == ["owner"])
      }
      let search = Tenancy_V1.TenancyAuditClient(stage.channel)
      let entries = try await search.search(
        .init(actor: "user:\(Self.boss)", object: Self.customer),
        options: .by(Self.boss)
      ).entries
      #expect(
        entries.map { "\($0.action) \($0.detail)" }
          == [
            "operator.read tenancy.v1.Roles.ListByUser",
            "operator.read tenancy.v1.Associations.ListByUser",
          ]
          .map { $0.replacing(".ListByUser", with: "/ListByUser") }
      )
    }
  }

  @Test("Others are told that they may ask about themselves only")
  func listByUser_byOthers_isRefused() async throws {
    try await run { stage in
      let refused = try await refusal { _ = try await roles(stage, by: "usr_other") }
      #expect(refused == Refusal(.permissionDenied, "NOT_SELF"))
      let search = try await refusal {
        try await Tenancy_V1.TenancyAuditClient(stage.channel).search(
          .init(),
          options: .by(Self.customer)
        )
      }
      #expect(search?.code == .permissionDenied)
    }
  }
}
