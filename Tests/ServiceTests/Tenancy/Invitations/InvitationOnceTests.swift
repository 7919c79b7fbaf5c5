import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Invitations that something else has overtaken", .timeLimit(.minutes(5)))
struct InvitationOnceTests {
  private static let closed = Refusal(.failedPrecondition, "INVITATION_CLOSED")

  /// A service with a building, and an AuthService in which Ida's address is verified.
  private func run(_ body: (TenancyStage, Building) async throws -> Void) async throws {
    let users = SmallUsersService()
    users.accounts.withLock { $0 = ["ida@example.com": "usr_ida"] }
    users.verified.withLock { $0 = ["ida@example.com"] }
    try await TenancyStage.run(users: users) { stage in
      try await body(stage, try await Building(stage, name: "a"))
    }
  }

  private func accept(
    _ made: Tenancy_V1.CreateInvitationResponse,
    byCode: Bool,
    _ user: String,
    _ stage: TenancyStage
  ) async throws -> Refusal? {
    try await refusal {
      try await stage.invitations.accept(
        byCode ? .init(code: made.code) : .init(invitationId: made.invitation?.id ?? ""),
        options: .by(user)
      )
    }
  }

  private func add(_ user: String, _ home: Building, _ stage: TenancyStage) async throws {
    _ = try await stage.units.addTenant(
      .init(unitId: home.unit, userId: user),
      options: .by(home.manager)
    )
  }

  private func remove(_ user: String, _ home: Building, _ stage: TenancyStage) async throws {
    let removed = try await stage.units.removeTenant(
      .init(unitId: home.unit, userId: user),
      options: .by(home.manager)
    )
    #expect(removed.removed == 1)
  }

  private func received(_ stage: TenancyStage) async throws -> [String] {
    try await stage.invitations.listReceived(.init(), options: .by("usr_ida")).invitations.map(\.id)
  }

  @Test("An address is invited to a role on an entity once, however it is written")
  func create_again_endsTheFirst() async throws {
    try await run { stage, home in
      let first = try await stage.inviteTenant(home, email: "ida@example.com")
      let second = try await stage.inviteTenant(home, email: "IDA@Example.COM")
      // Another role, and another entity, are others.
      let cellar = try await stage.invitations.create(
        .init(
          entityId: home.cellar,
          role: "guest",
          email: "ida@example.com",
          validUntil: .init(milliseconds: stage.clock.now + 3_600_000)
        ),
        options: .by(home.manager)
      )
      let open = Set([second, cellar].compactMap { $0.invitation?.id })
      #expect(Set(try await received(stage)) == open)
      #expect(try await accept(first, byCode: true, "usr_ida", stage)?.reason == "CODE_UNKNOWN")
      #expect(try await accept(first, byCode: false, "usr_ida", stage) == Self.closed)
      #expect(try await accept(second, byCode: false, "usr_ida", stage) == nil)
      try await remove("usr_ida", home, stage)
      for made in [first, second] {
        #expect(try await accept(made, byCode: true, "usr_ida", stage) != nil)
        #expect(try await accept(made, byCode: false, "usr_ida", stage) != nil)
      }
    }
  }

  @Test("An invitation from before a role was given and taken away does not bring it back")
  func accept_afterRemoval_isRefused() async throws {
    try await run { stage, home in
      let byAddress = try await stage.inviteTenant(home, email: "ida@example.com")
      let byCode = try await stage.inviteTenant(home)
      try await add("usr_ida", home, stage)
      // Given meanwhile, it is of no use either.
      #expect(try await accept(byAddress, byCode: false, "usr_ida", stage) == Self.closed)
      #expect(try await accept(byCode, byCode: true, "usr_ida", stage) == Self.closed)
      try await remove("usr_ida", home, stage)
      for isCode in [true, false] {
        #expect(try await accept(byAddress, byCode: isCode, "usr_ida", stage) == Self.closed)
      }
      #expect(try await accept(byCode, byCode: true, "usr_ida", stage) == Self.closed)
      #expect(try await received(stage).isEmpty)
      let mine = try await stage.associations.listByUser(.init(), options: .by("usr_ida"))
      #expect(mine.associations.isEmpty)
      // For others nothing was decided, and a later invitation counts.
      #expect(try await accept(byCode, byCode: true, "usr_una", stage) == nil)
      let later = try await stage.inviteTenant(home, email: "ida@example.com")
      #expect(try await received(stage) == [later.invitation?.id ?? ""])
      #expect(try await accept(later, byCode: false, "usr_ida", stage) == nil)
    }
  }

  @Test("Whoever gives a role back, or accepts one of two codes, does not get it by the other")
  func accept_afterLeaving_isRefused() async throws {
    try await run { stage, home in
      let codes = [try await stage.inviteTenant(home), try await stage.inviteTenant(home)]
      #expect(try await accept(codes[0], byCode: true, "usr_una", stage) == nil)
      #expect(try await accept(codes[1], byCode: true, "usr_una", stage) == Self.closed)
      _ = try await Tenancy_V1.RolesClient(stage.channel).leave(
        .init(entityId: home.unit, role: "tenant"),
        options: .by("usr_una")
      )
      #expect(try await accept(codes[1], byCode: true, "usr_una", stage) == Self.closed)
    }
  }

  @Test("A shorter time that was given since is not made longer by an older invitation")
  func accept_afterShortening_isRefused() async throws {
    try await run { stage, home in
      try await add("usr_ida", home, stage)
      let made = try await stage.inviteTenant(home, email: "ida@example.com")
      _ = try await stage.units.addTenant(
        .init(
          unitId: home.unit,
          userId: "usr_ida",
          validUntil: .init(milliseconds: stage.clock.now + 1),
          replaceWindow: true
        ),
        options: .by(home.manager)
      )
      stage.clock.advance(2)
      #expect(try await accept(made, byCode: false, "usr_ida", stage) == Self.closed)
    }
  }

  @Test(
    "Of several invitations that an older version has let in, the latest stays",
    .disabled(if: TestServer.isUsed, "released migrations are of SQLite")
  )
  func migrate_duplicates_keepsTheLatest() async throws {
    let folder = try TestFolder()
    let configuration = DatabaseConfiguration(
      path: folder.path("store"),
      applicationID: TenancySchema.applicationID
    )
    let old = try await Database.open(
      configuration,
      migrations: TenancySchema.migrations.filter { $0.version < 16 }
    )
    try await old.write { tx in
      let rows = [
        ("inv_1", "ida@example.com", "pending"), ("inv_2", "ida@example.com", "pending"),
        ("inv_3", "", "pending"), ("inv_4", "", "pending"),
        ("inv_5", "ida@example.com", "declined"),
      ]
      for (id, key, state) in rows {
        try tx.execute(
          """
          INSERT INTO invitation (id, entity_id, role, email, email_key, expires_at, invited_by,
            inviter_acr, code_key, code_digest, created_at, state, closed_by, association_id)
          VALUES (?, 'sys_root', 'tenant', ?, ?, 9000000000000, 'usr_a', '', x'00', x'00', 1, ?, '', '')
          """,
          .text(id),
          .text(key),
          .text(key),
          .text(state)
        )
      }
    }
    await old.close()
    let new = try await Database.open(configuration, migrations: TenancySchema.migrations)
    let states = try await new.read { tx in
      try tx.query("SELECT state FROM invitation ORDER BY id") { $0.text(0) }
    }
    await new.close()
    #expect(states == ["revoked", "pending", "pending", "pending", "declined"])
  }
}
