import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AccessEngine
@testable import ServiceTesting
@testable import TenancyService

@Suite("Who may give a role that somebody must have for how long", .timeLimit(.minutes(5)))
struct LastingGiverTests {
  private static let (ada, ben, cleo) = ("usr_ada", "usr_ben", "usr_cleo")
  private static let hour: Int64 = 3_600_000
  private static let exceeds = Refusal(.failedPrecondition, "WINDOW_EXCEEDS_OWN")

  private func role(
    _ kept: KeptRole,
    on id: String,
    to user: String,
    email: String = "",
    until: Int64? = nil
  ) -> Tenancy_V1.NewRole {
    .init(
      entityId: id,
      role: kept.role,
      userId: email.isEmpty ? user : "",
      email: email,
      validUntil: until.map { .init(milliseconds: TenancyStage.start + $0) },
      replaceWindow: true
    )
  }

  /// A tree of Ada's of which Ben is a holder for an hour.
  private func run(
    _ kept: KeptRole,
    _ body: (TenancyStage, _ id: String) async throws -> Void
  ) async throws {
    let users = SmallUsersService()
    users.accounts.withLock { $0 = ["cleo@example.com": Self.cleo] }
    users.verified.withLock { $0 = ["cleo@example.com"] }
    try await TenancyStage.run(policy: try PolicyFile.bytes(kept.policy), users: users) { stage in
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: "usr_root"),
        options: .byService("auth")
      )
      let id = try await stage.create(kept.type, by: Self.ada).id
      try await stage.grant(kept.role, on: id, to: Self.ben, until: Self.hour, by: Self.ada)
      try await body(stage, id)
    }
  }

  @Test("A holder for a time makes nobody one for longer, by any door", arguments: KeptRole.all)
  func temporaryHolder_givesForLonger_isRefused(kept: KeptRole) async throws {
    try await run(kept) { stage, id in
      let (ada, ben, cleo) = (Self.ada, Self.ben, Self.cleo)
      for until in [nil, Self.hour + 1] as [Int64?] {
        for new in [
          role(kept, on: id, to: ben, until: until), role(kept, on: id, to: cleo, until: until),
          role(kept, on: id, to: "", email: "cleo@example.com", until: until),
          role(kept, on: id, to: "", email: "nobody@example.com", until: until),
        ] {
          let granted = try await refusal {
            _ = try await stage.roles.grant(.init(role: new), options: .by(ben, acr: "pin"))
          }
          #expect(granted == Self.exceeds)
          let inBatch = try await refusal {
            _ = try await stage.roles.batchGrant(.init(roles: [new]), options: .by(ben, acr: "pin"))
          }
          #expect(inBatch == Self.exceeds)
        }
        let invited = try await refusal {
          _ = try await stage.invitations.create(
            .init(
              entityId: id,
              role: kept.role,
              validUntil: until.map { .init(milliseconds: TenancyStage.start + $0) }
            ),
            options: .by(ben, acr: "pin")
          )
        }
        #expect(invited == Self.exceeds)
      }
      // Until the end of one's own, and by whoever stays, and by an operator.
      try await stage.grant(kept.role, on: id, to: cleo, until: Self.hour, by: ben)
      let removed = try await refusal {
        _ = try await stage.roles.revoke(
          .init(entityId: id, role: kept.role, userId: ada),
          options: .by(ben, acr: "pin")
        )
      }
      #expect(removed == kept.refusal)
      for (user, giver) in [(ben, ada), (cleo, "usr_root")] {
        let granted = try await refusal {
          _ = try await stage.roles.grant(
            .init(role: role(kept, on: id, to: user)),
            options: .by(giver, acr: "pin")
          )
        }
        #expect(granted == nil)
      }
    }
  }

  @Test("An invitation gives what whoever invites may give for good when it is accepted")
  func invitation_ofOneWhoGotAnEnd_isRefused() async throws {
    for kept in KeptRole.all {
      try await run(kept) { stage, id in
        let (ada, ben, cleo) = (Self.ada, Self.ben, Self.cleo)
        _ = try await stage.roles.grant(
          .init(role: role(kept, on: id, to: ben)),
          options: .by(ada, acr: "pin")
        )
        let made = try await stage.invitations.create(
          .init(entityId: id, role: kept.role, email: "cleo@example.com"),
          options: .by(ben, acr: "pin")
        )
        _ = try await stage.roles.grant(
          .init(role: role(kept, on: id, to: ben, until: Self.hour)),
          options: .by(ada, acr: "pin")
        )
        let accept = {
          try await refusal {
            _ = try await stage.invitations.accept(
              .init(invitationId: made.invitation?.id ?? ""),
              options: .by(cleo, acr: "pin")
            )
          }
        }
        #expect(try await accept() == Refusal(.failedPrecondition, "ISSUER_LACKS_RIGHT"))
        _ = try await stage.roles.grant(
          .init(role: role(kept, on: id, to: ben)),
          options: .by(ada, acr: "pin")
        )
        #expect(try await accept() == nil)
      }
    }
  }

  @Test("The first product's own call gives no longer than Roles/Grant does")
  func addAdmin_byTemporaryOwner_isRefused() async throws {
    let kept = KeptRole.all[0]
    try await run(kept) { stage, id in
      let add = { (role: String, user: String, email: String) in
        try await refusal {
          _ = try await stage.portfolios.addAdmin(
            .init(portfolioId: id, userId: user, role: role, email: email),
            options: .by(Self.ben, acr: "pin")
          )
        }
      }
      #expect(try await add("owner", Self.cleo, "") == Self.exceeds)
      #expect(try await add("owner", "", "cleo@example.com") == Self.exceeds)
      // An administrator can make no owners.
      #expect(try await add("portfolio_admin", Self.cleo, "") == nil)
      let property = try await stage.create("property", under: id, by: Self.ada).id
      let unit = try await stage.create("unit", under: property, by: Self.ada).id
      try await stage.grant(
        "property_manager",
        on: property,
        to: "usr_mia",
        until: Self.hour,
        by: Self.ada
      )
      // A lease may outlast the manager.
      try await stage.grant("tenant", on: unit, to: "usr_tom", by: "usr_mia")
    }
  }

  /// A library of Ada's, whose head Ben is for an hour.
  private func runLibrary(_ body: (TenancyStage, _ id: String) async throws -> Void) async throws {
    let text = ReadingRoomPolicy.textWithDefinitions
    try await TenancyStage.run(policy: [UInt8](text.utf8)) { stage in
      let id = try await stage.create("library", by: Self.ada).id
      try await stage.grant("head_librarian", on: id, to: Self.ben, until: Self.hour, by: Self.ada)
      try await body(stage, id)
    }
  }

  @Test("A role of a tenant's own that can make holders is given for no longer either")
  func ownRole_thatAppoints_isNoWayAround() async throws {
    try await runLibrary { stage, id in
      let define = { (user: String) in
        try await refusal {
          _ = try await stage.definitions.put(
            .init(
              entityId: id,
              name: "appointer",
              baseRole: "librarian",
              actions: ["library.appoint"]
            ),
            options: .by(user)
          )
        }
      }
      #expect(try await define(Self.ben) == Refusal(.permissionDenied, "ROLE_EXCEEDS_OWN"))
      #expect(try await define(Self.ada) == nil)
      let give = { (user: String, until: Int64?) in
        try await refusal {
          try await stage.grant("appointer", on: id, to: Self.cleo, until: until, by: user)
        }
      }
      #expect(try await give(Self.ben, nil) == Self.exceeds)
      #expect(try await give(Self.ben, Self.hour) == nil)
      let appointed = try await refusal {
        try await stage.grant("head_librarian", on: id, to: Self.cleo, by: Self.cleo)
      }
      #expect(appointed == Self.exceeds)
      try await stage.grant("appointer", on: id, to: "usr_dora", by: Self.ada)
      try await stage.grant("head_librarian", on: id, to: "usr_emil", by: "usr_dora")
    }
  }

  @Test("Who moves a part out of its tree for a time does not become its holder for good")
  func move_toRoot_byTemporaryHolder_isRefused() async throws {
    try await runLibrary { stage, id in
      let branch = try await stage.create("library", under: id, by: Self.ada).id
      let move = { (user: String) in
        try await refusal {
          _ = try await stage.entities.move(
            .init(entityId: branch, parentId: "sys_root"),
            options: .by(user)
          )
        }
      }
      #expect(try await move(Self.ben) == Self.exceeds)
      #expect(try await move(Self.ada) == nil)
      let holders = try await stage.service.database.read { tx in
        try AssociationTable.all(on: branch, role: "head_librarian", in: tx).map(\.userID)
      }
      #expect(holders == [Self.ada])
    }
  }
}
