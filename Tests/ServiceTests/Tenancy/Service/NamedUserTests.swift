import Contracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

/// One of the requests that give somebody a role, by identifier or by address.
enum UserAddition: CaseIterable, Sendable {
  case admin, manager, tenant, guest

  /// Adds somebody; the identifier of whoever has got the role.
  func add(
    _ stage: TenancyStage,
    _ home: Building,
    id: String = "",
    email: String = "",
    key: String = "",
    by caller: String
  ) async throws -> String {
    let options = CallOptions.by(caller)
    switch self {
    case .admin:
      return try await stage.portfolios.addAdmin(
        .init(portfolioId: home.portfolio, userId: id, idempotencyKey: key, email: email),
        options: options
      ).userId
    case .manager:
      return try await stage.properties.addManager(
        .init(propertyId: home.property, userId: id, idempotencyKey: key, email: email),
        options: options
      ).userId
    case .tenant:
      return try await stage.units.addTenant(
        .init(unitId: home.unit, userId: id, idempotencyKey: key, email: email),
        options: options
      ).userId
    case .guest:
      return try await stage.guests.grant(
        .init(
          userId: id,
          deviceIds: [home.door],
          validUntil: .init(milliseconds: TenancyStage.start + 3_600_000),
          idempotencyKey: key,
          email: email
        ),
        options: options
      ).passes[0].userId
    }
  }

  /// Somebody who may.
  func giver(_ home: Building) -> String {
    switch self {
    case .admin: home.owner
    case .manager: home.admin
    case .tenant: home.manager
    case .guest: home.tenant
    }
  }

  /// Somebody who knows of the object and may not.
  func bystander(_ home: Building) -> String {
    switch self {
    case .admin: home.admin
    case .manager: home.manager
    case .tenant: home.tenant
    case .guest: home.guest
    }
  }
}

@Suite("People who are added by the address of their account")
struct NamedUserTests {
  @Test("Whoever has the address gets the role", arguments: UserAddition.allCases)
  func email_ofAnAccount_getsTheRole(addition: UserAddition) async throws {
    let users = SmallUsersService()
    users.accounts.withLock { $0["ada@example.org"] = "usr_ada" }
    try await TenancyStage.run(users: users) { stage in
      let home = try await Building(stage, name: "home")
      let giver = addition.giver(home)
      let added = try await addition.add(stage, home, email: "ada@example.org", by: giver)
      #expect(added == "usr_ada")
      let roles = try await stage.associations.listByUser(.init(), options: .by("usr_ada"))
      #expect(roles.associations.count == 1)
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

  @Test("A repeated request gets its answer, whatever has become of the address")
  func replay_afterTheAddressMoved_repeatsTheAnswer() async throws {
    let users = SmallUsersService()
    users.accounts.withLock { $0["ada@example.org"] = "usr_ada" }
    try await TenancyStage.run(users: users) { stage in
      let home = try await Building(stage, name: "home")
      func add(_ email: String, _ key: String) async throws -> String {
        try await UserAddition.tenant.add(stage, home, email: email, key: key, by: home.manager)
      }
      #expect(try await add("ada@example.org", "known") == "usr_ada")
      let unknown = Refusal(.invalidArgument, "USER_UNKNOWN")
      #expect(try await refusal { try await add("eve@example.org", "unknown") } == unknown)
      users.accounts.withLock {
        $0 = ["ada@example.org": "usr_other", "eve@example.org": "usr_eve"]
      }
      #expect(try await add("ada@example.org", "known") == "usr_ada")
      #expect(try await refusal { try await add("eve@example.org", "unknown") } == unknown)
      users.failure.withLock { $0 = RPCError(.unavailable, "down") }
      #expect(try await add("ada@example.org", "known") == "usr_ada")
      let down = try await refusal { try await add("ada@example.org", "new") }
      #expect(down == Refusal(.unavailable, "AUTH_UNAVAILABLE"))
      users.failure.withLock { $0 = nil }
      users.isShort.withLock { $0 = true }
      let short = try await refusal { try await add("ada@example.org", "new") }
      #expect(short == Refusal(.unavailable, "AUTH_UNAVAILABLE"))
      // What was not answered is not kept.
      users.isShort.withLock { $0 = false }
      #expect(try await add("ada@example.org", "new") == "usr_other")
      let tenants = try await stage.units.listTenants(
        .init(unitId: home.unit),
        options: .by(home.manager)
      )
      #expect(Set(tenants.tenants.map(\.id)) == [home.tenant, "usr_ada", "usr_other"])
    }
  }

  @Test("Whoever tries out too many addresses is told to wait, and nothing of it is kept")
  func email_tooManyUnknown_waits() async throws {
    let users = SmallUsersService()
    users.accounts.withLock { $0["ada@example.org"] = "usr_ada" }
    users.failure.withLock {
      $0 = RPCError(
        .resourceExhausted,
        reason: "TOO_MANY_UNKNOWN_ADDRESSES",
        domain: "gatehouse.auth",
        message: "wait",
        retryAfter: .seconds(90)
      )
    }
    try await TenancyStage.run(users: users) { stage in
      let home = try await Building(stage, name: "home")
      func add() async throws -> String {
        try await UserAddition.tenant.add(
          stage,
          home,
          email: "ada@example.org",
          key: "k",
          by: home.manager
        )
      }
      do {
        _ = try await add()
        Issue.record("the refusal was lost")
      } catch let error as RPCError {
        #expect(Refusal(error) == Refusal(.resourceExhausted, "TOO_MANY_UNKNOWN_ADDRESSES"))
        #expect(error.errorInfo?.domain == TenancyService.domain)
        #expect(error.details.contains(.retryInfo(.seconds(90))))
      }
      users.failure.withLock { $0 = nil }
      #expect(try await add() == "usr_ada")
    }
  }

  @Test("A right that comes between the look at it and the write is enough")
  func email_rightCameMeanwhile_isLookedUp() async throws {
    try await RaceStage.run { stage in
      let world = RaceWorld(index: 0, loss: .roleRemoved)
      let policy = stage.core.policy
      let newcomer = "usr_newcomer"
      try await stage.database.write { tx in try world.build(policy, tx) }
      let hold = await WriterHold(stage.database)
      let granted = await WriterHold.queue(in: stage.database) { () -> Bool in
        do {
          try await stage.database.write { tx in
            _ = try tx.put(
              AssociationRecord(
                id: "asc_newcomer",
                userID: newcomer,
                entity: try tx.known("prp_0", type: SmartHome.property),
                role: SmartHome.propertyManager,
                grantedBy: "",
                now: 0
              ),
              policy
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
            .init(unitId: "unt_0", email: "ada@example.org"),
            options: .by(newcomer)
          ).userId
        } catch {
          return "\(error)"
        }
      }
      try await hold.end()
      #expect(await granted.value)
      #expect(await added.value == "usr_ada@example.org")
    }
  }
}
