@testable import AccessEngine
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import TenancyContracts
import Testing

@testable import TenancyService

@Suite("Support people, and who looked at whom")
struct SupportTests {
  private static let (boss, sam, owner) = ("usr_boss", "usr_sam", "usr_owner")
  private static let auth = CallOptions.byService("auth")

  /// Boss is an operator, Sam a support person, and the owner has a portfolio with a property.
  private func run(
    entitlement: SmallEntitlementService? = nil,
    webhooks: WebhookFixture? = nil,
    _ body: (TenancyStage, _ portfolio: String, _ property: String) async throws -> Void
  ) async throws {
    try await TenancyStage.run(entitlement: entitlement, webhooks: webhooks) { stage in
      _ = try await stage.associations.grantSuperAdmin(.init(userId: Self.boss), options: Self.auth)
      _ = try await stage.associations.grantSupport(.init(userId: Self.sam), options: Self.auth)
      let portfolio = try await stage.portfolios.create(
        .init(name: "Harbour"),
        options: .by(Self.owner)
      )
      let property = try await Tenancy_V1.PropertiesClient(stage.channel).create(
        .init(portfolioId: portfolio.id, name: "Quay"),
        options: .by(Self.owner)
      )
      try await body(stage, portfolio.id, property.id)
    }
  }

  private func looks(
    _ stage: TenancyStage,
    at entity: String = "",
    by user: String
  ) async throws -> [String] {
    let audit = Tenancy_V1.TenancyAuditClient(stage.channel)
    var (found, token) = ([String](), "")
    repeat {
      let page = try await audit.listAccess(
        .init(entityId: entity, pageSize: 1, pageToken: token),
        options: .by(user)
      )
      found += page.records.map { "\($0.operatorId) \($0.method) \($0.object)" }
      token = page.nextPageToken
    } while !token.isEmpty
    return found
  }

