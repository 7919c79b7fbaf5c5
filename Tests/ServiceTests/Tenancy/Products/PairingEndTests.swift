import Contracts
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
      options: .by(FamilyHome.organizer)
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
}
