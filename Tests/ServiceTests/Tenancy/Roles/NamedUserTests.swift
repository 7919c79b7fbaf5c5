import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

/// One of the requests that give somebody a role, by identifier or by address.
enum UserAddition: CaseIterable, Sendable {
  case admin, manager, tenant, guest, granted, batch

  /// What an answer says.
  struct Answer: Hashable {
    var id: String
    var userID: String
    var invitationID: String
  }

  /// Adds somebody.
  func add(
    _ stage: TenancyStage,
    _ home: Building,
    id: String = "",
    email: String = "",
    key: String = "",
    by caller: String
  ) async throws -> Answer {
    let options = CallOptions.by(caller)
    let role: Tenancy_V1.RoleAssociation
    switch self {
    case .admin:
      role = try await stage.portfolios.addAdmin(
        .init(portfolioId: home.portfolio, userId: id, idempotencyKey: key, email: email),
        options: options
      )
    case .manager:
      role = try await stage.properties.addManager(
        .init(propertyId: home.property, userId: id, idempotencyKey: key, email: email),
        options: options
      )
    case .tenant:
      role = try await stage.units.addTenant(
        .init(unitId: home.unit, userId: id, idempotencyKey: key, email: email),
        options: options
      )
    case .guest:
      let pass = try await stage.guests.grant(
        .init(
          userId: id,
          deviceIds: [home.door],
          validUntil: .init(milliseconds: TenancyStage.start + 3_600_000),
          idempotencyKey: key,
          email: email
        ),
        options: options
      ).passes[0]
      // A pass has the identifier of its invitation.
      let id = pass.id == pass.invitationId ? "" : pass.id
      return Answer(id: id, userID: pass.userId, invitationID: pass.invitationId)
    case .granted, .batch:
      let new = Tenancy_V1.NewRole(
        entityId: home.unit,
        role: "tenant",
        userId: id,
        email: email
      )
      let roles = Tenancy_V1.RolesClient(stage.channel)
      if self == .granted {
        role = try await roles.grant(.init(role: new, idempotencyKey: key), options: options)
      } else {
        role = try await roles.batchGrant(
          .init(roles: [new], idempotencyKey: key),
          options: options
        ).associations[0]
      }
    }
    return Answer(id: role.id, userID: role.userId, invitationID: role.invitationId)
  }

  /// Somebody who may.
  func giver(_ home: Building) -> String {
    switch self {
    case .admin: home.owner
    case .manager: home.admin
    case .tenant, .granted, .batch: home.manager
    case .guest: home.tenant
    }
  }

  /// Somebody who knows of the object and may not.
  func bystander(_ home: Building) -> String {
    switch self {
    case .admin: home.admin
    case .manager: home.manager
    case .tenant, .granted, .batch: home.tenant
    case .guest: home.guest
    }
  }
}

@Suite("People who are added by address")
struct NamedUserTests {
  @Test(
    "An address is invited, whether an account has proven it, claims it, or there is none",
    arguments: UserAddition.allCases
  )
  func email_ofAnybody_isInvited(addition: UserAddition) async throws {
    let users = SmallUsersService()
    users.accounts.withLock {
      $0 = ["ada@example.org": "usr_ada", "eve@example.org": "usr_claims"]
    }
    users.verified.withLock { $0 = ["ada@example.org"] }
    try await TenancyStage.run(users: users) { stage in
      let home = try await Building(stage, name: "home")
      let giver = addition.giver(home)
      for address in ["ada@example.org", "eve@example.org", "new@example.org"] {
        let added = try await addition.add(stage, home, email: address, by: giver)
        #expect(added.id == "" && added.userID == "", "\(address)")
        #expect(added.invitationID.hasPrefix("inv_"), "\(address)")
        let again = try await addition.add(stage, home, email: address.uppercased(), by: giver)
        #expect(again == added, "\(address)")
        for user in ["usr_ada", "usr_claims"] {
          let roles = try await stage.associations.listByUser(.init(), options: .by(user))
          #expect(roles.associations.isEmpty, "\(address)")
        }
      }
      // Nobody was asked who has an account.
      #expect(users.asked.withLock { $0 } == [])
    }
  }

