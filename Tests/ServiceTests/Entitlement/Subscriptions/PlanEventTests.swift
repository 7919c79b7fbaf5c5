import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService

@Suite("Events of plans for other systems", .timeLimit(.minutes(2)))
struct PlanEventTests {
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
    }
  }
}
