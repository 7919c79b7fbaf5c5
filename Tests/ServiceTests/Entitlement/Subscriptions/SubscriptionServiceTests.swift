import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Subscriptions and what follows from them")
struct SubscriptionServiceTests {
  private let anna = ServiceFixture.anna
  private let now = TestTime.now
  private let organization = Entitlement_V1.Subject(kind: .organization, id: "org_anna")

  private func put(
    _ fixture: ServiceFixture,
    _ tier: String,
    of subject: Entitlement_V1.Subject? = nil,
    version: UInt64 = 0,
    _ change: (inout Entitlement_V1.Subscription) -> Void = { _ in }
  ) async throws -> Entitlement_V1.Subscription {
    var subscription = Entitlement_V1.Subscription(subject: subject ?? organization, tier: tier)
    change(&subscription)
    return try await fixture.subscriptions.put(
      .init(subscription: subscription, expectedVersion: version),
      options: ServiceFixture.service
    )
  }

  private func lessons(
    _ fixture: ServiceFixture,
    _ options: CallOptions = ServiceFixture.service
  ) async throws -> Entitlement_V1.CheckResponse {
    try await fixture.entitlements.checkFeature(
      .init(subject: organization, feature: "lessons"),
      options: options
    )
  }

  @Test("A subscription is read back as it was put, and checks follow it at once")
  func put_subscription_roundTrips() async throws {
    try await ServiceFixture.run { fixture in
      #expect(try await lessons(fixture).reason == .noSubscription)
      let stored = try await put(fixture, "pro") {
        $0.trial = true
        $0.paidUntil = .init(milliseconds: now + 1000)
        $0.graceUntil = .init(milliseconds: now + 2000)
        $0.addons = [.init(name: "invoicing", validUntil: .init(milliseconds: now + 500))]
        $0.overrides = [
          .init(feature: .init(key: "maxHorses", value: .limit(.init(value: .unlimited(true))))),
          .init(feature: .init(key: "manure", value: .enabled(false)), reason: "smells"),
          .init(feature: .init(key: "maxStables", value: .limit(.init(value: .maximum(9))))),
        ]
      }
      #expect(stored.version == 1)
      let read = try await fixture.subscriptions.get(
        .init(subject: organization),
        options: ServiceFixture.service
      )
      #expect(read == stored)
      let check = try await lessons(fixture)
      #expect(check.allowed && check.version == 1)
      #expect(check.validUntil?.milliseconds == now + 2000)
      let all = try await fixture.entitlements.get(
        .init(subject: organization),
        options: ServiceFixture.service
      )
      #expect(all.tier == "pro" && all.addons == ["invoicing"])
      #expect(all.validUntil?.milliseconds == now + 500)
      #expect(all.entitlements.map(\.key) == all.entitlements.map(\.key).sorted())
      let horses = all.entitlements.first { $0.key == "maxHorses" }
      #expect(horses?.limit == .init(value: .unlimited(true)))
      #expect(horses?.source == .override)
      fixture.clock.advance(2000)
      #expect(try await lessons(fixture).reason == .subscriptionExpired)
    }
  }

  @Test("Of two who change the same version one is told to read again")
  func put_oldVersion_isAborted() async throws {
    try await ServiceFixture.run { fixture in
      let first = try await put(fixture, "pro").version
      #expect(first == 1)
      #expect(try await put(fixture, "standard", version: 1).version == 2)
      let refused = await refusal { _ = try await put(fixture, "enterprise", version: 1) }
      #expect(refused.code == .aborted && refused.reason == "VERSION_MISMATCH")
      #expect(try await put(fixture, "standard").version == 2)
      // What was read is put back as it is, and is locked by the version in it.
      let farm = Entitlement_V1.GetSubscriptionRequest(subject: organization)
      let read = try await fixture.subscriptions.get(farm, options: ServiceFixture.service)
      let back = try await fixture.subscriptions.put(
        .init(subscription: read),
        options: ServiceFixture.service
      )
      #expect(back == read && back.version == 2)
      _ = try await put(fixture, "pro")
      let stale = await refusal {
        _ = try await fixture.subscriptions.put(
          .init(subscription: read),
          options: ServiceFixture.service
        )
      }
      #expect(stale.code == .aborted && stale.reason == "VERSION_MISMATCH")
    }
  }

