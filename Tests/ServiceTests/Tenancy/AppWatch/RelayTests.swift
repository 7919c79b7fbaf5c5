import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import TenancyContracts
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Watches of apps, for what other services tell", .timeLimit(.minutes(5)))
struct RelayTests {
  /// A service whose push of entitlements is open, and a building.
  private func run(
    _ body: (TenancyStage, Building, SmallEntitlementService) async throws -> Void
  ) async throws {
    let entitlement = SmallEntitlementService()
    try await TenancyStage.run(entitlement: entitlement) { stage in
      let home = try await Building(stage, name: "a")
      var first = AppClient(stage, "usr_first")
      try await first.current()
      // It is opened for the first app, if nobody else has asked.
      let isOpen = await stage.eventually { entitlement.watchCount > 0 }
      try #require(isOpen)
      entitlement.set([], of: "usr_first")
      while try await first.next().map(AppClient.text) != "plan usr_first" {}
      try await body(stage, home, entitlement)
    }
  }

  @Test("A plan is told to its user, and a portfolio's by its name to those who see that")
  func plan_isTold() async throws {
    try await run { stage, home, entitlement in
      var apps: [String: AppClient] = [:]
      for user in [home.owner, home.tenant, "usr_buyer"] {
        apps[user] = AppClient(stage, user, kinds: [.plan, .document])
        try await apps[user]?.current()
      }
      entitlement.set(["remote"], of: home.portfolio)
      #expect(try await apps[home.owner]?.next().map(AppClient.text) == "plan \(home.portfolio)")
      // A tenant need not know whose plan it is.
      #expect(try await apps[home.tenant]?.next().map(AppClient.text) == "plan")
      entitlement.set(["remote"], of: "usr_buyer")
      #expect(try await apps["usr_buyer"]?.next().map(AppClient.text) == "plan usr_buyer")
      entitlement.changeCatalog()
      for user in apps.keys {
        #expect(try await apps[user]?.next().map(AppClient.text) == "plan")
        #expect(try await apps[user]?.told() == [])
      }
    }
  }

  @Test("An organization's plan is told to the members of a stable, who need not know whose it is")
  func plan_ofOrganization_isToldBelow() async throws {
    let entitlement = SmallEntitlementService()
    let policy = try PolicyFile.bytes("equestrian")
    try await TenancyStage.run(policy: policy, entitlement: entitlement) { stage in
      let organization = try await stage.create("organization", name: "Club", by: "usr_olga").id
      entitlement.set(limits: ["maxStables": 1, "maxHorses": 1, "maxMembers": 5], of: organization)
      let stable = try await stage.create("stable", under: organization, by: "usr_olga").id
      try await stage.grant("stable_manager", on: stable, to: "usr_mia", by: "usr_olga")
      var apps: [String: AppClient] = [:]
      for user in ["usr_olga", "usr_mia", "usr_stranger"] {
        apps[user] = AppClient(stage, user, kinds: [.plan, .document])
        try await apps[user]?.current()
      }
      let isOpen = await stage.eventually { entitlement.watchCount > 0 }
      try #require(isOpen)
      while try await apps["usr_stranger"]?.told() != [] {}
      for user in apps.keys { _ = try await apps[user]?.told() }
      entitlement.set(["lessons"], of: organization)
      #expect(try await apps["usr_olga"]?.next().map(AppClient.text) == "plan \(organization)")
      #expect(try await apps["usr_mia"]?.next().map(AppClient.text) == "plan")
      #expect(try await apps["usr_stranger"]?.told() == [])
    }
  }

  @Test("Changes that are relayed are resumed after, as long as the process knows them")
  func relayed_isResumed() async throws {
    try await run { stage, home, entitlement in
      var app = AppClient(stage, "usr_buyer", kinds: [.plan, .document])
      try await app.current()
      let token = app.token
      entitlement.set(["remote"], of: "usr_buyer")
      _ = try await app.next()
      entitlement.set([], of: "usr_buyer")
      _ = try await app.next()
      var again = AppClient(stage, "usr_buyer", after: token, kinds: [.plan, .document])
      #expect(try await again.current() == ["plan usr_buyer"])
      var rest = AppClient(stage, "usr_buyer", after: again.token, kinds: [.plan, .document])
      #expect(try await rest.current() == [])
    }
  }

