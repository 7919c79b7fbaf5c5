import Contracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("What hangs on roles goes with them", .timeLimit(.minutes(5)))
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

  @Test(
    "A parent's device goes with the last role that sees the family, and codes with their issuer's"
  )
  func parent_roleRevoked_endsPairingsAndCodes() async throws {
    try await FamilyHome.run { home in
      try await home.stage.grant(
        "guardian",
        on: home.family,
        to: FamilyHome.parent,
        by: FamilyHome.organizer
      )
      try await home.pair(home.code(), device: "phone", by: FamilyHome.parent)
      let code = try await home.code(for: home.ann)
      try await revoke("parent", on: home.family, from: FamilyHome.parent, home)
      #expect(try await devices(home) == ["phone"])
      let codeCount = try await home.stage.service.database.read { tx in
        try tx.query("SELECT 1 FROM pairing_code") { _ in }.count
      }
      #expect(codeCount == 0)
      #expect(try await home.refusedPair(code) == "CODE_UNKNOWN")
      try await revoke("guardian", on: home.family, from: FamilyHome.parent, home)
      #expect(try await devices(home) == [])
    }
  }

  @Test("Invitations of somebody go with the right to invite, and no others")
  func inviter_roleRevoked_revokesInvitations() async throws {
    try await FamilyHome.run { home in
      func invite(_ role: String, on id: String, by user: String) async throws -> String {
        try await home.stage.invitations.create(
          .init(entityId: id, role: role, email: "\(role)-\(id)@example.org".lowercased()),
          options: .by(user)
        ).invitation?.id ?? ""
      }
      let mine = try await invite("guardian", on: home.family, by: FamilyHome.parent)
      let childs = try await invite("guardian", on: home.ann, by: FamilyHome.parent)
      let others = try await invite("parent", on: home.family, by: FamilyHome.organizer)
      func pending() async throws -> Set<String> {
        Set(
          try await home.stage.service.database.read { tx in
            try tx.query("SELECT id FROM invitation WHERE state = 'pending'") { $0.text(0) }
          }
        )
      }
      // A role that gives no less is left.
      try await home.stage.grant(
        "organizer",
        on: home.family,
        to: FamilyHome.parent,
        by: FamilyHome.organizer
      )
      try await revoke("parent", on: home.family, from: FamilyHome.parent, home)
      #expect(try await pending() == [mine, childs, others])
      try await revoke("organizer", on: home.family, from: FamilyHome.parent, home)
      #expect(try await pending() == [others])
    }
  }
}
