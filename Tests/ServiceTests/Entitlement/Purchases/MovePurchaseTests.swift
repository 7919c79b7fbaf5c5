import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Moving purchases")
struct MovePurchaseTests {
  private let anna = BuyingStage.anna
  private let bert = BuyingStage.bert

  @Test("A purchase goes over in one step, from every kind of subject to every other")
  func move_betweenKinds_isOneStep() async throws {
    for first in BuyingStage.subjects {
      for second in BuyingStage.subjects where second != first {
        try await BuyingStage.run { stage in
          let bought = try await stage.submit(for: first, BuyingStage.period(0))
          let moved = try await stage.move(bought.purchase, to: second)
          #expect(moved.subject == second.wire && moved.buyerId == anna && moved.bound)
          #expect(try await stage.tier(first) == "free")
          #expect(try await stage.tier(second) == "pro")
          try await stage.fixture.notify("DID_RENEW", uuid: "n-1", BuyingStage.period(1))
          stage.fixture.clock.advance(31 * TestTime.day)
          #expect(try await stage.tier(first) == "free")
          #expect(try await stage.tier(second) == "pro")
          let detail = try #require(try await stage.audited("purchase.move").first)
          #expect(detail.contains("from \(first.kind.rawValue) \(first.id)"))
          #expect(detail.contains("to \(second.kind.rawValue) \(second.id)"))
        }
      }
    }
  }

  @Test("Only the buyer moves, and to others it looks like nothing")
  func move_byOthers_isNotFound() async throws {
    try await BuyingStage.run { stage in
      let bought = try await stage.submit(for: BuyingStage.shared[0], BuyingStage.period(0))
      var unknown = Entitlement_V1.Purchase()
      unknown.id = "pur_unknown"
      for (purchase, user) in [(bought.purchase, bert), (unknown, anna)] {
        let refused = await refusal {
          try await stage.move(purchase, to: Subject(.organization, "org_2"), as: user)
        }
        #expect(refused.code == .notFound)
      }
      stage.tenancy.set(buyer: anna, of: ["org_2"], false)
      let refused = await refusal {
        try await stage.move(bought.purchase, to: Subject(.organization, "org_2"))
      }
      #expect(refused.code == .notFound)
      #expect(try await stage.tier(BuyingStage.shared[0]) == "pro")
    }
  }

  @Test("It goes over three times a day at most, and to where it is as often as asked")
  func move_often_isLimited() async throws {
    try await BuyingStage.run { stage in
      let places = [Subject(.organization, "org_1"), Subject(.organization, "org_2")]
      let bought = try await stage.submit(for: places[0], BuyingStage.period(0))
      for number in 1...3 {
        try await stage.move(bought.purchase, to: places[number % 2])
        try await stage.move(bought.purchase, to: places[number % 2])
      }
      let refused = await refusal { try await stage.move(bought.purchase, to: places[0]) }
      #expect(refused.reason == "TRANSFER_LIMIT")
      stage.fixture.clock.advance(TestTime.day)
      try await stage.move(bought.purchase, to: places[0])
      #expect(try await stage.tier(places[0]) == "pro")
    }
  }

  @Test("What is used up, shared or not sold to the other subject stays")
  func move_ofWhatStays_isRefused() async throws {
    try await BuyingStage.run(policy: .share) { stage in
      let family = Subject(.family, "fam_1")
      let coins = try await stage.submit(for: family, BuyingStage.single(BuyingStage.coins))
      let consumable = await refusal { try await stage.move(coins.purchase, to: nil) }
      #expect(consumable.reason == "NOT_MOVABLE")
      let pro = try await stage.submit(
        for: Subject(.organization, "org_1"),
        BuyingStage.period(0, of: "equiduty_pro_monthly")
      )
      let other = await refusal { try await stage.move(pro.purchase, to: family) }
      #expect(other.reason == "PRODUCT_FOR_OTHERS")
      let own = try await stage.submit(for: nil, BuyingStage.period(0, line: "60001"))
      let text = try TransactionFields.signed(BuyingStage.period(0, line: "60001"))
      _ = try await stage.fixture.restore(bert, [text])
      let shared = await refusal { try await stage.move(own.purchase, to: family) }
      #expect(shared.reason == "ALREADY_CLAIMED")
    }
  }
}
