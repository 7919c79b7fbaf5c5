import EntitlementContracts
import PeerContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Ending what a deleted entity has")
struct HolderEndTests {
  private static let tenancy = CallOptions(metadata: ["test-service": "tenancy"])
  private static let notFound = Refused(.notFound, "NOT_FOUND")
  /// What the tests look for in the files: nothing else of a subscription is a text of nobody else's.
  private static let note = "a note that stands nowhere else"

  /// Tables of subjects and holders, with the column of the identifier.
  private static let tables = [
    ("subscription", "id"), ("subscription_addon", "id"), ("subscription_override", "id"),
    ("subject_version", "id"), ("metered_usage", "id"), ("entitlement_change", "id"),
    ("redemption", "id"), ("scheduled_change", "subject_id"), ("points_entry", "holder"),
    ("points_account", "holder"), ("points_holder", "holder"), ("points_rule", "holder"),
    ("points_reward", "holder"), ("points_clock", "holder"),
  ]

  private static func catalog() throws -> Catalog {
    try TestCatalog.load { catalog in
      catalog.features["reports"] = Catalog.Feature(
        key: "reports",
        fallback: .limit(.atMost(9)),
        meter: Meter(period: .month, isSoft: false)
      )
      var trial = Promotion(name: "try-pro", kind: .trial, gift: .tier("pro"))
      trial.duration = TestTime.day
      catalog.promotions = [trial]
    }
  }

  private static func run(_ body: (ServiceFixture) async throws -> Void) async throws {
    let catalog = try catalog()
    try await ServiceFixture.run(configure: { $0.catalog = catalog }, body)
  }

  private func end(_ id: String, _ fixture: ServiceFixture) async throws {
    _ = try await Entitlement_V1.HoldersClient(fixture.channel).end(
      .init(holderId: id),
      options: Self.tenancy
    )
  }

  /// How many rows of each table are of a holder; tables without any are left out.
  private func rows(of id: String, _ fixture: ServiceFixture) async throws -> [String: Int64] {
    try await fixture.service.core.database.read { tx in
      var counts: [String: Int64] = [:]
      for (table, column) in Self.tables {
        let count = try tx.first(
          "SELECT count(*) FROM \(table) WHERE \(column) = ?",
          .text(id)
        ) { $0.integer(0) }
        if let count, count > 0 { counts[table] = count }
      }
      return counts
    }
  }

  private func auditCount(_ fixture: ServiceFixture) async throws -> Int64? {
    try await fixture.service.core.database.read { tx in
      try tx.first("SELECT count(*) FROM audit_log WHERE action = 'holder.end'") { $0.integer(0) }
    }
  }

  /// Gives a subject one of everything that services can give.
  private func fill(_ subject: Entitlement_V1.Subject, _ fixture: ServiceFixture) async throws {
    let options = ServiceFixture.service
    _ = try await fixture.subscriptions.put(
      .init(
        subscription: .init(
          subject: subject,
          tier: "standard",
          addons: [.init(name: "invoicing")],
          overrides: [
            .init(feature: .init(key: "manure", value: .enabled(true)), reason: Self.note)
          ]
        )
      ),
      options: options
    )
    _ = try await fixture.subscriptions.scheduleChange(
      .init(
        subject: subject,
        effectiveAt: .init(milliseconds: TestTime.now + TestTime.day),
        tier: "pro"
      ),
      options: options
    )
    _ = try await fixture.subscriptions.redeem(
      .init(subject: subject, promotion: .trial("try-pro")),
      options: options
    )
    _ = try await fixture.entitlements.consume(
      .init(subject: subject, limit: "reports"),
      options: options
    )
  }

  /// Whether a subject has what the tier `pro` has.
  private func lessons(
    _ subject: Entitlement_V1.Subject,
    _ fixture: ServiceFixture
  ) async throws -> Bool {
    try await fixture.entitlements.checkFeature(
      .init(subject: subject, feature: "lessons"),
      options: ServiceFixture.service
    ).allowed
  }

  @Test(
    "Everything that it has goes, from the files too, watchers are told, and others keep theirs",
    arguments: [Entitlement_V1.SubjectKind.organization, .portfolio, .family]
  )
  func end_withEverything_leavesNothing(kind: Entitlement_V1.SubjectKind) async throws {
    try await Self.run { fixture in
      let (gone, other) = (
        Entitlement_V1.Subject(kind: kind, id: "org_gone"),
        Entitlement_V1.Subject(kind: kind, id: "org_other")
      )
      for subject in [gone, other] { try await fill(subject, fixture) }
      let before = try await rows(of: "org_other", fixture)
      #expect(before.count == 8)
      #expect(try await lessons(gone, fixture))
      var changes = fixture.entitlements.watch(.init(), options: ServiceFixture.service)
        .makeAsyncIterator()
      _ = try await changes.next()

      try await end("org_gone", fixture)

      // What was asked for a moment ago is not remembered.
      #expect(try await !lessons(gone, fixture))
      let left = try await rows(of: "org_gone", fixture)
      #expect(left == [:])
      var change = try await changes.next()
      while change?.kind == .heartbeat { change = try await changes.next() }
      #expect(change?.kind == .subject && change?.subject == gone)
      let none = await Refused.by {
        _ = try await fixture.subscriptions.get(
          .init(subject: gone),
          options: ServiceFixture.service
        )
      }
      #expect(none == Self.notFound)
      let after = try await rows(of: "org_other", fixture)
      #expect(after == before)
      #expect(try await lessons(other, fixture))

      try await end("org_other", fixture)
      // A reader in the way only delays it.
      var isTruncated = false
      while !isTruncated { isTruncated = try await fixture.service.core.database.truncateLog() }
      for end in ["", "-wal"] {
        let bytes = FileManager.default.contents(atPath: fixture.settings.store.path + end)
        #expect(bytes?.range(of: Data(Self.note.utf8)) == nil, "the note is in the store\(end)")
      }
    }
  }

