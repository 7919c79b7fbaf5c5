import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("The features of an organization, for those whose roles are below it")
struct FeatureReaderTests {
  private static let farm = Entitlement_V1.Subject(kind: .organization, id: "org_anna")
  private static let bert = ServiceFixture.user(ServiceFixture.bert)

  private static func run(_ body: (ServiceFixture) async throws -> Void) async throws {
    let operators = SmallTenancy()
    operators.set(subordinate: ServiceFixture.bert, of: farm.id)
    try await ServiceFixture.run(operators: operators) { fixture in
      _ = try await fixture.subscriptions.put(
        .init(
          subscription: .init(
            subject: farm,
            tier: "standard",
            paidUntil: .init(milliseconds: TestTime.now + 86_400_000)
          )
        ),
        options: ServiceFixture.service
      )
      try await body(fixture)
    }
  }

  @Test("They see tier, flags and limits, and not what was bought or until when")
  func get_fromBelow_hasFeaturesAlone() async throws {
    try await Self.run { fixture in
      let get = { (options: CallOptions) in
        try await fixture.entitlements.get(.init(subject: Self.farm), options: options)
      }
      let whole = try await get(ServiceFixture.user(ServiceFixture.anna))
      let part = try await get(Self.bert)
      #expect(part.tier == "standard" && part.tier == whole.tier)
      #expect(part.moduleFlags == whole.moduleFlags && !part.moduleFlags.isEmpty)
      #expect(part.entitlements.map(\.key) == whole.entitlements.map(\.key))
      #expect(part.entitlements.map(\.limit) == whole.entitlements.map(\.limit))
      #expect(part.entitlements.allSatisfy { $0.validUntil == nil })
      #expect(whole.plan?.expiresAt != nil)
      #expect(part.plan == .init(tier: "standard", subject: Self.farm))
      #expect(part.products.isEmpty && part.addons.isEmpty && part.promotions.isEmpty)
      let check = try await fixture.entitlements.checkFeature(
        .init(subject: Self.farm, feature: "analytics"),
        options: Self.bert
      )
      #expect(check.allowed == part.moduleFlags["analytics"])
    }
  }

  @Test("They see no changes and no subscription; others see nothing at all")
  func others_fromBelow_areNotFound() async throws {
    try await Self.run { fixture in
      let refused = [
        await refusal {
          _ = try await fixture.entitlements.listChanges(
            .init(subject: Self.farm),
            options: Self.bert
          )
        },
        await refusal {
          _ = try await fixture.subscriptions.get(.init(subject: Self.farm), options: Self.bert)
        },
        await refusal {
          _ = try await fixture.entitlements.get(
            .init(subject: Self.farm),
            options: ServiceFixture.user("usr_stranger")
          )
        },
        await refusal {
          _ = try await fixture.entitlements.get(
            .init(subject: .init(kind: .user, id: ServiceFixture.anna)),
            options: Self.bert
          )
        },
      ]
      #expect(refused.allSatisfy { $0.code == .notFound && $0.reason == "NOT_FOUND" })
    }
  }

  @Test("moduleFlags has each flag of the catalogue, and no limit")
  func moduleFlags_haveNoLimits() async throws {
    try await Self.run { fixture in
      let answer = try await fixture.entitlements.get(
        .init(subject: Self.farm),
        options: ServiceFixture.service
      )
      let limits = answer.entitlements.filter { $0.limit != nil }.map(\.key)
      let flags = answer.entitlements.filter { $0.limit == nil }.map(\.key)
      #expect(!limits.isEmpty && !flags.isEmpty)
      #expect(Set(answer.moduleFlags.keys) == Set(flags))
      for key in flags {
        let entitlement = answer.entitlements.first { $0.key == key }
        #expect(answer.moduleFlags[key] == entitlement?.available, "\(key)")
      }
    }
  }
}