  @Test(
    "Only whoever has proven the address accepts; whoever signed up with it gets nothing",
    arguments: UserAddition.allCases
  )
  func email_accepted_afterProof(addition: UserAddition) async throws {
    let users = SmallUsersService()
    users.accounts.withLock { $0 = ["ada@example.org": "usr_ada"] }
    try await TenancyStage.run(users: users) { stage in
      let home = try await Building(stage, name: "home")
      let giver = addition.giver(home)
      let made = try await addition.add(stage, home, email: "Ada@Example.org", by: giver)
      let ada = CallOptions.by("usr_ada")
      let accept = Tenancy_V1.AcceptInvitationRequest(invitationId: made.invitationID)
      #expect(
        try await refusal { try await stage.invitations.accept(accept, options: ada) }
          == Refusal(.notFound, "NOT_FOUND")
      )
      let hidden = try await stage.invitations.listReceived(.init(), options: ada)
      #expect(hidden.invitations.isEmpty && !hidden.emailVerified)
      users.verified.withLock { $0 = ["ada@example.org"] }
      let shown = try await stage.invitations.listReceived(.init(), options: ada)
      #expect(shown.invitations.map(\.id) == [made.invitationID])
      let role = try await stage.invitations.accept(accept, options: ada)
      #expect(role.userId == "usr_ada" && role.grantedBy == giver && role.invitationId == "")
      let roles = try await stage.associations.listByUser(.init(), options: ada)
      #expect(roles.associations.map(\.id) == [role.id])
    }
  }

  @Test("A stranger with somebody's address does not open the door that was meant for them")
  func unlock_byUnprovenAddress_isRefused() async throws {
    let users = SmallUsersService()
    users.accounts.withLock { $0 = ["v@example.net": "usr_stranger"] }
    try await TenancyStage.run(users: users) { stage in
      let home = try await Building(stage, name: "home")
      for addition in UserAddition.allCases {
        let giver = addition.giver(home)
        _ = try await addition.add(stage, home, email: "v@example.net", by: giver)
        let refused = try await refusal {
          try await stage.devices.operate(
            .init(deviceId: home.door, operation: "unlock"),
            options: .by("usr_stranger")
          )
        }
        #expect(refused?.code == .notFound, "\(addition)")
      }
    }
  }

  @Test("A grant by address for another time takes the place of the invitation that was there")
  func email_forAnotherTime_replacesInvitation() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      func add(_ until: Int64?) async throws -> String {
        try await stage.units.addTenant(
          .init(
            unitId: home.unit,
            validUntil: until.map { .init(milliseconds: stage.clock.now + $0) },
            email: "ada@example.org"
          ),
          options: .by(home.manager)
        ).invitationId
      }
      let forGood = try await add(nil)
      let forADay = try await add(86_400_000)
      #expect(forADay != forGood)
      let listed = try await stage.invitations.list(
        .init(entityId: home.unit),
        options: .by(home.manager)
      ).invitations
      #expect(Set(listed.map(\.id)) == [forGood, forADay])
      #expect(listed.filter { $0.state == .pending }.map(\.id) == [forADay])
    }
  }

  @Test("Of a batch whoever is named by identifier has the role, and addresses are invited")
  func batch_mixed_keepsOrder() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let news = [("usr_ada", ""), ("", "eve@example.org"), ("usr_bob", "")].map {
        Tenancy_V1.NewRole(entityId: home.unit, role: "tenant", userId: $0.0, email: $0.1)
      }
      let answer = try await Tenancy_V1.RolesClient(stage.channel).batchGrant(
        .init(roles: news),
        options: .by(home.manager)
      )
      #expect(answer.associations.map(\.userId) == ["usr_ada", "", "usr_bob"])
      #expect(answer.associations.map { $0.invitationId.isEmpty } == [true, false, true])
      let addressOnly = try await refusal {
        try await Tenancy_V1.RolesClient(stage.channel).batchGrant(
          .init(roles: [news[1], .init(entityId: home.unit, role: "tenant", userId: "usr_missing")]
          ),
          options: .by(home.manager)
        )
      }
      #expect(addressOnly == Refusal(.invalidArgument, "USER_UNKNOWN"))
    }
  }

  @Test("Exactly one of identifier and address is taken", arguments: UserAddition.allCases)
  func request_withBothOrNeither_isInvalid(addition: UserAddition) async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let giver = addition.giver(home)
      let neither = try await refusal { try await addition.add(stage, home, by: giver) }
      #expect(neither == Refusal(.invalidArgument, "REQUIRED"))
      let both = try await refusal {
        try await addition.add(stage, home, id: "usr_ada", email: "ada@example.org", by: giver)
      }
      #expect(both == Refusal(.invalidArgument, "USER_NAMED_TWICE"))
    }
  }

  @Test(
    "Nobody who may not give the role finds out whether an address has an account",
    arguments: UserAddition.allCases
  )
  func email_askedByOthers_isNotLookedUp(addition: UserAddition) async throws {
    let users = SmallUsersService()
    users.accounts.withLock { $0["ada@example.org"] = "usr_ada" }
    try await TenancyStage.run(users: users) { stage in
      let home = try await Building(stage, name: "home")
      for caller in [addition.bystander(home), "usr_stranger"] {
        var answers: [RPCError] = []
        for email in ["ada@example.org", "nobody@example.org"] {
          do {
            _ = try await addition.add(stage, home, email: email, by: caller)
            Issue.record("\(caller) may add somebody")
          } catch let error as RPCError {
            answers.append(error)
          }
        }
        #expect(answers.count == 2 && answers[0].message == answers[1].message)
        #expect(answers.first?.code == answers.last?.code)
        #expect(answers.first?.reason == answers.last?.reason)
      }
      #expect(users.asked.withLock { $0 } == [])
    }
  }

  @Test("A repeated request gets its answer, and nobody needs AuthService to invite an address")
  func replay_withoutAuthService_repeatsTheAnswer() async throws {
    let users = SmallUsersService()
    try await TenancyStage.run(users: users) { stage in
      let home = try await Building(stage, name: "home")
      func add(_ email: String, _ key: String) async throws -> UserAddition.Answer {
        try await UserAddition.tenant.add(stage, home, email: email, key: key, by: home.manager)
      }
      let first = try await add("ada@example.org", "known")
      users.failure.withLock { $0 = RPCError(.unavailable, "down") }
      #expect(try await add("ada@example.org", "known") == first)
      #expect(try await add("eve@example.org", "new").invitationID.hasPrefix("inv_"))
      for email in ["ada@example..org", "-ada@example.org"] {
        let refused = try await refusal { try await add(email, "") }
        #expect(refused == Refusal(.invalidArgument, "EMAIL_INVALID"), "\(email)")
      }
    }
  }

  @Test("A right that comes between the look at it and the write is enough")
  func id_rightCameMeanwhile_isLookedUp() async throws {
    try await RaceStage.run { stage in
      let world = RaceWorld(index: 0, loss: .roleRemoved)
      let policy = stage.core.policy
      let newcomer = "usr_newcomer"
      try await stage.database.write { tx in try world.build(policy, tx) }
      let hold = await WriterHold(stage.database)
      let granted = await WriterHold.queue(in: stage.database) { () -> Bool in
        do {
          try await stage.database.write { tx in
            _ = try AssociationTable.put(
              AssociationRecord(
                id: "asc_newcomer",
                userID: newcomer,
                entity: try EntityTable.known("prp_0", type: SmartHome.property, in: tx),
                role: SmartHome.propertyManager,
                grantedBy: "",
                now: 0
              ),
              policy,
              in: tx
            )
          }
          return true
        } catch {
          return false
        }
      }
      let added = await WriterHold.queue(in: stage.database) { () -> String in
        do {
          return try await stage.units.addTenant(
            .init(unitId: "unt_0", userId: "usr_ada"),
            options: .by(newcomer)
          ).userId
        } catch {
          return "\(error)"
        }
      }
      try await hold.end()
      #expect(await granted.value)
      #expect(await added.value == "usr_ada")
    }
  }
}
