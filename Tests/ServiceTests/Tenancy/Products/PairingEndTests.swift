import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Devices that are paired by a role go with it", .timeLimit(.minutes(5)))
struct PairingEndTests {
  private func devices(_ home: FamilyHome) async throws -> Set<String> {
    let pairings = try await home.calls.listPairings(
      .init(familyId: home.family),
      options: .by(FamilyHome.organizer)
    ).pairings
    return Set(pairings.map(\.deviceId))
  }

  private func revoke(
    _ role: String,
    on id: String,
    from user: String,
    _ home: FamilyHome
  )
    async throws
  {
    _ = try await home.stage.roles.revoke(
      .init(entityId: id, role: role, userId: user),
      options: .by(FamilyHome.organizer, acr: "pin")
    )
  }

  @Test("A child's devices go with the role of the child, and nobody else's")
  func child_roleRevoked_endsItsPairings() async throws {
    try await FamilyHome.run { home in
      try await home.pair(home.code(for: home.ann))
      try await home.pair(home.code(for: home.ann), device: "ipad-2")
      try await home.pair(home.code(for: home.ben), device: "ipad-3", by: "usr_benny")
      try await home.pair(home.code(), device: "phone", by: FamilyHome.guardian)
      try await revoke("child", on: home.ann, from: FamilyHome.annie, home)
      #expect(try await devices(home) == ["ipad-3", "phone"])
      #expect(try await home.refusedContext() == "NOT_FOUND")
      let records = try await home.stage.service.database.read { tx in
        try tx.query("SELECT object FROM audit_log WHERE action = 'pairing.end'") { $0.text(0) }
      }
      #expect(records == [home.ann, home.ann])
      // Paired once more it is there once more.
      try await home.pair(home.code(for: home.ann))
      #expect(try await home.reason(.child) == "ALLOWED")
      _ = try await home.stage.roles.leave(
        .init(entityId: home.ann),
        options: .by(FamilyHome.annie)
      )
      #expect(try await devices(home) == ["ipad-3", "phone"])
    }
  }

  @Test("A parent's device goes with the last role that sees the family")
  func parent_roleRevoked_endsPairings() async throws {
    try await FamilyHome.run { home in
      try await home.stage.grant(
        "guardian",
        on: home.family,
        to: FamilyHome.parent,
        by: FamilyHome.organizer
      )
      try await home.pair(home.code(), device: "phone", by: FamilyHome.parent)
      try await revoke("parent", on: home.family, from: FamilyHome.parent, home)
      #expect(try await devices(home) == ["phone"])
      try await revoke("guardian", on: home.family, from: FamilyHome.parent, home)
      #expect(try await devices(home) == [])
    }
  }

  /// Gives a role for an hour.
  private func lendForAnHour(
    _ role: String,
    on id: String,
    to user: String,
    _ home: FamilyHome
  ) async throws {
    _ = try await home.stage.roles.grant(
      .init(
        role: .init(
          entityId: id,
          role: role,
          userId: user,
          validUntil: .init(milliseconds: home.stage.clock.now + 3_600_000)
        )
      ),
      options: .by(FamilyHome.organizer, acr: "pin")
    )
  }

  private func storedCount(_ home: FamilyHome) async throws -> Int {
    try await home.stage.service.database.read { tx in
      try tx.query("SELECT 1 FROM pairing") { _ in }.count
    }
  }

  @Test("A device goes with a role that ends by time, and is not back when the role is given again")
  func role_endsByTime_endsPairings() async throws {
    try await FamilyHome.run { home in
      try await lendForAnHour("child", on: home.ann, to: FamilyHome.annie, home)
      try await lendForAnHour("guardian", on: home.family, to: "usr_rita", home)
      try await home.pair(home.code(for: home.ann))
      try await home.pair(home.code(for: home.ben), device: "ipad-3", by: "usr_benny")
      try await home.pair(home.code(), device: "phone", by: "usr_rita")
      #expect(try await devices(home) == ["ipad-1", "ipad-3", "phone"])

      home.stage.clock.advance(3_600_000)
      #expect(try await devices(home) == ["ipad-3"])
      #expect(try await home.refusedContext(for: FamilyHome.organizer) == "NOT_FOUND")

      try await lendForAnHour("child", on: home.ann, to: FamilyHome.annie, home)
      #expect(try await devices(home) == ["ipad-3"])
      #expect(try await storedCount(home) == 2)
      try await home.stage.service.purge(now: home.stage.clock.now)
      #expect(try await storedCount(home) == 1)
      let records = try await home.stage.service.database.read { tx in
        try tx.query("SELECT object, actor FROM audit_log WHERE action = 'pairing.end'") {
          "\($0.text(0)) \($0.text(1))"
        }
      }
      #expect(
        records == ["\(home.ann) user:\(FamilyHome.organizer)", "\(home.family) svc://tenancy"]
      )
    }
  }

  @Test("A device that is paired after the role of its account has ended brings the role back")
  func pairing_afterRoleEnded_givesRole() async throws {
    try await FamilyHome.run { home in
      try await lendForAnHour("child", on: home.ann, to: FamilyHome.annie, home)
      home.stage.clock.advance(3_600_000)
      try await home.pair(home.code(for: home.ann))
      #expect(try await devices(home) == ["ipad-1"])
      #expect(try await home.reason(.child) == "ALLOWED")
    }
  }
}
