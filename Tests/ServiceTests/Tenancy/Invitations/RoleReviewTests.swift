import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite(
  "Roles that were given to unproven addresses before an upgrade",
  .timeLimit(.minutes(5)),
  .disabled(if: TestServer.isUsed, "released migrations are of SQLite")
)
struct RoleReviewTests {
  private static let boss = "usr_boss"
  private static let root = "usr_root"

  /// An AuthService whose users have addresses, of which some are proven.
  private func users(proven: Set<String> = []) -> SmallUsersService {
    let users = SmallUsersService()
    let names = ["owner", "admin", "manager", "tenant", "guest"].map { "usr_a_\($0)" }
    users.accounts.withLock { accounts in
      for user in names + ["usr_una", "usr_visitor", Self.boss] {
        accounts["\(user)@example.com"] = user
      }
    }
    users.verified.withLock { $0 = Set(proven.map { "\($0)@example.com" }) }
    return users
  }

  /// Builds a house and fills it by `prepare`, in a store that then has the version from before the review;
  /// and runs `body` with the upgraded service.
  private func upgrade(
    _ users: SmallUsersService,
    in folder: TestFolder? = nil,
    post: (any InvitationPost)? = nil,
    prepare: (TenancyStage, Building) async throws -> Void = { _, _ in },
    _ body: (TenancyStage, Building) async throws -> Void
  ) async throws {
    let folder = try folder ?? TestFolder()
    let built = Lock<Building?>(nil)
    try await TenancyStage.run(in: folder) { stage in
      let home = try await Building(stage, name: "a")
      try await prepare(stage, home)
      built.withLock { $0 = home }
      try await stage.service.database.write { tx in
        for statement in [
          "DROP TABLE webhook", "DROP TABLE webhook_event", "DROP TABLE webhook_delivery",
          "DROP TABLE bridge",
          "DROP TABLE webhook_attempt", "DROP INDEX association_by_end",
          "DROP INDEX association_by_start",
          "DROP INDEX entity_by_root", "DROP INDEX entity_by_type",
          "DROP INDEX entity_deletion_by_user", "DROP INDEX entity_deletion_under_way",
          "DROP INDEX pairing_code_by_addition", "ALTER TABLE pairing_code DROP COLUMN added",
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
    }
    let home = try #require(built.withLock { $0 })
    try await TenancyStage.run(in: folder, users: users, post: post) { stage in
      try await body(stage, home)
    }
  }

  private func review(_ stage: TenancyStage) async throws {
    try await RoleReview(stage.service.core).drain()
  }

  private func may(
    _ user: String,
    _ action: String,
    _ id: String,
    _ stage: TenancyStage
  ) async throws
    -> Bool
  {
    try await stage.permissions.check(
      .init(subjectId: user, action: action, entityId: id),
      options: .byService("gateway")
    ).allowed
  }

  private func count(_ outcome: String, _ stage: TenancyStage) -> String? {
    String(decoding: stage.metrics.render(), as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("gatehouse_tenancy_reviewed_roles_total{outcome=\"\(outcome)\"}") }
      .map { String($0.split(separator: " ")[1]) }
  }

  private func number(_ sql: String, _ stage: TenancyStage) async throws -> Int64 {
    try await stage.service.database.read { tx in try tx.first(sql) { $0.integer(0) } ?? 0 }
  }

  private func converted(
    _ stage: TenancyStage,
    restorableOnly: Bool = false
  ) async throws
    -> [Tenancy_V1.ConvertedRole]
  {
    // One on a page, so that the pages are tried as well.
    var (roles, token) = ([Tenancy_V1.ConvertedRole](), "")
    repeat {
      let page = try await Tenancy_V1.RolesClient(stage.channel).listConverted(
        .init(restorableOnly: restorableOnly, pageSize: 1, pageToken: token),
        options: .by(Self.root)
      )
      #expect(page.roles.count <= 1)
      roles += page.roles
      token = page.nextPageToken
    } while !token.isEmpty
    return roles
  }

  private func restore(
    _ id: String,
    _ stage: TenancyStage,
    by user: String = Self.root
  ) async throws
    -> Tenancy_V1.RoleAssociation
  {
    try await Tenancy_V1.RolesClient(stage.channel).restoreConverted(
      .init(associationId: id),
      options: .by(user)
    )
  }

  private func appoint(_ stage: TenancyStage) async throws {
    _ = try await stage.associations.grantSuperAdmin(
      .init(userId: Self.root),
      options: .byService("auth")
    )
  }

  // MARK: - The review

  @Test("Who has not proven the address loses the role, and gets it back by proving it")
  func review_unproven_becomesAnInvitation() async throws {
    let post = ScriptedPost()
    let users = users(proven: ["usr_a_owner", "usr_a_admin", "usr_a_manager"])
    try await upgrade(users, post: post) { stage, home in
      #expect(try await may(home.tenant, "device.unlock", home.door, stage))
      try await review(stage)
      #expect(try await !may(home.tenant, "device.unlock", home.door, stage))
      // What was lent by it has ended with it.
      #expect(try await !may(home.guest, "device.unlock", home.door, stage))
      #expect(try await may(home.manager, "property.view", home.property, stage))
      #expect(count("converted", stage) == "1")
      let invitations = try await stage.invitations.list(
        .init(entityId: home.unit),
        options: .by(home.manager)
      ).invitations
      let made = try #require(invitations.first)
      #expect(invitations.count == 1 && made.state == .pending && made.role == "tenant")
      // Whoever gave the role by an identifier need not know the address.
      #expect(made.email == "" && made.convertedFrom.hasPrefix("asc_"))
      #expect(made.invitedBy == home.manager)
      await stage.service.mailer?.drain(stage.service.core.store)
      #expect(post.letters.map(\.email) == ["\(home.tenant)@example.com"])
      let actors = try await number(
        "SELECT count(*) FROM audit_log WHERE actor = 'migration' AND action IN ('role.convert', "
          + "'invitation.create', 'guest.end')",
        stage
      )
      #expect(actors == 3)
      // Without the proof there is nothing to accept.
      let request = Tenancy_V1.AcceptInvitationRequest(invitationId: made.id)
      let early = try await refusal {
        try await stage.invitations.accept(request, options: .by(home.tenant))
      }
      #expect(early?.code == .notFound)
      users.verified.withLock { _ = $0.insert("\(home.tenant)@example.com") }
      let received = try await stage.invitations.listReceived(.init(), options: .by(home.tenant))
      #expect(received.invitations.map(\.email) == ["\(home.tenant)@example.com"])
      let role = try await stage.invitations.accept(request, options: .by(home.tenant))
      #expect(role.grantedBy == home.manager && role.entityId == home.unit)
      #expect(try await may(home.tenant, "device.unlock", home.door, stage))
      // Nothing is left to be done, now or at another start.
      #expect(try await number("SELECT count(*) FROM role_review", stage) == 0)
      try await review(stage)
      #expect(try await may(home.tenant, "device.unlock", home.door, stage))
    }
  }

  @Test("The invitation is good although whoever gave the role has left, as the role was")
  func accept_giverIsGone_givesTheRole() async throws {
    let users = users(proven: ["usr_a_owner", "usr_a_admin", "usr_a_manager"])
    try await upgrade(users) { stage, home in
      try await review(stage)
      _ = try await stage.properties.removeManager(
        .init(propertyId: home.property, userId: home.manager),
        options: .by(home.admin)
      )
      users.verified.withLock { _ = $0.insert("\(home.tenant)@example.com") }
      let received = try await stage.invitations.listReceived(.init(), options: .by(home.tenant))
      let id = try #require(received.invitations.first?.id)
      let role = try await stage.invitations.accept(
        .init(invitationId: id),
        options: .by(home.tenant)
      )
      #expect(role.role == "tenant")
    }
  }

  @Test("A pass keeps its window, and is not given by a lender who has no right left")
  func review_pass_keepsItsWindow() async throws {
    let users = users(proven: ["usr_a_owner", "usr_a_admin", "usr_a_manager", "usr_a_tenant"])
    try await upgrade(users) { stage, home in
      try await review(stage)
      #expect(count("converted", stage) == "1")
      users.verified.withLock { _ = $0.insert("\(home.guest)@example.com") }
      let received = try await stage.invitations.listReceived(.init(), options: .by(home.guest))
      let made = try #require(received.invitations.first)
      #expect(made.validUntil?.milliseconds == TenancyStage.start + 3_600_000)
      #expect(made.expiresAt == made.validUntil)
      _ = try await stage.units.removeTenant(
        .init(unitId: home.unit, userId: home.tenant),
        options: .by(home.manager)
      )
      let late = try await refusal {
        try await stage.invitations.accept(.init(invitationId: made.id), options: .by(home.guest))
      }
      #expect(late == Refusal(.failedPrecondition, "ISSUER_LACKS_RIGHT"))
    }
  }

  @Test("Of two passes by one address for one device the later one counts, and both can come back")
  func review_twoPasses_makeOneInvitation() async throws {
    let users = users(proven: [
      "usr_a_owner", "usr_a_admin", "usr_a_manager", "usr_a_tenant", "usr_a_guest",
    ])
    try await upgrade(users) { stage, home in
      try await appoint(stage)
      for hours in 1...2 {
        _ = try await stage.guests.grant(
          .init(
            userId: "usr_visitor",
            deviceIds: [home.door],
            validUntil: .init(milliseconds: TenancyStage.start + Int64(hours) * 3_600_000)
          ),
          options: .by(home.tenant)
        )
      }
    } _: { stage, home in
      try await review(stage)
      let roles = try await converted(stage)
      #expect(roles.count == 2)
      #expect(Set(roles.compactMap { $0.association?.invitationId }).count == 1)
      for restorableOnly in [false, true] {
        let page = try await Tenancy_V1.RolesClient(stage.channel).listConverted(
          .init(restorableOnly: restorableOnly, pageSize: 1, page: 2, sortBy: "-createdAt"),
          options: .by(Self.root)
        )
        #expect(page.roles.map(\.association?.id) == [roles[0].association?.id])
      }
      let open = try await stage.invitations.list(
        .init(entityId: home.door, pending: true),
        options: .by(home.manager)
      ).invitations
      #expect(open.map { $0.validUntil?.milliseconds } == [TenancyStage.start + 2 * 3_600_000])
      for id in roles.compactMap({ $0.association?.id }) {
        #expect(try await restore(id, stage).userId == "usr_visitor")
        let left = try await converted(stage, restorableOnly: true)
        #expect(left.allSatisfy { $0.association?.id != id })
      }
      #expect(try await may("usr_visitor", "device.unlock", home.door, stage))
    }
  }

  @Test("What people made for themselves, accepted, or have from operators stays")
  func review_otherRoles_stay() async throws {
    try await upgrade(users()) { stage, home in
      let invited = try await stage.inviteTenant(home)
      _ = try await stage.invitations.accept(.init(code: invited.code), options: .by("usr_una"))
      try await appoint(stage)
      _ = try await Tenancy_V1.RolesClient(stage.channel).grant(
        .init(role: .init(entityId: home.unit, role: "tenant", userId: "usr_visitor")),
        options: .by(Self.root)
      )
      // Old enough to be forgotten: the audit log says who has accepted.
      try await stage.service.database.write { tx in try tx.execute("DELETE FROM invitation") }
    } _: { stage, home in
      try await review(stage)
      #expect(try await may(home.owner, "portfolio.view", home.portfolio, stage))
      #expect(try await may("usr_una", "device.unlock", home.door, stage))
      #expect(try await may("usr_visitor", "device.unlock", home.door, stage))
      for user in [home.admin, home.manager, home.tenant] {
        #expect(try await !may(user, "device.view", home.door, stage), "\(user)")
      }
    }
  }

  @Test("What nobody knows any more to be accepted counts as given")
  func review_withoutAuditRecord_isConverted() async throws {
    try await upgrade(users()) { stage, home in
      let invited = try await stage.inviteTenant(home)
      _ = try await stage.invitations.accept(.init(code: invited.code), options: .by("usr_una"))
      try await stage.service.database.write { tx in
        try tx.execute("DELETE FROM invitation")
        try tx.execute("DELETE FROM audit_log")
      }
    } _: { stage, home in
      try await review(stage)
      #expect(try await !may("usr_una", "device.unlock", home.door, stage))
      #expect(try await may(home.owner, "portfolio.view", home.portfolio, stage))
    }
  }

  @Test("The last one with a role that somebody must have keeps it, and is counted")
  func review_lastOwner_staysOwner() async throws {
    try await upgrade(users()) { stage, home in
      let roles = Tenancy_V1.RolesClient(stage.channel)
      for user in ["usr_una", "usr_visitor"] {
        _ = try await roles.grant(
          .init(role: .init(entityId: home.portfolio, role: "owner", userId: user)),
          options: .by(home.owner)
        )
      }
      _ = try await roles.leave(
        .init(entityId: home.portfolio, role: "owner"),
        options: .by(home.owner)
      )
    } _: { stage, home in
      try await review(stage)
      #expect(count("kept_last", stage) == "1")
      #expect(try await !may("usr_una", "portfolio.view", home.portfolio, stage))
      #expect(try await may("usr_visitor", "portfolio.view", home.portfolio, stage))
    }
  }

  @Test("While AuthService is down nothing changes, and what was not reviewed is later, once")
  func review_interrupted_goesOn() async throws {
    let users = users()
    try await upgrade(users) { stage, home in
      users.answersLeft.withLock { $0 = 0 }
      await #expect(throws: RPCError.self) { try await review(stage) }
      #expect(try await may(home.tenant, "device.unlock", home.door, stage))
      #expect(try await number("SELECT count(*) FROM converted_role", stage) == 0)
      users.answersLeft.withLock { $0 = 2 }
      await #expect(throws: RPCError.self) { try await review(stage) }
      #expect(try await number("SELECT count(*) FROM converted_role", stage) == 2)
      let left = try await number("SELECT count(*) FROM role_review WHERE outcome = ''", stage)
      #expect(left > 0)
      users.answersLeft.withLock { $0 = nil }
      try await review(stage)
      let (made, roles) = (
        try await number("SELECT count(*) FROM invitation WHERE state = 'pending'", stage),
        try await number("SELECT count(*) FROM converted_role", stage)
      )
      // The pass has ended with the right of its lender.
      #expect(made == 3 && roles == 3)
      #expect(try await !may(home.tenant, "device.unlock", home.door, stage))
    }
  }

  @Test("A new installation reviews nothing, nor what is given after the upgrade")
  func review_newStore_doesNothing() async throws {
    let users = users()
    try await TenancyStage.run(users: users) { stage in
      let home = try await Building(stage, name: "a")
      let asked = users.asked.withLock { $0.count }
      try await review(stage)
      #expect(users.asked.withLock { $0.count } == asked)
      #expect(count("converted", stage) == "0" && count("kept", stage) == "0")
      #expect(try await may(home.tenant, "device.unlock", home.door, stage))
    }
  }

  // MARK: - The way back

  @Test("An operator restores a role as it was, and only operators see which there are")
  func restore_pending_givesTheRoleBack() async throws {
    let users = users(proven: ["usr_a_owner", "usr_a_admin", "usr_a_manager"])
    try await upgrade(users, prepare: { stage, _ in try await appoint(stage) }) { stage, home in
      try await review(stage)
      let role = try #require(try await converted(stage).first)
      let id = try #require(role.association?.id)
      #expect(role.association?.userId == home.tenant && role.invitationState == .pending)
      #expect(role.email == "\(home.tenant)@example.com" && role.restoredAt == nil)
      let asOwner = try await refusal { try await restore(id, stage, by: home.owner) }
      #expect(asOwner?.code == .permissionDenied)
      let restored = try await restore(id, stage)
      #expect(restored.userId == home.tenant && restored.grantedBy == home.manager)
      #expect(try await may(home.tenant, "device.unlock", home.door, stage))
      #expect(try await restore(id, stage) == restored)
      #expect(try await converted(stage, restorableOnly: true).isEmpty)
      #expect(try await converted(stage).first?.restoredAt != nil)
      let record = try await number(
        "SELECT count(*) FROM audit_log WHERE actor = 'user:\(Self.root)' AND action = 'tenant.add'",
        stage
      )
      #expect(record == 1)
      // The invitation is closed: proving the address brings nothing more.
      users.verified.withLock { _ = $0.insert("\(home.tenant)@example.com") }
      let received = try await stage.invitations.listReceived(.init(), options: .by(home.tenant))
      #expect(received.invitations.isEmpty)
      let unknown = try await refusal { try await restore("asc_unknown", stage) }
      #expect(unknown == Refusal(.notFound, "CONVERTED_ROLE_NOT_FOUND"))
    }
  }

  @Test("A role whose invitation is closed, or whose entity is gone, does not come back")
  func restore_closed_isRefused() async throws {
    let users = users(proven: ["usr_a_owner", "usr_a_admin", "usr_a_manager"])
    let closed = Refusal(.failedPrecondition, "INVITATION_CLOSED")
    try await upgrade(users) { stage, home in
      try await appoint(stage)
      for (user, id) in [("usr_una", home.unit), ("usr_visitor", home.unit)] {
        _ = try await stage.units.addTenant(
          .init(unitId: id, userId: user),
          options: .by(home.manager)
        )
      }
    } _: { stage, home in
      try await review(stage)
      let roles = try await converted(stage)
      func id(_ user: String) throws -> String {
        try #require(roles.first { $0.association?.userId == user }?.association?.id)
      }
      func invitation(_ user: String) throws -> String {
        try #require(roles.first { $0.association?.userId == user }?.association?.invitationId)
      }
      #expect(roles.count == 3)
      for user in [home.tenant, "usr_una"] {
        users.verified.withLock { _ = $0.insert("\(user)@example.com") }
      }
      _ = try await stage.invitations.accept(
        .init(invitationId: try invitation(home.tenant)),
        options: .by(home.tenant)
      )
      _ = try await stage.invitations.decline(
        .init(invitationId: try invitation("usr_una")),
        options: .by("usr_una")
      )
      for user in [home.tenant, "usr_una"] {
        #expect(try await refusal { try await restore(try id(user), stage) } == closed, "\(user)")
      }
      _ = try await stage.invitations.revoke(
        .init(invitationId: try invitation("usr_visitor")),
        options: .by(home.manager)
      )
      #expect(try await refusal { try await restore(try id("usr_visitor"), stage) } == closed)
      #expect(try await !may("usr_visitor", "device.unlock", home.door, stage))
      _ = try await stage.units.delete(
        .init(unitId: home.unit, cascade: true),
        options: .by(home.manager)
      )
      let gone = try await refusal { try await restore(try id("usr_visitor"), stage) }
      #expect(gone == Refusal(.notFound, "CONVERTED_ROLE_NOT_FOUND"))
    }
  }
}
