import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

/// With all proofs and caches that the programs have.
@Suite("Deleting a portfolio across services")
struct EntityDeletionSagaTests {
  private static func billing(_ product: Product) -> CallOptions {
    product.options(of: "billing", to: "entitlement")
  }

  private static func subject(_ house: House) -> Entitlement_V1.Subject {
    .init(kind: .portfolio, id: house.portfolio)
  }

  @Test("Its subscription ends for good; its users, and other portfolios, keep what is theirs")
  func delete_portfolio_endsItsSubscription() async throws {
    try await Product.run { product in
      let (gone, kept) = (
        try await House(product, name: "a"), try await House(product, name: "b")
      )
      _ = try await product.subscriptions.put(
        .init(subscription: .init(subject: .init(kind: .user, id: gone.tenant.id), tier: "pro")),
        options: Self.billing(product)
      )
      let owner = try await product.call(gone.owner)
      let done = try await product.portfolios.delete(
        .init(portfolioId: gone.portfolio, cascade: true),
        options: owner
      )
      #expect(done.holderCount == 1)
      let entities = Tenancy_V1.EntitiesClient(product.channel(to: "tenancy"))
      let isFinished = try await product.eventually {
        try await entities.getDeletion(.init(deletionId: done.deletionId), options: owner)
          .finishedAt != nil
      }
      #expect(isFinished)

      let read = await #expect(throws: RPCError.self) {
        _ = try await product.subscriptions.get(
          .init(subject: Self.subject(gone)),
          options: Self.billing(product)
        )
      }
      #expect(read?.code == .notFound)
      let late = await #expect(throws: RPCError.self) {
        _ = try await product.subscriptions.put(
          .init(subscription: .init(subject: Self.subject(gone), tier: "pro")),
          options: Self.billing(product)
        )
      }
      #expect(late?.code == .notFound)
      let other = try await product.subscriptions.get(
        .init(subject: Self.subject(kept)),
        options: Self.billing(product)
      )
      #expect(other.tier == "pro")

      // Users stay, with what they bought themselves, and have no role any more.
      for person in [gone.owner, gone.admin, gone.manager, gone.tenant, gone.guest] {
        let held = try await product.associations.listByUser(
          .init(),
          options: try await product.call(person)
        )
        #expect(held.associations.isEmpty)
      }
      let own = try await product.subscriptions.get(
        .init(subject: .init(kind: .user, id: gone.tenant.id)),
        options: try await product.call(gone.tenant)
      )
      #expect(own.tier == "pro")
    }
  }
}