  @Test("A support person reads anybody's roles by a second factor, and changes nothing")
  func support_reads_andChangesNothing() async throws {
    try await run { stage, portfolio, _ in
      let request = Tenancy_V1.ListByUserRequest(userId: Self.owner)
      let plain = try await refusal {
        try await stage.associations.listByUser(request, options: .by(Self.sam))
      }
      #expect(plain == Refusal(.unauthenticated, "STEP_UP_REQUIRED"))
      let found = try await stage.associations.listByUser(
        request,
        options: .by(Self.sam, acr: "mfa")
      )
      #expect(found.associations.map(\.role) == ["owner"])
      // An operator needs none, as before.
      _ = try await stage.associations.listByUser(request, options: .by(Self.boss))
      let reads = try await looks(stage, by: Self.owner)
      #expect(
        reads == [
          "usr_boss tenancy.v1.Associations/ListByUser usr_owner",
          "usr_sam tenancy.v1.Associations/ListByUser usr_owner",
        ]
      )
      let sam = CallOptions.by(Self.sam, acr: "phr", isRecent: true)
      let suspend = try await refusal {
        try await Tenancy_V1.SubjectsClient(stage.channel).suspend(
          .init(userId: Self.owner),
          options: sam
        )
      }
      #expect(suspend?.code == .permissionDenied)
      let rename = try await refusal {
        try await stage.portfolios.update(.init(portfolioId: portfolio, name: "Mine"), options: sam)
      }
      #expect(rename?.code == .notFound)
      let opened = try await refusal {
        try await stage.portfolios.get(.init(portfolioId: portfolio), options: sam)
      }
      #expect(opened?.code == .notFound)
    }
  }

  @Test("The audit log is for support people and operators, suspended users for operators alone")
  func operatorReads_bySupport_areAnswered() async throws {
    try await run { stage, _, _ in
      let (subjects, audit) = (
        Tenancy_V1.SubjectsClient(stage.channel), Tenancy_V1.TenancyAuditClient(stage.channel)
      )
      for user in [Self.boss, Self.sam] {
        _ = try await audit.search(.init(), options: .by(user, acr: "mfa"))
      }
      let search = try await refusal {
        try await audit.search(.init(), options: .by(Self.owner, acr: "mfa"))
      }
      let list = try await refusal {
        try await subjects.listSuspended(.init(), options: .by(Self.sam, acr: "mfa"))
      }
      #expect(list?.code == .permissionDenied && search?.code == .permissionDenied)
    }
  }

  @Test("About an entity that is not there, support people and operators get no explanation")
  func explain_ofUnknown_isNotFound() async throws {
    try await run { stage, _, _ in
      for user in [Self.boss, Self.sam] {
        for asOf in [nil, stage.clock.now] {
          let refused = try await refusal {
            try await stage.permissions.explain(
              .init(
                subjectId: Self.owner,
                action: "property.view",
                entityId: "prp_unknown",
                asOf: asOf.map { .init(milliseconds: $0) }
              ),
              options: .by(user, acr: "mfa")
            )
          }
          #expect(refused?.code == .notFound)
        }
      }
    }
  }

  @Test("A support person learns why anybody was refused, now and then, and both can see that")
  func explain_bySupport_isWholeAndRecorded() async throws {
    try await run { stage, portfolio, property in
      var request = Tenancy_V1.ExplainRequest(
        subjectId: "usr_mona",
        action: "property.view",
        entityId: property
      )
      let others = try await refusal {
        try await stage.permissions.explain(request, options: .by("usr_nina", acr: "mfa"))
      }
      #expect(others?.code == .notFound)
      let plain = try await refusal {
        try await stage.permissions.explain(request, options: .by(Self.sam))
      }
      #expect(plain == Refusal(.unauthenticated, "STEP_UP_REQUIRED"))
      #expect(try await looks(stage, at: portfolio, by: Self.owner).isEmpty)
      let sam = CallOptions.by(Self.sam, acr: "mfa")
      let refused = try await stage.permissions.explain(request, options: sam)
      #expect(refused.decision?.reason == .noAssociation)
      #expect(refused.decision?.sufficientRoles.contains("owner") == true)
      request.subjectId = Self.owner
      let allowed = try await stage.permissions.explain(request, options: sam)
      #expect(allowed.decision?.allowed == true && allowed.decision?.viaEntityId == portfolio)
      request.asOf = .init(milliseconds: stage.clock.now)
      let past = try await stage.permissions.explain(request, options: sam)
      #expect(past.decision?.allowed == true && past.decision?.viaEntityId == portfolio)
      let seen = "usr_sam tenancy.v1.Permissions/Explain \(property)"
      let atProperty = try await looks(stage, at: property, by: Self.owner)
      #expect(atProperty == [seen, seen, seen])
      // The topmost of the tree has all that happened in it.
      #expect(try await looks(stage, at: portfolio, by: Self.owner) == [seen, seen, seen])
      #expect(try await looks(stage, by: "usr_mona").count == 1)
      let stranger = try await refusal { try await looks(stage, at: portfolio, by: "usr_mona") }
      #expect(stranger?.code == .notFound)
    }
  }

  @Test("An operator whose role lets it see a tenant is recorded, once an hour for each object")
  func reads_ofOperators_areRecorded() async throws {
    try await run { stage, portfolio, property in
      let properties = Tenancy_V1.PropertiesClient(stage.channel)
      func open() async throws {
        _ = try await properties.get(.init(propertyId: property), options: .by(Self.boss))
      }
      try await open()
      try await open()
      let once = ["usr_boss tenancy.v1.Properties/Get \(property)"]
      #expect(try await looks(stage, at: portfolio, by: Self.owner) == once)
      #expect(try await looks(stage, at: property, by: Self.owner) == once)
      stage.clock.advance(3_599_999)
      try await open()
      #expect(try await looks(stage, at: portfolio, by: Self.owner) == once)
      stage.clock.advance(1)
      try await open()
      #expect(try await looks(stage, at: portfolio, by: Self.owner) == once + once)
      // A change is recorded as such, and is no look.
      _ = try await properties.update(
        .init(propertyId: property, name: "Pier"),
        options: .by(Self.boss)
      )
      stage.clock.advance(3_600_000)
      _ = try await properties.update(
        .init(propertyId: property, name: "Quay"),
        options: .by(Self.boss)
      )
      // Those who have a role there are no news.
      _ = try await properties.get(.init(propertyId: property), options: .by(Self.owner))
      #expect(try await looks(stage, at: portfolio, by: Self.owner) == once + once)
    }
  }

  @Test("Lists, reports, streams and searches of the log leave a record for the tenant they show")
  func pages_ofOperators_areRecorded() async throws {
    let entitlement = SmallEntitlementService()
    entitlement.set(["compliancePack"], of: Self.boss)
    try await run(entitlement: entitlement, webhooks: .init()) { stage, portfolio, property in
      let boss = CallOptions.by(Self.boss)
      func seen() async throws -> [String] {
        try await looks(stage, at: portfolio, by: Self.owner)
          .map { $0.replacing("\(Self.boss) tenancy.v1.", with: "") }
      }
      let other = try await stage.portfolios.create(.init(name: "Hill"), options: .by("usr_nina"))
      _ = try await stage.portfolios.list(.init(), options: boss)
      var expected = ["Portfolios/List \(portfolio)"]
      #expect(try await seen() == expected)
      #expect(try await looks(stage, at: other.id, by: "usr_nina").count == 1)
      // Those who have a role of the tenant's own are not written down.
      _ = try await stage.portfolios.list(.init(), options: .by(Self.owner))
      // The same tenant by another list, once an hour.
      let all = Tenancy_V1.ListEntitiesRequest(type: "property", sortBy: "name")
      _ = try await stage.entities.list(all, options: boss)
      #expect(try await seen() == expected)
      stage.clock.advance(3_600_000)
      _ = try await stage.entities.list(all, options: boss)
      expected.insert("Entities/List \(portfolio)", at: 0)
      #expect(try await seen() == expected)
      _ = try await stage.report(on: portfolio, by: Self.boss)
      expected.insert("Reports/Read \(portfolio)", at: 0)
      #expect(try await seen() == expected)
      var events = Tenancy_V1.WebhooksClient(stage.channel)
        .listen(.init(entityId: portfolio), options: boss).makeAsyncIterator()
      _ = try await events.next()
      expected.insert("Webhooks/Listen \(portfolio)", at: 0)
      #expect(try await seen() == expected)
      _ = try await Tenancy_V1.TenancyAuditClient(stage.channel)
        .search(.init(actor: "user:\(Self.owner)", object: property), options: boss)
      expected.insert("TenancyAudit/Search \(property)", at: 0)
      #expect(try await seen() == expected)
      #expect(try await looks(stage, by: Self.owner).count == 1)
    }
  }

  @Test("Who is a support person is one once, and none at once when that is taken away")
  func grantSupport_andRevoke_takeEffect() async throws {
    try await run { stage, _, _ in
      #expect(stage.service.holds(.inspection, Self.sam))
      #expect(!stage.service.holds(.administration, Self.sam))
      #expect(stage.service.holds(.inspection, Self.boss))
      let again = try await stage.associations.grantSupport(
        .init(userId: Self.sam),
        options: Self.auth
      )
      #expect(again.role == "support" && again.entityId == "sys_root")
      let byUser = try await refusal {
        try await stage.associations.grantSupport(
          .init(userId: Self.owner),
          options: .by(Self.boss)
        )
      }
      #expect(byUser?.code == .permissionDenied || byUser?.code == .unauthenticated)
      let unknown = try await refusal {
        try await stage.associations.grantSupport(
          .init(userId: "usr_missing"),
          options: Self.auth
        )
      }
      #expect(unknown?.code == .invalidArgument || unknown?.code == .notFound)
      // The last one goes too: an installation needs none.
      let removed = try await stage.associations.revokeSupport(
        .init(userId: Self.sam),
        options: Self.auth
      )
      #expect(removed.removed == 1 && !stage.service.holds(.inspection, Self.sam))
    }
  }

  @Test("Nobody has looked at somebody new, and a search for something unknown finds nothing")
  func lists_ofNothing_areEmpty() async throws {
    try await run { stage, _, _ in
      #expect(try await looks(stage, by: "usr_new").isEmpty)
      let found = try await Tenancy_V1.TenancyAuditClient(stage.channel).search(
        .init(object: "unt_unknown"),
        options: .by(Self.boss)
      )
      #expect(found.entries.isEmpty && found.nextPageToken.isEmpty)
    }
  }

  // MARK: Policies

  @Test("Every policy has a role for support that grants nothing but reading as support")
  func supportRole_isBuiltIn() throws {
    let policy = try Policy.load([UInt8](LibraryPolicy.text.utf8))
    let role = try #require(policy.role(named: "support"))
    let grants = PolicyDescription(policy).roles.first { $0.name == "support" }?.grants
    #expect(policy[role].name == "support" && grants?.map(\.action) == ["system.inspect"])
  }

  @Test("A product that calls a role of its own support keeps it, and has no support people")
  func supportRole_ofProduct_isItsOwn() throws {
    var text = LibraryPolicy.text
    text.replace(#""visitor": {"#, with: #""support": { "on": ["book"] }, "visitor": {"#)
    let policy = try Policy.load([UInt8](text.utf8))
    let grants = PolicyDescription(policy).roles.first { $0.name == "support" }?.grants
    #expect(grants?.isEmpty == true)
    let operators = PolicyDescription(policy).roles.first { $0.name == "super_admin" }?.grants
    #expect(operators?.contains { $0.action == "system.inspect" } == true)
  }

  @Test("Policies have room for 62 roles beside the built-in ones")
  func roles_ofMany_areCounted() throws {
    func text(_ count: Int) -> [UInt8] {
      let own = 6
      let more = (own..<count).map { "\"role\($0)\": { \"on\": [\"book\"] }, " }.joined()
      var text = LibraryPolicy.text
      text.replace(#""visitor": {"#, with: more + #""visitor": {"#)
      return [UInt8](text.utf8)
    }
    _ = try Policy.load(text(62))
    let error = #expect(throws: PolicyError.self) { try Policy.load(text(63)) }
    #expect(error?.description.contains("at most 62 roles") == true)
  }
}
