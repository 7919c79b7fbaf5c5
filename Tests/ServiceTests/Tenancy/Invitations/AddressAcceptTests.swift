import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Roles that come of invitations when an address is proven", .timeLimit(.minutes(5)))
struct AddressAcceptTests {
  private static let ida = "usr_ida"

  private func run(
    in folder: TestFolder? = nil,
    _ body: (TenancyStage, Building) async throws -> Void
  ) async throws {
    let users = SmallUsersService()
    users.accounts.withLock { $0 = ["ida@example.com": Self.ida, "una@example.com": "usr_una"] }
    users.verified.withLock { $0 = ["ida@example.com"] }
    try await TenancyStage.run(in: folder, users: users) { stage in
      try await body(stage, try await Building(stage, name: "a"))
    }
  }

  private func invite(
    _ stage: TenancyStage,
    _ home: Building,
    _ email: String = "Ida@Example.com"
  ) async throws -> Tenancy_V1.CreateInvitationResponse {
    try await stage.inviteTenant(home, email: email)
  }

  private func roles(
    of user: String,
    _ stage: TenancyStage
  ) async throws
    -> [Tenancy_V1.RoleAssociation]
  {
    try await stage.associations.listByUser(.init(), options: .by(user)).associations
  }

  private func states(
    _ home: Building,
    _ stage: TenancyStage
  ) async throws
    -> [Tenancy_V1.InvitationState]
  {
    try await stage.invitations.list(.init(), options: .by(home.manager)).invitations.map(\.state)
  }

  private func mayView(_ user: String, _ unit: String, _ stage: TenancyStage) async throws -> Bool {
    try await stage.permissions.check(
      .init(subjectId: user, action: "unit.view", entityId: unit),
      options: .byService("gateway")
    ).allowed
  }

  private func tenants(_ home: Building, _ stage: TenancyStage) async throws -> [String] {
    try await stage.units.listTenants(.init(unitId: home.unit), options: .by(home.manager))
      .associations.map(\.userId)
  }

  @Test("The role is there without a call: new to its user, an invitation to everybody else")
  func proof_givesTheRole() async throws {
    try await run { stage, home in
      let made = try await invite(stage, home)
      stage.clock.advance(1)
      try await stage.service.acceptor.accept(Self.ida)
      let mine = try await roles(of: Self.ida, stage)
      #expect(mine.map(\.role) == ["tenant"] && mine.map(\.isNew) == [true])
      #expect(mine.map(\.entityId) == [home.unit] && mine.map(\.grantedBy) == [home.manager])
      #expect(try await mayView(Self.ida, home.unit, stage))
      // Nobody else learns of it.
      let listed = try await stage.invitations.list(.init(), options: .by(home.manager))
      #expect(listed.invitations.map(\.state) == [.pending])
      #expect(listed.invitations.first?.revision == made.invitation?.revision)
      #expect(listed.invitations.first?.updatedAt == made.invitation?.updatedAt)
      #expect(try await tenants(home, stage) == [home.tenant])
      let unit = try await stage.units.get(.init(unitId: home.unit), options: .by(home.manager))
      #expect(unit.tenantUserIds == [home.tenant])
      let seen = try await stage.people.lookup(
        .init(askerId: home.manager, userIds: [Self.ida, home.tenant]),
        options: .byService("auth")
      )
      #expect(seen.userIds == [home.tenant])
      let subjects = try await stage.permissions.listSubjects(
        .init(entityId: home.unit, action: "unit.view"),
        options: .byService("gateway")
      )
      #expect(!subjects.subjects.map(\.userId).contains(Self.ida))
      // A repeated proof changes nothing.
      try await stage.service.acceptor.accept(Self.ida)
      #expect(try await roles(of: Self.ida, stage) == mine)
      let received = try await stage.invitations.listReceived(.init(), options: .by(Self.ida))
      #expect(received.invitations.isEmpty)
    }
  }

  @Test("The first use makes it a role like others")
  func use_tellsTheInviter() async throws {
    try await run { stage, home in
      _ = try await invite(stage, home)
      try await stage.service.acceptor.accept(Self.ida)
      // To look at one's roles, or to be asked about, is no use.
      _ = try await roles(of: Self.ida, stage)
      await stage.service.acceptor.drain()
      #expect(try await states(home, stage) == [.pending])
      _ = try await stage.devices.operate(
        .init(deviceId: home.door, operation: "unlock"),
        options: .by(Self.ida)
      )
      await stage.service.acceptor.drain()
      #expect(try await states(home, stage) == [.accepted])
      let listed = try await stage.invitations.list(.init(), options: .by(home.manager))
      #expect(listed.invitations.map(\.closedBy) == [Self.ida])
      #expect(try await tenants(home, stage) == [home.tenant, Self.ida])
      let mine = try await roles(of: Self.ida, stage)
      #expect(mine.map(\.isNew) == [false] && mine.map(\.role) == ["tenant"])
      #expect(!stage.service.core.firstUses.isExpected(of: Self.ida))
    }
  }