  @Test("What does not fit the catalogue is refused, and nothing remains of it")
  func put_misfit_isRefused() async throws {
    try await ServiceFixture.run { fixture in
      let addon = await refusal {
        _ = try await put(fixture, "pro") { $0.addons = [.init(name: "nothing")] }
      }
      #expect(addon.code == .invalidArgument && addon.reason == "ADDON_UNKNOWN")
      let empty = await refusal {
        _ = try await put(fixture, "pro") { $0.overrides = [.init(feature: .init(key: "lessons"))] }
      }
      #expect(empty.code == .invalidArgument)
      let missing = await refusal {
        _ = try await fixture.subscriptions.get(
          .init(subject: organization),
          options: ServiceFixture.service
        )
      }
      #expect(missing.code == .notFound)
    }
  }

  @Test("Deleting ends it at once, and again is no error")
  func delete_twice_succeeds() async throws {
    try await ServiceFixture.run { fixture in
      _ = try await put(fixture, "pro") { $0.addons = [.init(name: "invoicing")] }
      for _ in 0..<2 {
        let answer = try await fixture.subscriptions.delete(
          .init(subject: organization),
          options: ServiceFixture.service
        )
        #expect(answer.version == 2)
      }
      #expect(try await lessons(fixture).reason == .noSubscription)
      #expect(try await put(fixture, "free").version == 3)
    }
  }

  @Test("Users see themselves and what TenancyService lets them see; the rest does not exist")
  func get_foreignSubjects_doNotExist() async throws {
    try await ServiceFixture.run { fixture in
      _ = try await put(fixture, "pro")
      _ = try await put(fixture, "pro", of: .init(kind: .portfolio, id: "prt_bert"))
      let user = ServiceFixture.user(anna)
      #expect(try await lessons(fixture, user).allowed)
      let foreign: [Entitlement_V1.Subject] = [
        .init(kind: .portfolio, id: "prt_bert"), .init(kind: .portfolio, id: "prt_nobody"),
        .init(kind: .user, id: ServiceFixture.bert), .init(kind: .user, id: "usr_nobody"),
      ]
      var messages: Set<String> = []
      for subject in foreign {
        do {
          _ = try await fixture.entitlements.get(.init(subject: subject), options: user)
          Issue.record("\(subject.id) can be seen")
        } catch let error as RPCError {
          #expect(error.code == .notFound)
          messages.insert("\(error.message) \(error.details)")
        }
      }
      #expect(messages.count == 1)
      let nobody = await refusal { _ = try await lessons(fixture, CallOptions()) }
      #expect(nobody.code == .unauthenticated)
    }
  }

