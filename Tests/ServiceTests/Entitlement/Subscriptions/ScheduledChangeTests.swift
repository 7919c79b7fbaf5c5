import EntitlementContracts
import PeerContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Changes of tier that are scheduled")
struct ScheduledChangeTests {
  private static let organization = Entitlement_V1.Subject(kind: .organization, id: "org_anna")
  private static let now = TestTime.now
  private static let second = TestTime.second

  private static func instant(_ second: Int64) -> Google_Protobuf.Timestamp {
    .init(milliseconds: now + second * Self.second)
  }

  @discardableResult
  private static func put(
    _ fixture: ServiceFixture,
    _ tier: String,
    paidUntil: Int64? = nil
  ) async throws -> Entitlement_V1.Subscription {
    try await fixture.subscriptions.put(
      .init(
        subscription: .init(
          subject: organization,
          tier: tier,
          trial: true,
          paidUntil: paidUntil.map(instant),
          addons: [.init(name: "invoicing")]
        )
      ),
      options: ServiceFixture.service
    )
  }

  private static func schedule(
    _ fixture: ServiceFixture,
    _ tier: String,
    at second: Int64,
    paidUntil: Int64? = nil,
    key: String = ""
  ) async throws -> Entitlement_V1.ScheduleChangeResponse {
    try await fixture.subscriptions.scheduleChange(
      .init(
        subject: organization,
        effectiveAt: instant(second),
        tier: tier,
        paidUntil: paidUntil.map(instant),
        idempotencyKey: key
      ),
      options: ServiceFixture.service
    )
  }

  private static func list(
    _ fixture: ServiceFixture
  ) async throws -> [Entitlement_V1.ScheduledChange] {
    try await fixture.subscriptions.listScheduledChanges(
      .init(subject: organization),
      options: ServiceFixture.user(ServiceFixture.anna)
    ).changes
  }

  /// The tier that counts now; empty for none.
  private static func tier(_ fixture: ServiceFixture) async throws -> String {
    try await fixture.entitlements.get(
      .init(subject: organization),
      options: ServiceFixture.service
    ).tier
  }

  private static func lessons(
    _ fixture: ServiceFixture
  ) async throws -> Entitlement_V1.CheckResponse {
    try await fixture.entitlements.checkFeature(
      .init(subject: organization, feature: "lessons"),
      options: ServiceFixture.service
    )
  }

  @Test("A downgrade at renewal takes effect at its instant, and answers say so ahead")
  func schedule_downgrade_takesEffect() async throws {
    try await ServiceFixture.run { fixture in
      try await Self.put(fixture, "pro", paidUntil: 10)
      let scheduled = try await Self.schedule(fixture, "standard", at: 10, paidUntil: 20, key: "k")
      #expect(scheduled.version == 2 && scheduled.change?.id.hasPrefix("sch_") == true)
      // Again under the same key is the same change.
      let again = try await Self.schedule(fixture, "standard", at: 10, paidUntil: 20, key: "k")
      #expect(again == scheduled)
      #expect(try await Self.list(fixture) == [scheduled.change].compactMap { $0 })
      let before = try await Self.lessons(fixture)
      #expect(before.allowed && before.validUntil == Self.instant(10))
      fixture.clock.advance(10 * Self.second)
      let after = try await Self.lessons(fixture)
      #expect(!after.allowed && after.reason == .notInTier && after.version == 2)
      #expect(try await Self.list(fixture).isEmpty)
      let subscription = try await fixture.subscriptions.get(
        .init(subject: Self.organization),
        options: ServiceFixture.service
      )
      #expect(subscription.tier == "standard" && subscription.paidUntil == Self.instant(20))
      // Its add-ons stay; it is no trial any more.
      #expect(subscription.addons.map(\.name) == ["invoicing"] && !subscription.trial)
      fixture.clock.advance(10 * Self.second)
      #expect(try await Self.tier(fixture) == "free")
      let log = try await fixture.entitlements.listChanges(
        .init(subject: Self.organization),
        options: ServiceFixture.service
      ).changes
      #expect(log.map(\.cause) == [.expiry, .schedule, .scheduling, .service, .service])
      #expect(log.map(\.effect) == [.ended, .changed, .changed, .began, .began])
    }
  }

