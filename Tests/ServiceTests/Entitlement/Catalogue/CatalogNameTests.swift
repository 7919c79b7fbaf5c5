import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService

@Suite("Names that the catalogue does not have")
struct CatalogNameTests {
  private static let subject = Entitlement_V1.Subject(kind: .user, id: ServiceFixture.anna)

  private func put(
    _ subscription: Entitlement_V1.Subscription,
    _ fixture: ServiceFixture
  ) async throws {
    _ = try await fixture.subscriptions.put(
      .init(subscription: subscription),
      options: ServiceFixture.service
    )
  }

  /// The field that a refusal names, its reason and its message.
  private func fault(
    _ body: () async throws -> Void
  ) async throws -> (field: String?, reason: String?, message: String) {
    var caught: RPCError?
    do { try await body() } catch let error as RPCError { caught = error }
    let error = try #require(caught)
    #expect(error.code == .invalidArgument)
    let name = "type.googleapis.com/google.rpc.BadRequest"
    let request = try error.details.first { $0.typeURL == name }.map {
      try Google_Rpc.BadRequest(protobuf: $0.value.span, limits: MessageLimits())
    }
    return (request?.fieldViolations.first?.field, error.reason, error.message)
  }

  @Test("No tier, add-on or feature is taken that is not sold, though another tier stands in")
  func put_unknownName_isRefused() async throws {
    try await ServiceFixture.run { fixture in
      for tier in ["Pro", "nonsense", "free "] {
        let refused = try await fault {
          try await put(.init(subject: Self.subject, tier: tier), fixture)
        }
        #expect(refused.field == "subscription.tier" && refused.reason == "TIER_UNKNOWN")
        #expect(
          refused.message.contains("free, premium, standard, pro, enterprise"),
          "\(refused.message)"
        )
        let later = try await fault {
          _ = try await fixture.subscriptions.scheduleChange(
            .init(
              subject: Self.subject,
              effectiveAt: .init(milliseconds: fixture.clock.now + 1000),
              tier: tier
            ),
            options: ServiceFixture.service
          )
        }
        #expect(later.field == "tier" && later.reason == "TIER_UNKNOWN")
      }
      let addon = try await fault {
        try await put(
          .init(subject: Self.subject, tier: "pro", addons: [.init(name: "Invoicing")]),
          fixture
        )
      }
      #expect(addon.field == "subscription.addons[0].name" && addon.reason == "ADDON_UNKNOWN")
      #expect(addon.message.contains("invoicing"))
      let feature = try await fault {
        try await put(
          .init(
            subject: Self.subject,
            tier: "pro",
            overrides: [.init(feature: .init(key: "nonsense", value: .enabled(true)))]
          ),
          fixture
        )
      }
      #expect(feature.field == "subscription.overrides[0].feature")
      #expect(feature.reason == "FEATURE_UNKNOWN")
    }
  }

  @Test("Who has a tier that is sold no more may keep it, and is renewed by its name")
  func put_tierThatWasSold_stays() async throws {
    try await ServiceFixture.run { fixture in
      try await put(.init(subject: Self.subject, tier: "pro"), fixture)
      try await fixture.service.core.store.writeOwn { tx in
        try tx.execute("UPDATE subscription SET tier = 'emperor'")
      }
      let paidUntil = Google_Protobuf.Timestamp(milliseconds: fixture.clock.now + 1_000_000)
      try await put(
        .init(subject: Self.subject, tier: "emperor", paidUntil: paidUntil),
        fixture
      )
    }
  }
}