  @Test("What another process relayed is read again, as far as it is wanted")
  func relayed_byAnotherProcess_resyncs() async throws {
    let folder = try TestFolder()
    var token = ""
    try await TenancyStage.run(in: folder, entitlement: SmallEntitlementService()) { stage in
      var app = AppClient(stage, "usr_ada")
      try await app.current()
      token = app.token
    }
    try await TenancyStage.run(in: folder) { stage in
      var app = AppClient(stage, "usr_ada", after: token)
      let told = try await app.current()
      // Where several programs serve the store, each start tells of its policy.
      let news = stage.service.core.database.isShared ? ["rights"] : []
      #expect(told == ["resync plan", "resync points", "resync profile"] + news)
      var rest = AppClient(stage, "usr_ada", after: app.token)
      #expect(try await rest.current() == [])
      var some = AppClient(stage, "usr_ada", after: token, kinds: [.points, .device])
      #expect(try await some.current() == ["resync points"])
    }
  }

  @Test("A profile is told to its user alone, and points to those who see their holder")
  func profileAndPoints_areTold() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      let watchers = stage.service.apps
      var apps: [String: AppClient] = [:]
      for user in [home.owner, home.tenant] {
        apps[user] = AppClient(stage, user)
        try await apps[user]?.current()
      }
      let change = Auth_V1.UserChange(kind: .profile, revision: 5, userId: home.tenant)
      watchers.relay(change)
      watchers.relay(Auth_V1.UserChange(kind: .heartbeat, revision: 6))
      #expect(try await apps[home.tenant]?.next().map(AppClient.text) == "profile")
      // Any entity may have points; the unit is one that both see, and the portfolio is not.
      for holder in [home.portfolio, home.unit, home.tenant] {
        watchers.relay(Entitlement_V1.Change(kind: .points, holderId: holder))
      }
      var told = try await apps[home.tenant]?.told() ?? []
      #expect(told == ["points \(home.unit)", "points \(home.tenant)"])
      told = try await apps[home.owner]?.told() ?? []
      #expect(told == ["points \(home.portfolio)", "points \(home.unit)"])
    }
  }

  @Test("An invitation is told to those whose address it is for: made, and gone")
  func invitation_isTold() async throws {
    let users = SmallUsersService()
    users.accounts.withLock {
      $0 = ["ida@example.com": "usr_ida", "una@example.com": "usr_una"]
    }
    users.verified.withLock { $0 = ["ida@example.com"] }
    try await TenancyStage.run(users: users) { stage in
      let home = try await Building(stage, name: "a")
      var (ida, una) = (AppClient(stage, "usr_ida"), AppClient(stage, "usr_una"))
      try await ida.current()
      try await una.current()
      let made = try #require(
        try await stage.inviteTenant(home, email: "Ida@example.com").invitation
      )
      _ = try await stage.inviteTenant(home, email: "una@example.com")
      let events = try await ida.toldEvents()
      #expect(events.map(AppClient.text) == ["invitation \(made.id)"])
      let received = try await stage.invitations.listReceived(.init(), options: .by("usr_ida"))
      #expect(events.map(\.invitation) == received.invitations)
      _ = try await stage.invitations.accept(
        .init(invitationId: made.id),
        options: .by("usr_ida")
      )
      let accepted = try await ida.told()
      #expect(Set(accepted) == ["rights", "invitation \(made.id) gone"])
      // An address that is not proven invites nobody; once it is, there may be invitations.
      #expect(try await una.told() == [])
      users.verified.withLock { _ = $0.insert("una@example.com") }
      stage.service.apps.relay(Auth_V1.UserChange(kind: .profile, revision: 9, userId: "usr_una"))
      #expect(try await una.next().map(AppClient.text) == "profile")
      #expect(try await una.next().map(AppClient.text) == "invitation")
      // Nothing in the log names an address.
      let scopes = try await stage.service.database.read { tx in
        try tx.query("SELECT scope FROM change_log WHERE kind = 'invitation'") { $0.text(0) }
      }
      #expect(!scopes.isEmpty && scopes.allSatisfy { !$0.contains("@") })
    }
  }
}