  @Test(
    "A cancelled change does not take effect; to cancel it twice, or afterwards, changes nothing"
  )
  func cancel_pending_isGone() async throws {
    try await ServiceFixture.run { fixture in
      try await Self.put(fixture, "pro")
      func cancel(
        _ id: String,
        key: String = ""
      ) async throws -> Entitlement_V1.CancelScheduledChangeResponse {
        try await fixture.subscriptions.cancelScheduledChange(
          .init(subject: Self.organization, id: id, idempotencyKey: key),
          options: ServiceFixture.service
        )
      }
      let first = try await Self.schedule(fixture, "standard", at: 5).change?.id ?? ""
      let second = try await Self.schedule(fixture, "enterprise", at: 7).change?.id ?? ""
      #expect(try await Self.list(fixture).map(\.id) == [first, second])
      let done = Entitlement_V1.CancelScheduledChangeResponse(version: 4, cancelled: true)
      #expect(try await cancel(first, key: "k") == done)
      #expect(try await cancel(first, key: "k") == done)
      #expect(try await cancel(first) == .init(version: 4))
      fixture.clock.advance(5 * Self.second)
      #expect(try await Self.tier(fixture) == "pro")
      fixture.clock.advance(2 * Self.second)
      #expect(try await Self.tier(fixture) == "enterprise")
      #expect(try await cancel(second) == .init(version: 4))
      #expect(try await Self.tier(fixture) == "enterprise")
    }
  }

  @Test("What is put after a change took effect stays; what is put before is changed by it")
  func put_beforeAndAfter_keepsTheOrderOfTime() async throws {
    try await ServiceFixture.run { fixture in
      _ = try await Self.schedule(fixture, "standard", at: 5)
      // There is no subscription until then.
      #expect(try await Self.tier(fixture) == "free")
      try await Self.put(fixture, "enterprise")
      fixture.clock.advance(5 * Self.second)
      #expect(try await Self.tier(fixture) == "standard")
      try await Self.put(fixture, "pro")
      #expect(try await Self.tier(fixture) == "pro")
      fixture.clock.advance(Self.second)
      #expect(try await Self.tier(fixture) == "pro")
      // Deleting takes what is ahead along.
      _ = try await Self.schedule(fixture, "standard", at: 8)
      _ = try await fixture.subscriptions.delete(
        .init(subject: Self.organization),
        options: ServiceFixture.service
      )
      #expect(try await Self.list(fixture).isEmpty)
      fixture.clock.advance(10 * Self.second)
      #expect(try await Self.tier(fixture) == "free")
    }
  }

  @Test("What makes no sense is refused, and nothing remains of it")
  func schedule_bad_isRefused() async throws {
    let catalog = try TestCatalog.load { $0.unknownTier = nil }
    try await ServiceFixture.run(configure: { $0.catalog = catalog }) { fixture in
      let past = await refusal { _ = try await Self.schedule(fixture, "pro", at: 0) }
      #expect(past.code == .invalidArgument && past.reason == "SCHEDULE_IN_PAST")
      let empty = await refusal { _ = try await Self.schedule(fixture, "pro", at: 5, paidUntil: 5) }
      #expect(empty.reason == "EMPTY_WINDOW")
      let unknown = await refusal { _ = try await Self.schedule(fixture, "gold", at: 5) }
      #expect(unknown.reason == "TIER_UNKNOWN")
      let missing = await refusal {
        _ = try await fixture.subscriptions.scheduleChange(
          .init(subject: Self.organization, tier: "pro"),
          options: ServiceFixture.service
        )
      }
      #expect(missing.code == .invalidArgument)
      for number in 1...Int64(ScheduledChange.countMax) {
        _ = try await Self.schedule(fixture, "pro", at: number)
      }
      let tooMany = await refusal { _ = try await Self.schedule(fixture, "pro", at: 99) }
      #expect(tooMany.code == .failedPrecondition && tooMany.reason == "SCHEDULE_LIMIT")
      #expect(try await Self.list(fixture).count == ScheduledChange.countMax)
      // Those that took effect make room.
      fixture.clock.advance(Self.second)
      _ = try await Self.schedule(fixture, "standard", at: 99)
      let bert = await refusal {
        _ = try await fixture.subscriptions.listScheduledChanges(
          .init(subject: Self.organization),
          options: ServiceFixture.user(ServiceFixture.bert)
        )
      }
      #expect(bert.code == .notFound)
    }
  }

