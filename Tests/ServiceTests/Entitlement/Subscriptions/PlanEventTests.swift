import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import ServiceTesting
import Testing

@testable import EntitlementService

@Suite("Events of plans for other systems", .timeLimit(.minutes(2)))
struct PlanEventTests {
  @Test("The rules of events fit their schemas")
  func rules_fitTheirSchemas() throws {
    #expect(try EventSchemaFile.mistakes(in: EntitlementEvents.rules) == [])
  }

  @Test("Each change of a plan is an event of its holder, with what changed and why")
  func plan_tells() async throws {
    try await ServiceFixture.run(configure: { $0.keepsEvents = true }) { fixture in
      let organization = Entitlement_V1.Subject(kind: .organization, id: "org_1")
      for tier in ["premium", "pro"] {
        _ = try await fixture.subscriptions.put(
          .init(subscription: .init(subject: organization, tier: tier)),
          options: ServiceFixture.service
        )
      }
      _ = try await fixture.subscriptions.put(
        .init(subscription: .init(subject: .init(kind: .user, id: "usr_1"), tier: "pro")),
        options: ServiceFixture.service
      )
      let events = try await fixture.service.core.store.database.read { tx in
        try EventTable.list(after: 0, limit: 100, in: tx)
      }
      #expect(events.map(\.type) == ["plan.changed", "plan.changed", "plan.changed"])
      #expect(events.map(\.object) == ["org_1", "org_1", "usr_1"])
      #expect(events.map(\.userID) == ["", "", "usr_1"])
      #expect(events.map(\.scope) == ["org_1", "org_1", "usr_1"])
      #expect(events.allSatisfy { $0.data.contains(#""cause":"service""#) })
      let mistakes = try events.flatMap { try EventSchemaFile.mistakes(in: $0.data, of: $0.type) }
      #expect(mistakes == [])
    }
  }

  @Test("What the clock ends is an event when it is due, once, and stays in the log")
  func clock_tells() async throws {
    try await ServiceFixture.run(configure: { $0.keepsEvents = true }) { fixture in
      let organization = Entitlement_V1.Subject(kind: .organization, id: "org_1")
      let core = fixture.service.core
      _ = try await fixture.subscriptions.put(
        .init(
          subscription: .init(
            subject: organization,
            tier: "pro",
            paidUntil: .init(milliseconds: fixture.clock.now + 3_600_000),
            addons: [
              .init(
                name: "invoicing",
                validUntil: .init(milliseconds: fixture.clock.now + 3_600_000)
              )
            ]
          )
        ),
        options: ServiceFixture.service
      )
      #expect(try await !ClockChanges.advance(core))
      #expect(try await causes(fixture) == ["service"])
      fixture.clock.advance(7_200_000)
      for _ in 0..<2 {
        #expect(try await !ClockChanges.advance(core))
        // What ends together is one event.
        #expect(try await causes(fixture) == ["service", "expiry"])
      }
      let log = try await fixture.entitlements.listChanges(
        .init(subject: organization),
        options: ServiceFixture.service
      ).changes
      #expect(log.count == 4)
    }
  }

  private func causes(_ fixture: ServiceFixture) async throws -> [String] {
    try await fixture.service.core.store.database.read { tx in
      try EventTable.list(after: 0, limit: 100, in: tx)
    }.map { event in
      ["service", "expiry"].first { event.data.contains("\"cause\":\"\($0)\"") } ?? event.data
    }
  }
}