  @Test("A batch answers each question in its place, at one instant")
  func batchCheck_mixed_keepsOrder() async throws {
    try await ServiceFixture.run { fixture in
      _ = try await put(fixture, "free")
      let answer = try await fixture.entitlements.batchCheck(
        .init(checks: [
          .init(check: .limit(.init(subject: organization, limit: "maxHorses", currentCount: 4))),
          .init(check: .limit(.init(subject: organization, limit: "maxHorses", currentCount: 5))),
          .init(
            check: .limit(
              .init(subject: organization, limit: "maxHorses", currentCount: .max, requested: .max)
            )
          ),
          .init(check: .feature(.init(subject: organization, feature: "lessons"))),
          .init(check: .feature(.init(subject: organization, feature: "nothing"))),
        ]),
        options: ServiceFixture.service
      )
      #expect(
        answer.results.map(\.reason) == [
          .available, .limitExceeded, .limitExceeded, .notInTier, .featureUnknown,
        ]
      )
      #expect(answer.results[0].remaining == 1)
      #expect(answer.results[3].unlockedBy?.tier == "pro")
    }
  }

  @Test("A watch begins with a heartbeat, tells of each change and goes on where it was")
  func watch_changes_areTold() async throws {
    try await ServiceFixture.run { fixture in
      var seen: [Entitlement_V1.Change] = []
      let stream = fixture.entitlements.watch(.init(), options: ServiceFixture.service)
      var changes = stream.makeAsyncIterator()
      let first = try #require(try await changes.next())
      #expect(first.kind == .heartbeat)
      _ = try await put(fixture, "pro")
      try await fixture.submit(anna)
      while seen.count < 2, let change = try await changes.next() {
        if change.kind != .heartbeat { seen.append(change) }
      }
      #expect(seen.map(\.kind) == [.subject, .subject])
      #expect(seen.map(\.version) == [1, 1])
      #expect(seen[0].subject == organization)
      #expect(seen[1].subject == .init(kind: .user, id: anna))
      #expect(seen[0].revision < seen[1].revision)
      let again = fixture.entitlements.watch(
        .init(afterRevision: seen[0].revision),
        options: ServiceFixture.service
      )
      for try await change in again where change.kind != .heartbeat {
        #expect(change == seen[1])
        break
      }
    }
  }

  @Test("Another catalogue counts at once, and those who watch hear of it")
  func reload_catalogue_isTold() async throws {
    try await ServiceFixture.run { fixture in
      _ = try await put(fixture, "standard")
      #expect(try await lessons(fixture).allowed == false)
      var changes = fixture.entitlements.watch(.init(), options: ServiceFixture.service)
        .makeAsyncIterator()
      _ = try await changes.next()
      let catalog = try TestCatalog.load { catalog in
        for index in catalog.tiers.indices where catalog.tiers[index].name == "standard" {
          catalog.tiers[index].values["lessons"] = .flag(true)
        }
      }
      try await fixture.service.reload(catalog)
      #expect(try await lessons(fixture).allowed)
      var change = try await changes.next()
      while change?.kind == .heartbeat { change = try await changes.next() }
      #expect(change?.kind == .tiers)
    }
  }

  @Test("What was acknowledged is there after the service was closed and opened")
  func open_again_remembers() async throws {
    try await ServiceFixture.run { fixture in
      _ = try await put(fixture, "pro")
      try await fixture.submit(anna)
      await fixture.service.close()
      let database = try await Database.open(
        DatabaseConfiguration(
          path: fixture.settings.store.path,
          applicationID: EntitlementSchema.applicationID
        ),
        migrations: EntitlementSchema.migrations
      )
      let (actions, stored) = try await database.read { tx in
        (
          try tx.query("SELECT actor, action FROM audit_log ORDER BY sequence") {
            "\($0.text(0)) \($0.text(1))"
          },
          try PurchaseTable.held(by: .user(ServiceFixture.anna), in: tx)
        )
      }
      #expect(
        actions == [
          "svc://entitlement catalog.load", "svc://billing subscription.put",
          "user:\(anna) purchase.claim",
        ]
      )
      #expect(stored.map(\.productID) == [TransactionFields.product])
      await database.close()
      let again = try await EntitlementService.open(
        fixture.settings,
        ServiceFixture.dependencies(fixture.clock)
      )
      #expect(again.readiness().isReady)
      await again.close()
    }
  }

  @Test("Nobody reads an old answer after a change was acknowledged, however many ask meanwhile")
  func checks_duringChanges_areNeverStale() async throws {
    try await ServiceFixture.run { fixture in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<100 { _ = try await lessons(fixture) }
          }
        }
        for round in 1...40 {
          let tier = round % 2 == 0 ? "free" : "pro"
          let version = try await put(fixture, tier).version
          let check = try await lessons(fixture)
          #expect(check.version == version)
          #expect(check.allowed == (tier == "pro"))
        }
        try await group.waitForAll()
      }
    }
  }
}