  @Test(
    "A change runs once for a service that was killed, before or after its instant",
    .disabled(if: TestServer.isUsed, "copies files")
  )
  func schedule_killedService_takesEffectOnce() async throws {
    try await ServiceFixture.run { fixture in
      try await Self.put(fixture, "pro")
      _ = try await Self.schedule(fixture, "standard", at: 5)
      // What is on the disk when the process is killed now: no close, no checkpoint.
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("gatehouse-killed-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let copy = folder.appendingPathComponent("store.db").path
      let original = fixture.settings.store.path
      // In the turn of a write, so that nothing else touches the files meanwhile.
      try await fixture.service.core.store.database.write { _ in
        for suffix in ["", "-wal", ".lock"] {
          try FileManager.default.copyItem(atPath: original + suffix, toPath: copy + suffix)
        }
      }
      var configuration = fixture.settings
      configuration.store = .file(copy)
      let subject = Subject(.organization, Self.organization.id)
      for second in [4, 5, 6] as [Int64] {
        let clock = ManualClock(Self.now + second * Self.second)
        let service = try await EntitlementService.open(
          configuration,
          ServiceFixture.dependencies(clock)
        )
        let holdings = try await service.reader.holdings(of: subject)
        #expect(holdings.subscription(at: clock.now)?.tier == (second < 5 ? "pro" : "standard"))
        #expect(holdings.version == 2)
        await service.close()
      }
    }
  }

  /// The rules as one would write them down: everything that was asked for, in the order of its time.
  private struct Model {
    var puts: [(at: Int64, order: Int, tier: String)] = []
    private var count = 0

    mutating func put(_ tier: String, at: Int64) {
      count += 1
      // What was scheduled for before is over; what is ahead stays.
      puts = puts.filter { $0.at > at } + [(at, count, tier)]
    }

    mutating func schedule(_ tier: String, at: Int64) {
      count += 1
      puts.append((at, count, tier))
    }

    func tier(at now: Int64) -> String? {
      puts.filter { $0.at <= now }.max { ($0.at, $0.order) < ($1.at, $1.order) }?.tier
    }
  }

  @Test(
    "Whatever is put and scheduled, and however the clock jumps, the tier is that of a simple model",
    arguments: 0..<8 as Range<UInt64>
  )
  func tier_random_isThatOfTheModel(seed: UInt64) async throws {
    try await ServiceFixture.run { fixture in
      var random = SimulationRandom(seed: seed)
      var model = Model()
      let tiers = ["free", "standard", "pro", "enterprise"]
      for _ in 0..<60 {
        let second = (fixture.clock.now - Self.now) / Self.second
        let tier = random.element(of: tiers)
        switch random.number(in: 0...9) {
        case 0...2:
          try await Self.put(fixture, tier)
          model.put(tier, at: second)
        case 3...5:
          let at = second + Int64(random.number(in: 1...6))
          // Two at one instant are put in the order of their identifiers, which chance makes.
          guard !model.puts.contains(where: { $0.at == at }) else { continue }
          do {
            _ = try await Self.schedule(fixture, tier, at: at)
            model.schedule(tier, at: at)
          } catch let error as RPCError where error.reason == "SCHEDULE_LIMIT" {}
        case 6: fixture.clock.advance(Int64(random.number(in: 1...4)) * Self.second)
        default:
          // Ahead and back again: what was seen there was not done.
          let far = Int64(random.number(in: 1...100)) * Self.second
          fixture.clock.jump(far)
          #expect(
            try await Self.tier(fixture) == model.tier(at: second + far / Self.second) ?? "free"
          )
          fixture.clock.jump(-far)
        }
        let now = (fixture.clock.now - Self.now) / Self.second
        #expect(try await Self.tier(fixture) == model.tier(at: now) ?? "free")
      }
    }
  }
}
