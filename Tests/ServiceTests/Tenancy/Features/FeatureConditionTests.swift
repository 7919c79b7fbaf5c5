import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import AccessEngine
@testable import TenancyService

@Suite("Conditions on features")
struct FeatureConditionTests {
  /// The smart home, where some actions need a feature of the portfolio.
  static func policy(viewing: Bool = false) throws -> [UInt8] {
    var text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    func replace(_ old: String, _ new: String) {
      precondition(text.contains(old), "the policy has no \(old)")
      text.replace(old, with: new, maxReplacements: 1)
    }
    replace(
      #""desired_state": "on", "kinds": ["light", "thermostat", "switch", "other"]"#
        + "\n          },",
      #""desired_state": "on", "kinds": ["lock", "light"]"# + "\n          }, \"holder\": 0,"
    )
    replace(
      #" "holder": 0,"# + "\n          \"roles\": [\"property_manager\", \"tenant\"],"
        + "\n          \"conditions\": [",
      "\n          \"roles\": [\"property_manager\", \"tenant\"],"
        + "\n          \"conditions\": [ { \"feature\": \"remote\" },"
    )
    replace(
      #""property.update": { "roles": ["property_manager"] }"#,
      #""property.update": { "roles": ["property_manager"], "conditions": [{ "feature": "editing" }] }"#
    )
    if viewing {
      replace(
        #""device.view": { "roles": ["property_manager", "tenant", "guest"] }"#,
        #""device.view": { "roles": ["property_manager", "tenant", "guest"], "#
          + #""conditions": [{ "feature": "viewing" }] }"#
      )
    }
    return [UInt8](text.utf8)
  }

  private static let service = CallOptions.byService("gateway")

  private func turnOn(_ home: Building) -> Tenancy_V1.CheckRequest {
    .init(subjectId: home.tenant, action: "device.turn_on", entityId: home.door)
  }

  /// Asks until the answer is as expected; changes come from elsewhere in their own time.
  private func eventually(
    _ reason: Tenancy_V1.Reason,
    _ stage: TenancyStage,
    _ request: Tenancy_V1.CheckRequest
  ) async throws -> Bool {
    try await stage.eventually {
      try await stage.permissions.check(request, options: Self.service).reason == reason
    }
  }

  /// Returns once the stream of changes was heard of, which has everything forgotten once.
  private func listening(_ stage: TenancyStage) async {
    let sign = "gatehouse_tenancy_feature_flushes_total 1"
    let isHeard = await stage.eventually {
      String(decoding: stage.metrics.render(), as: UTF8.self).contains(sign)
    }
    #expect(isHeard)
  }

  @Test("Without an EntitlementService nobody has a feature, and that is a plain denial")
  func feature_withoutPeer_isDenied() async throws {
    try await TenancyStage.run(policy: Self.policy()) { stage in
      let home = try await Building(stage, name: "home")
      let answer = try await stage.permissions.check(turnOn(home), options: Self.service)
      #expect(answer.reason == .featureNotAvailable)
      let operated = try await refusal {
        try await stage.devices.operate(
          .init(deviceId: home.door, operation: "turn_on"),
          options: .by(home.tenant)
        )
      }
      #expect(operated == Refusal(.failedPrecondition, "FEATURE_NOT_AVAILABLE"))
    }
  }

