import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Roles and passes that are granted twice")
struct RepeatedGrantTests {
  private static let start = TenancyStage.start
  private static let hour: Int64 = 3_600_000

  private static func time(_ hours: Int64) -> Google_Protobuf.Timestamp {
    .init(milliseconds: start + hours * hour)
  }

  private func auditCount(_ stage: TenancyStage) async throws -> Int64? {
    try await stage.service.database.read { tx in
      try tx.first("SELECT count(*) FROM audit_log") { $0.integer(0) }
    }
  }

  @Test("A pass that is granted again is the same one; another end or lender makes another")
  func pass_grantedAgain_isTheSame() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let grant = { (lender: String, from: Int64?, until: Int64) in
        try await stage.guests.grant(
          .init(
            userId: "usr_visitor",
            deviceIds: [home.door],
            validFrom: from.map(Self.time),
            validUntil: Self.time(until)
          ),
          options: .by(lender)
        )
      }
      let first = try await grant(home.tenant, nil, 10)
      // Without a beginning it begins now.
      #expect(first.passes[0].validFrom == Self.time(0))
      let count = try await auditCount(stage)
      stage.clock.advance(Self.hour)
      let again = try await grant(home.tenant, nil, 10)
      #expect(again.passes == first.passes)
      #expect(try await grant(home.tenant, -3, 10).passes == first.passes)
      #expect(again.revision == first.revision)
      #expect(try await auditCount(stage) == count)
      let others = [
        try await grant(home.tenant, nil, 11), try await grant(home.tenant, 5, 10),
        try await grant(home.manager, nil, 10),
      ]
      let ids = Set((others + [first]).map { $0.passes[0].id })
      #expect(ids.count == 4)
      let listed = try await stage.guests.list(
        .init(deviceId: home.door),
        options: .by("usr_visitor")
      )
      #expect(Set(listed.passes.map(\.id)) == ids)
    }
  }

  @Test("Adding a tenant again leaves the window alone; only an explicit request changes it")
  func tenant_addedAgain_keepsWindow() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let add = { (from: Int64?, until: Int64?, replaces: Bool) in
        try await stage.units.addTenant(
          .init(
            unitId: home.unit,
            userId: "usr_lodger",
            validFrom: from.map(Self.time),
            validUntil: until.map(Self.time),
            replaceWindow: replaces
          ),
          options: .by(home.manager)
        )
      }
      let differs = Refusal(.alreadyExists, "WINDOW_DIFFERS")
      let first = try await add(nil, 10, false)
      #expect(first.validFrom == Self.time(0) && first.validUntil == Self.time(10))
      stage.clock.advance(Self.hour)
      let count = try await auditCount(stage)
      #expect(try await add(nil, 10, false) == first)
      for (from, until) in [(nil, nil), (nil, 9), (nil, 11), (5, 10)] as [(Int64?, Int64?)] {
        #expect(try await refusal { try await add(from, until, false) } == differs)
      }
      let held = try await stage.associations.listByUser(.init(), options: .by("usr_lodger"))
      #expect(held.associations == [first])
      #expect(try await auditCount(stage) == count)

      let longer = try await add(nil, 20, true)
      #expect(longer.id == first.id && longer.validUntil == Self.time(20))
      let endless = try await add(nil, nil, true)
      #expect(endless.id == first.id && endless.validUntil == nil)
      #expect(try await add(nil, nil, false) == endless)
    }
  }

  @Test("A tenancy that is over is no obstacle to a new one, and one that is to come is")
  func tenant_formerOrFuture() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let add = { (user: String, from: Int64?, until: Int64?) in
        try await stage.units.addTenant(
          .init(
            unitId: home.unit,
            userId: user,
            validFrom: from.map(Self.time),
            validUntil: until.map(Self.time)
          ),
          options: .by(home.manager)
        )
      }
      _ = try await add("usr_former", nil, 1)
      _ = try await add("usr_future", 5, nil)
      stage.clock.advance(Self.hour)
      let back = try await add("usr_former", nil, nil)
      #expect(back.validFrom == nil && back.validUntil == nil)
      let refused = try await refusal { try await add("usr_future", nil, nil) }
      #expect(refused == Refusal(.alreadyExists, "WINDOW_DIFFERS"))
    }
  }
}