  @Test("What comes late is refused, also for one that had nothing, and repeating changes nothing")
  func ended_holder_getsNothing() async throws {
    try await Self.run { fixture in
      let service = ServiceFixture.service
      for kind in [Entitlement_V1.SubjectKind.organization, .portfolio, .family] {
        let subject = Entitlement_V1.Subject(kind: kind, id: "org_\(kind.rawValue)")
        try await end(subject.id, fixture)
        let late: [@Sendable () async throws -> Void] = [
          {
            _ = try await fixture.subscriptions.put(
              .init(subscription: .init(subject: subject, tier: "standard")),
              options: service
            )
          },
          {
            _ = try await fixture.subscriptions.scheduleChange(
              .init(
                subject: subject,
                effectiveAt: .init(milliseconds: TestTime.now + 1),
                tier: "pro"
              ),
              options: service
            )
          },
          {
            _ = try await fixture.subscriptions.redeem(
              .init(subject: subject, promotion: .trial("try-pro")),
              options: service
            )
          },
          {
            _ = try await fixture.entitlements.consume(
              .init(subject: subject, limit: "reports"),
              options: service
            )
          },
        ]
        for (number, write) in late.enumerated() {
          let refused = await Refused.by { try await write() }
          #expect(refused == Self.notFound, "write \(number)")
        }
        // Ending what has ended is a natural repetition.
        _ = try await fixture.subscriptions.delete(.init(subject: subject), options: service)
        let revision = fixture.service.core.database.revision
        try await end(subject.id, fixture)
        #expect(fixture.service.core.database.revision == revision)
        let left = try await rows(of: subject.id, fixture)
        #expect(left == [:])
      }
      let count = try await auditCount(fixture)
      #expect(count == 3)
    }
  }

  @Test("A repeated write of before the end gets its old answer, and brings nothing back")
  func replay_afterEnd_bringsNothingBack() async throws {
    try await Self.run { fixture in
      let put = Entitlement_V1.PutSubscriptionRequest(
        subscription: .init(subject: .init(kind: .organization, id: "org_gone"), tier: "pro"),
        idempotencyKey: "once"
      )
      let first = try await fixture.subscriptions.put(put, options: ServiceFixture.service)
      try await end("org_gone", fixture)
      let again = try await fixture.subscriptions.put(put, options: ServiceFixture.service)
      #expect(again == first)
      let left = try await rows(of: "org_gone", fixture)
      #expect(left == [:])
    }
  }

  @Test("The points of a deleted child go with its rules and rewards; those of another one stay")
  func end_ofChild_takesItsPoints() async throws {
    try await PointsFamily.run { mia in
      let fixture = mia.fixture
      let tom = PointsFamily(fixture: fixture, holder: "chd_tom")
      try await tom.setRule("math", earns: 1, costs: 1)
      for child in [mia, tom] {
        try await child.earn("math", minutes: 10)
        try await child.redeem([("math", 3)], for: "tablet")
      }
      let before = try await rows(of: tom.holder, fixture)
      #expect(before.count == 6)

      try await end(mia.holder, fixture)

      let left = try await rows(of: mia.holder, fixture)
      #expect(left == [:])
      let after = try await rows(of: tom.holder, fixture)
      #expect(after == before)
      // The policy of this fixture knows nothing of the deletion: what refuses is the store.
      let writes: [@Sendable () async throws -> Void] = [
        { try await mia.earn("math", minutes: 1) },
        { try await mia.setRule("math", earns: 1, costs: 1) },
        { try await mia.redeem([("math", 1)]) },
      ]
      for (number, write) in writes.enumerated() {
        let refused = await Refused.by { try await write() }
        #expect(refused == Self.notFound, "write \(number)")
      }
      try await tom.earn("math", minutes: 1)
      let findings = try await mia.findings()
      #expect(findings == [])
    }
  }

  @Test("A user of a deleted organization keeps the purchases, and Apple is still listened to")
  func end_ofOrganization_keepsPurchases() async throws {
    let anna = ServiceFixture.anna
    try await Self.run { fixture in
      try await fill(.init(kind: .organization, id: "org_anna"), fixture)
      try await fixture.submit(anna)
      try await end("org_anna", fixture)
      #expect(try await fixture.pack(anna).allowed)
      try await fixture.notify("REFUND", uuid: "late") { fields in
        fields.set("signedDate", TestTime.now + 10)
        fields.set("revocationDate", TestTime.now)
      }
      #expect(try await !fixture.pack(anna).allowed)
      let left = try await rows(of: "org_anna", fixture)
      #expect(left == [:])
    }
  }
}