  @Test("A refusal for want of a feature names it and what would unlock it, by every way to it")
  func feature_missing_isNamed() async throws {
    let entitlement = SmallEntitlementService()
    try await TenancyStage.run(policy: Self.policy(), entitlement: entitlement) { stage in
      let home = try await Building(stage, name: "home")
      // The first stream forgets the features that were asked for before it.
      _ = try await stage.permissions.check(turnOn(home), options: Self.service)
      await listening(stage)
      let operated = await #expect(throws: RPCError.self) {
        try await stage.devices.operate(
          .init(deviceId: home.door, operation: "turn_on"),
          options: .by(home.tenant)
        )
      }
      #expect(operated?.reason == "FEATURE_NOT_AVAILABLE")
      let remote = try #require(operated?.errorInfo?.metadata)
      #expect(remote["feature"] == "remote" && remote["unlocked_by_tier"] == "standard")
      #expect(remote["unlocked_by_addons"] == "away,anywhere")
      #expect(remote["unlocked_by_products"] == nil)
      #expect(
        operated?.message
          == "device.turn_on needs the feature remote, which is not included in the plan; "
          + "buy the tier standard or the add-on away,anywhere"
      )
      let updated = await #expect(throws: RPCError.self) {
        try await stage.properties.update(
          .init(propertyId: home.property, name: "Pier 5"),
          options: .by(home.manager)
        )
      }
      // The catalogue does not have it, so nobody can say how to get it.
      #expect(updated?.errorInfo?.metadata["feature"] == "editing")
      #expect(updated?.errorInfo?.metadata["unlocked_by_tier"] == nil)
      #expect(updated?.message.hasSuffix("ask who pays for it") == true)
    }
  }

  @Test("A feature of the portfolio allows, is asked for once, and is valid for five minutes")
  func feature_paid_isAllowedAndKept() async throws {
    let entitlement = SmallEntitlementService()
    try await TenancyStage.run(policy: Self.policy(), entitlement: entitlement) { stage in
      let home = try await Building(stage, name: "home")
      entitlement.set(["remote"], of: home.portfolio)
      let first = try await stage.permissions.check(turnOn(home), options: Self.service)
      #expect(first.allowed)
      await listening(stage)
      let heard = try await stage.permissions.check(turnOn(home), options: Self.service)
      let until = try #require(heard.validUntil?.milliseconds) - TenancyStage.start
      #expect(until > 290_000 && until <= 300_000)
      let count = entitlement.getCount
      for _ in 0..<50 {
        let answer = try await stage.permissions.check(turnOn(home), options: Self.service)
        #expect(answer.allowed)
      }
      #expect(entitlement.getCount == count)
      let lamp = try await stage.devices.register(
        .init(propertyId: home.property, unitId: home.unit, name: "Lamp", type: "light"),
        options: .by(home.manager)
      ).id
      let operated = try await stage.devices.operate(
        .init(deviceId: lamp, operation: "turn_on"),
        options: .by(home.tenant)
      )
      #expect(operated.record?.succeeded == true)
    }
  }

  @Test("A role comes before a feature: who may not anyway causes no question")
  func feature_withoutRole_isNotAskedFor() async throws {
    let entitlement = SmallEntitlementService()
    try await TenancyStage.run(policy: Self.policy(), entitlement: entitlement) { stage in
      let home = try await Building(stage, name: "home")
      var request = turnOn(home)
      request.subjectId = "usr_stranger"
      let answer = try await stage.permissions.check(request, options: Self.service)
      #expect(answer.reason == .noAssociation)
      request = turnOn(home)
      request.action = "device.unlock"
      let unlock = try await stage.permissions.check(request, options: Self.service)
      #expect(unlock.allowed)
      #expect(entitlement.getCount == 0)
      #expect(entitlement.watchCount == 0)
    }
  }

  @Test("A feature that is taken away or bought is noticed when it is pushed")
  func feature_changes_areHeard() async throws {
    let entitlement = SmallEntitlementService()
    try await TenancyStage.run(policy: Self.policy(), entitlement: entitlement) { stage in
      let home = try await Building(stage, name: "home")
      let other = try await Building(stage, name: "other")
      entitlement.set(["remote"], of: home.portfolio)
      entitlement.set(["remote"], of: other.portfolio)
      #expect(try await eventually(.allowed, stage, turnOn(home)))
      await listening(stage)
      #expect(try await eventually(.allowed, stage, turnOn(home)))
      #expect(try await eventually(.allowed, stage, turnOn(other)))
      let count = entitlement.getCount
      entitlement.set([], of: home.portfolio)
      #expect(try await eventually(.featureNotAvailable, stage, turnOn(home)))
      entitlement.set(["remote"], of: home.portfolio)
      #expect(try await eventually(.allowed, stage, turnOn(home)))
      // Only what changed was asked for again.
      #expect(entitlement.getCount == count + 2)
    }
  }

  @Test("Watchers of permissions are notified of changed features, and can resume after them")
  func feature_changes_areAnnounced() async throws {
    let entitlement = SmallEntitlementService()
    try await TenancyStage.run(policy: Self.policy(), entitlement: entitlement) { stage in
      let home = try await Building(stage, name: "home")
      var changes = stage.permissions.watchChanges(.init(), options: Self.service)
        .makeAsyncIterator()
      let first = try #require(try await changes.next())
      #expect(first.kind == .heartbeat)
      _ = try await stage.permissions.check(turnOn(home), options: Self.service)
      await listening(stage)
      entitlement.set(["remote"], of: "prt_elsewhere")
      entitlement.set(["remote"], of: home.portfolio)
      let change = try #require(try await news(&changes))
      #expect(change.kind == .subtree && change.entityId == home.portfolio)
      let bought = try await stage.permissions.check(turnOn(home), options: Self.service)
      #expect(bought.allowed, "an answer after the announcement is the new one")
      entitlement.changeCatalog()
      let catalog = try #require(try await news(&changes))
      #expect(catalog.kind == .policy)
      var resumed = stage.permissions.watchChanges(
        .init(afterRevision: change.revision),
        options: Self.service
      ).makeAsyncIterator()
      let missed = try await news(&resumed)
      #expect(missed?.kind == .policy)
    }
  }

  /// The next change that is no heartbeat; nil after ten of those, half a minute.
  private func news<Changes: AsyncIteratorProtocol>(
    _ changes: inout Changes,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Tenancy_V1.Change? where Changes.Element == Tenancy_V1.Change {
    for _ in 0..<10 {
      let change = try await changes.next(isolation: isolation)
      if change?.kind != .heartbeat { return change }
    }
    return nil
  }

  @Test("With EntitlementService down it is UNAVAILABLE and no denial; the rest goes on")
  func feature_peerDown_isUnavailable() async throws {
    let entitlement = SmallEntitlementService()
    try await TenancyStage.run(policy: Self.policy(), entitlement: entitlement) { stage in
      let home = try await Building(stage, name: "home")
      entitlement.set(["remote", "editing"], of: home.portfolio)
      entitlement.setDown(true)
      let unavailable = Refusal(.unavailable, "ENTITLEMENTS_UNAVAILABLE")
      let options = Self.service
      #expect(
        try await refusal { try await stage.permissions.check(turnOn(home), options: options) }
          == unavailable
      )
      let batch = Tenancy_V1.BatchCheckRequest(checks: [turnOn(home)])
      #expect(
        try await refusal { try await stage.permissions.batchCheck(batch, options: options) }
          == unavailable
      )
      let update = Tenancy_V1.UpdatePropertyRequest(
        propertyId: home.property,
        name: "renamed",
        idempotencyKey: "key"
      )
      #expect(
        try await refusal { try await stage.properties.update(update, options: .by(home.manager)) }
          == unavailable
      )
      var unlock = turnOn(home)
      unlock.action = "device.unlock"
      #expect(try await stage.permissions.check(unlock, options: options).allowed)
      // Neither the failure nor the refused write is remembered.
      entitlement.setDown(false)
      #expect(try await stage.permissions.check(turnOn(home), options: options).allowed)
      let renamed = try await stage.properties.update(update, options: .by(home.manager))
      #expect(renamed.name == "renamed")
    }
  }

  @Test("What is known goes on to count while EntitlementService does not answer but is heard of")
  func feature_peerDownButKnown_counts() async throws {
    let entitlement = SmallEntitlementService()
    try await TenancyStage.run(policy: Self.policy(), entitlement: entitlement) { stage in
      let home = try await Building(stage, name: "home")
      entitlement.set(["remote"], of: home.portfolio)
      #expect(try await eventually(.allowed, stage, turnOn(home)))
      await listening(stage)
      #expect(try await eventually(.allowed, stage, turnOn(home)))
      entitlement.setDown(true)
      for _ in 0..<10 {
        let answer = try await stage.permissions.check(turnOn(home), options: Self.service)
        #expect(answer.allowed)
      }
    }
  }

  @Test("Many who miss the same feature make one question")
  func feature_manyMisses_oneCall() async throws {
    let entitlement = SmallEntitlementService()
    try await TenancyStage.run(policy: Self.policy(), entitlement: entitlement) { stage in
      let warm = try await Building(stage, name: "warm")
      let home = try await Building(stage, name: "home")
      entitlement.set(["remote"], of: home.portfolio)
      _ = try await stage.permissions.check(turnOn(warm), options: Self.service)
      await listening(stage)
      _ = try await stage.permissions.check(turnOn(warm), options: Self.service)
      let count = entitlement.getCount
      entitlement.hold(home.portfolio)
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<40 {
          group.addTask {
            try await stage.permissions.check(turnOn(home), options: Self.service).allowed
          }
        }
        let isHeld = await stage.eventually { entitlement.isHolding }
        #expect(isHeld)
        entitlement.release()
        for try await isAllowed in group { #expect(isAllowed) }
      }
      #expect(entitlement.getCount == count + 1)
    }
  }

  @Test("An answer that a change overtook is not kept")
  func feature_changesDuringCall_isAskedAgain() async throws {
    let entitlement = SmallEntitlementService()
    try await TenancyStage.run(policy: Self.policy(), entitlement: entitlement) { stage in
      let warm = try await Building(stage, name: "warm")
      let home = try await Building(stage, name: "home")
      entitlement.set(["remote"], of: home.portfolio)
      entitlement.set(["remote"], of: warm.portfolio)
      _ = try await stage.permissions.check(turnOn(warm), options: Self.service)
      await listening(stage)
      #expect(try await eventually(.allowed, stage, turnOn(warm)))
      entitlement.hold(home.portfolio)
      async let early = stage.permissions.check(turnOn(home), options: Self.service)
      let isHeld = await stage.eventually { entitlement.isHolding }
      #expect(isHeld)
      entitlement.set([], of: home.portfolio)
      // Changes come in order: once the second one is seen, so is the first.
      entitlement.set([], of: warm.portfolio)
      #expect(try await eventually(.featureNotAvailable, stage, turnOn(warm)))
      entitlement.release()
      _ = try await early
      let late = try await stage.permissions.check(turnOn(home), options: Self.service)
      #expect(late.reason == .featureNotAvailable)
    }
  }

  @Test("A list shows what features allow, portfolio by portfolio")
  func list_withFeatures_isComplete() async throws {
    let entitlement = SmallEntitlementService()
    try await TenancyStage.run(policy: Self.policy(viewing: true), entitlement: entitlement) {
      stage in
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: "usr_super"),
        options: .byService("auth")
      )
      let paid = try await Building(stage, name: "paid")
      let free = try await Building(stage, name: "free")
      entitlement.set(["viewing"], of: paid.portfolio)
      let list = try await stage.devices.list(.init(), options: .by("usr_super"))
      #expect(Set(list.devices.map(\.id)) == [paid.door, paid.gate, paid.cellar])
      #expect(list.totalSize == 3)
      let accessible = try await stage.permissions.listAccessible(
        .init(subjectId: free.owner, action: "device.view", entityType: "device"),
        options: Self.service
      )
      #expect(accessible.entityIds.isEmpty)
      let actions = try await stage.permissions.listActions(
        .init(subjectId: "usr_super", entityIds: [paid.door, free.door]),
        options: Self.service
      )
      #expect(actions.entities[0].actions.contains("device.view"))
      #expect(!actions.entities[1].actions.contains("device.view"))
      #expect(actions.entities[1].actions.contains("device.unlock"))
    }
  }

  @Test("A policy without features never asks, nor listens")
  func policyWithoutFeatures_asksNothing() async throws {
    let entitlement = SmallEntitlementService()
    try await TenancyStage.run(entitlement: entitlement) { stage in
      let home = try await Building(stage, name: "home")
      _ = try await stage.permissions.check(turnOn(home), options: Self.service)
      _ = try await stage.devices.list(.init(), options: .by(home.owner))
      #expect(entitlement.getCount == 0)
      #expect(entitlement.watchCount == 0)
    }
  }

  @Test("A condition on a feature that nothing above could have does not load")
  func policy_featureWithoutHolder_isRefused() throws {
    var text = String(decoding: try Self.policy(), as: UTF8.self)
    text.replace("\"holds_features_as\": \"portfolio\",", with: "")
    #expect {
      _ = try Policy.load([UInt8](text.utf8))
    } throws: { error in
      "\(error)".contains("neither this type nor one above it holds features")
    }
  }
}
