import PeerContracts
import TenancyContracts
import Glibc
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

extension EndToEndTests {
  @Suite("Upgrades of stores in which roles were given by address")
  struct RoleUpgradeTests {
    private static let unitCount = 60

    /// Makes the store of TenancyService, which is stopped, one of the version before the review.
    private func downgrade(_ home: Installation) async throws {
      let database = try await Database.open(
        DatabaseConfiguration(
          path: home.folder.file("tenancy.db"),
          applicationID: TenancySchema.applicationID
        ),
        migrations: TenancySchema.migrations
      )
      try await database.write { tx in
        for statement in [
          "DROP INDEX pairing_code_by_addition", "ALTER TABLE pairing_code DROP COLUMN added",
          "DROP TABLE webhook", "DROP TABLE webhook_event", "DROP TABLE webhook_delivery",
          "DROP TABLE bridge",
          "DROP TABLE webhook_attempt", "DROP INDEX association_by_end",
          "DROP INDEX association_by_start",
          "DROP INDEX entity_by_root", "DROP INDEX entity_by_type",
          "DROP INDEX entity_deletion_by_user", "DROP INDEX entity_deletion_under_way",
          "DROP TABLE ended_family_part", "DROP INDEX invitation_pending_by_root",
          "ALTER TABLE invitation DROP COLUMN root_id",
          "DROP TABLE device_claim", "DROP INDEX invitation_by_taker",
          "DROP INDEX invitation_taken_of_inviter", "DROP INDEX invitation_pending_by_role",
          "ALTER TABLE invitation DROP COLUMN updated_at",
          "ALTER TABLE invitation DROP COLUMN revision",
          "ALTER TABLE invitation DROP COLUMN mailed_at",
          "ALTER TABLE invitation DROP COLUMN letter_count",
          "ALTER TABLE invitation DROP COLUMN resent_since",
          "ALTER TABLE invitation DROP COLUMN resent_count",
          "ALTER TABLE invitation DROP COLUMN taken_by",
          "ALTER TABLE invitation DROP COLUMN taken_role",
          "ALTER TABLE invitation DROP COLUMN taken_variant",
          "ALTER TABLE invitation DROP COLUMN taken_association",
          "ALTER TABLE invitation DROP COLUMN taken_revision",
          "ALTER TABLE entity DROP COLUMN desired", "ALTER TABLE entity DROP COLUMN reported_at",
          "ALTER TABLE device_command DROP COLUMN changes",
          "ALTER TABLE access_record DROP COLUMN changes",
          "DROP INDEX device_command_waiting_of_device",
          "DROP TABLE limit_count", "DROP TABLE person", "DROP TABLE feed_position",
          "DROP INDEX association_by_name", "DROP INDEX association_by_entity",
          "ALTER TABLE association DROP COLUMN updated_at",
          "ALTER TABLE association DROP COLUMN revision",
          "ALTER TABLE association DROP COLUMN name_key",
          "CREATE INDEX association_by_entity ON association (entity_id, added)",
          "DROP TABLE converted_role", "DROP TABLE role_review", "PRAGMA user_version = 16",
        ] {
          try tx.execute(statement)
        }
      }
      await database.close()
    }

    /// A property of a landlord in which a stranger is the tenant of every unit.
    private func rent(
      to stranger: Person,
      of landlord: Person,
      _ home: Installation
    ) async throws -> [String] {
      let portfolio = try await home.portfolios.create(.init(name: "All"), options: landlord.call)
      let property = try await home.properties.create(
        .init(
          portfolioId: portfolio.id,
          name: "House",
          address: .init(street: "1 Pier", city: "Harbour")
        ),
        options: landlord.call
      )
      var units: [String] = []
      for number in 0..<Self.unitCount {
        let unit = try await home.units.create(
          .init(propertyId: property.id, name: "Unit \(number)", tenantUserIds: [stranger.id]),
          options: landlord.call
        )
        units.append(unit.id)
      }
      return units
    }

    @Test("Each role becomes one invitation although the service is killed, and comes back")
    func upgrade_killed_convertsEachRoleOnce() async throws {
      try await Installation.run { home in
        let (landlord, stranger) = (try await home.signUp("landlord"), try await home.signUp("eve"))
        let units = try await rent(to: stranger, of: landlord, home)
        let roles = Tenancy_V1.RolesClient(home.tenancy.channel)
        func held() async throws -> Int {
          try await home.tenancy.again {
            try await roles.listByUser(.init(pageSize: 1000), options: stranger.call)
          }.associations.count
        }
        #expect(try await held() == Self.unitCount)
        home.tenancy.send(SIGTERM)
        try #require(await home.tenancy.ending() == .exited(0))
        try await downgrade(home)
        try await home.tenancy.start()
        // In the middle, as near as it can be hit.
        let hasBegun = try await home.tenancy.eventually { try await held() < Self.unitCount }
        try #require(hasBegun)
        try await home.tenancy.kill()
        try await home.tenancy.start()
        let isDone = try await home.tenancy.eventually { try await held() == 0 }
        #expect(isDone)
        #expect(
          try await home.tenancy.eventually {
            try home.folder.text(of: "tenancy.log").contains("roles_given_by_address reviewed")
          }
        )
        let invitations = try await home.tenancy.again {
          try await Tenancy_V1.InvitationsClient(home.tenancy.channel).list(
            .init(entityId: units[0]),
            options: landlord.call
          )
        }.invitations
        #expect(invitations.map(\.state) == [.pending])
        let ending = try await home.shell(
          """
          boss=$(gatehouse signup boss@example.com Boss | sed -nE 's/.*\\((usr_.*)\\)$/\\1/p')
          ! gatehouse restore-roles
          auth-service grant-super-admin "$boss" --config auth.json
          for try in $(seq 300); do gatehouse restore-roles > roles && break; done
          test "$(grep -c '  pending  tenant on .*  \(stranger.id)  eve@example.com' roles)" = \(Self.unitCount)
          test "$(wc -l < roles)" = \(Self.unitCount)
          first=$(head -n 1 roles | cut -d ' ' -f 1)
          gatehouse restore-roles "$first" | grep "$first is restored as asc_.*: tenant on .* for \(stranger.id)"
          gatehouse restore-roles asc_nope 2> error && exit 8
          grep 'no converted role' error
          gatehouse restore-roles all | tail -n 1 | grep 'restored \(Self.unitCount - 1) roles'
          gatehouse restore-roles all | grep 'restored 0 roles'
          gatehouse restore-roles --output json | grep -c restoredAt
          gatehouse help restore-roles | grep 'restore-roles all' || gatehouse restore-roles --help | grep 'restore-roles all'
          """
        )
        #expect(ending == .exited(0), "\(home.folder.end(of: "shell.log"))")
        #expect(try await held() == Self.unitCount)
      }
    }
  }
}
