import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Whom people see", .timeLimit(.minutes(5)))
struct LookupTests {
  private func seen(
    by asker: String,
    _ people: [String],
    _ stage: TenancyStage
  ) async throws -> [String] {
    try await stage.people.lookup(
      .init(askerId: asker, userIds: people),
      options: .byService("auth")
    ).userIds
  }

  @Test("Those who may list the roles on an entity see its people; the others see themselves")
  func lookup_byRole() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      let other = try await Building(stage, name: "b")
      let all = [home.owner, home.admin, home.manager, home.tenant, home.guest]
      let asked = all + [other.tenant, "usr_unknown", home.tenant]
      #expect(try await seen(by: home.owner, asked, stage) == all)
      // A manager lists the roles of the property and below it, and not of the portfolio.
      let below = [home.manager, home.tenant, home.guest]
      #expect(try await seen(by: home.manager, asked, stage) == below)
      #expect(try await seen(by: home.tenant, asked, stage) == [home.tenant])
      #expect(try await seen(by: "usr_stranger", asked, stage) == [])
      #expect(try await seen(by: "usr_unknown", asked, stage) == ["usr_unknown"])
    }
  }

  @Test("A role that is over shows nobody, one to come does; a suspended asker sees nobody")
  func lookup_byTime() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      _ = try await stage.units.addTenant(
        .init(
          unitId: home.unit,
          userId: "usr_later",
          validFrom: .init(milliseconds: TenancyStage.start + 60_000)
        ),
        options: .by(home.manager)
      )
      #expect(try await seen(by: home.owner, ["usr_later"], stage) == ["usr_later"])
      #expect(try await seen(by: home.owner, [home.guest], stage) == [home.guest])
      stage.clock.advance(3_600_000)
      #expect(try await seen(by: home.owner, [home.guest], stage) == [])
      try await stage.makeOperator("usr_operator")
      // Operators see everyone in a tree, and each other nowhere.
      try await stage.makeOperator("usr_second")
      let people = [home.tenant, "usr_second"]
      #expect(try await seen(by: "usr_operator", people, stage) == [home.tenant])
      _ = try await stage.subjects.suspend(
        .init(userId: home.owner),
        options: .by("usr_operator")
      )
      let own = [home.owner, home.tenant]
      #expect(try await seen(by: home.owner, own, stage) == [home.owner])
    }
  }

  @Test("A thousand people with many roles are looked up in slices, a thousand and one refused")
  func lookup_ofMany() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      let people = (0..<1000).map { "usr_\($0)" }
      for part in stride(from: 0, to: 1000, by: 100) {
        _ = try await Tenancy_V1.RolesClient(stage.channel).batchGrant(
          .init(
            roles: people[part..<(part + 100)].map {
              .init(entityId: home.unit, role: "tenant", userId: $0)
            }
          ),
          options: .by(home.manager)
        )
      }
      #expect(try await seen(by: home.owner, people, stage) == people)
      #expect(try await seen(by: home.tenant, people, stage) == [])
      let refused = try await refusal { try await seen(by: home.owner, people + ["x"], stage) }
      #expect(refused == Refusal(.invalidArgument, "FIELD_VIOLATIONS"))
    }
  }
}