  @Test("An address that is not proven, or whose inviter may not grant it now, stays invited")
  func inviterWithoutRight_staysPending() async throws {
    try await run { stage, home in
      _ = try await invite(stage, home, "una@example.com")
      try await stage.service.acceptor.accept("usr_una")
      #expect(try await roles(of: "usr_una", stage).isEmpty)
      _ = try await invite(stage, home)
      _ = try await stage.properties.removeManager(
        .init(propertyId: home.property, userId: home.manager),
        options: .by(home.admin)
      )
      try await stage.service.acceptor.accept(Self.ida)
      #expect(try await roles(of: Self.ida, stage).isEmpty)
      #expect(try await !mayView(Self.ida, home.unit, stage))
      let received = try await stage.invitations.listReceived(.init(), options: .by(Self.ida))
      #expect(received.invitations.map(\.state) == [.pending])
    }
  }

  @Test("Its user leaves it, and its inviter takes it back")
  func taken_ends() async throws {
    try await run { stage, home in
      _ = try await invite(stage, home)
      try await stage.service.acceptor.accept(Self.ida)
      let left = try await Tenancy_V1.RolesClient(stage.channel).leave(
        .init(entityId: home.unit, role: "tenant"),
        options: .by(Self.ida)
      )
      #expect(left.removed == 1)
      #expect(try await !mayView(Self.ida, home.unit, stage))
      #expect(try await states(home, stage) == [.declined])
      let made = try #require(try await invite(stage, home).invitation)
      try await stage.service.acceptor.accept(Self.ida)
      #expect(try await mayView(Self.ida, home.unit, stage))
      _ = try await stage.invitations.revoke(
        .init(invitationId: made.id),
        options: .by(home.manager)
      )
      #expect(try await !mayView(Self.ida, home.unit, stage))
      #expect(try await roles(of: Self.ida, stage).isEmpty)
    }
  }

  @Test("An unused pass ends with the right of its lender, a role with its invitation")
  func taken_followsItsInvitation() async throws {
    try await run { stage, home in
      let until = Google_Protobuf.Timestamp(milliseconds: stage.clock.now + 3_600_000)
      _ = try await stage.guests.grant(
        .init(deviceIds: [home.door], validUntil: until, email: "ida@example.com"),
        options: .by(home.tenant)
      )
      try await stage.service.acceptor.accept(Self.ida)
      let passes = try await stage.guests.list(.init(), options: .by(Self.ida)).passes
      #expect(passes.map(\.userId) == [Self.ida])
      _ = try await stage.units.removeTenant(
        .init(unitId: home.unit, userId: home.tenant),
        options: .by(home.manager)
      )
      #expect(try await roles(of: Self.ida, stage).isEmpty)
      _ = try await invite(stage, home)
      try await stage.service.acceptor.accept(Self.ida)
      #expect(try await mayView(Self.ida, home.unit, stage))
      stage.clock.advance(8 * 86_400_000)
      #expect(try await !mayView(Self.ida, home.unit, stage))
      #expect(try await roles(of: Self.ida, stage).isEmpty)
      try await stage.service.purge(now: stage.clock.now)
      let rows = try await stage.service.database.read { tx in
        try InvitationTable.taken(by: Self.ida, in: tx).count
      }
      #expect(rows == 0)
    }
  }

  @Test("It counts after a restart, and its use is noted then too")
  func restart_keepsIt() async throws {
    let folder = try TestFolder()
    var unit = ""
    try await run(in: folder) { stage, home in
      _ = try await invite(stage, home)
      try await stage.service.acceptor.accept(Self.ida)
      unit = home.unit
    }
    let home = unit
    try await TenancyStage.run(in: folder) { stage in
      #expect(try await mayView(Self.ida, home, stage))
      _ = try await stage.units.get(.init(unitId: home), options: .by(Self.ida))
      await stage.service.acceptor.drain()
      #expect(try await roles(of: Self.ida, stage).map(\.isNew) == [false])
    }
  }

  @Test("Somebody else with the code gets the role instead")
  func code_ofTaken_movesTheRole() async throws {
    try await run { stage, home in
      let made = try await invite(stage, home)
      try await stage.service.acceptor.accept(Self.ida)
      _ = try await stage.invitations.accept(.init(code: made.code), options: .by("usr_una"))
      #expect(try await !mayView(Self.ida, home.unit, stage))
      #expect(try await mayView("usr_una", home.unit, stage))
      #expect(try await tenants(home, stage) == [home.tenant, "usr_una"])
    }
  }

  @Test("A feed tells of proofs, and a failure of AuthService is tried again")
  func follower_accepts() async throws {
    try await run { stage, home in
      _ = try await invite(stage, home)
      let follower = PeopleFollower(
        stage.service.core,
        Auth_V1.UserChangesClient(stage.channel),
        random: SystemRandomSource(),
        onProof: stage.service.acceptor.accept
      )
      try await follower.apply(.init(kind: .addressProven, revision: 9, userId: Self.ida))
      #expect(try await roles(of: Self.ida, stage).map(\.isNew) == [true])
      let position = try await stage.service.database.read { tx in
        try FeedPosition.find("people", in: tx)
      }
      #expect(position == 9)
    }
  }
}
