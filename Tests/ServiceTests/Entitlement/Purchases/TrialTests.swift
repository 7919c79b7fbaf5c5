import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Trials, once for each subject")
struct TrialTests {
  private let anna = BuyingStage.anna
  private let bert = BuyingStage.bert

  private func withTrials(_ body: (BuyingStage) async throws -> Void) async throws {
    try await BuyingStage.run { catalog in
      for name in ["try-pro", "try-more"] {
        var trial = Promotion(name: name, kind: .trial, gift: .tier("pro"))
        trial.duration = 14 * TestTime.day
        trial.trialGroup = "pro"
        catalog.promotions.append(trial)
      }
      for index in catalog.products.indices where catalog.products[index].name == BuyingStage.team {
        catalog.products[index].trialGroup = "pro"
      }
    } _: {
      try await body($0)
    }
  }

  private func redeem(
    _ trial: String,
    for subject: Subject?,
    as user: String,
    _ stage: BuyingStage
  ) async throws {
    _ = try await stage.fixture.subscriptions.redeem(
      .init(subject: subject?.wire, promotion: .trial(trial)),
      options: ServiceFixture.user(user)
    )
  }

  private func trial(_ line: String) -> (inout TransactionFields) -> Void {
    { fields in
      BuyingStage.period(0, line: line)(&fields)
      fields["offerType"] = 1
      fields["offerDiscountType"] = "FREE_TRIAL"
    }
  }

  @Test(
    "Who may buy for a subject starts its trial, once in a group",
    arguments: BuyingStage.subjects
  )
  func redeem_twiceInGroup_isRefused(subject: Subject) async throws {
    try await withTrials { stage in
      try await redeem("try-pro", for: subject, as: anna, stage)
      #expect(try await stage.plan(subject).source == .trial)
      let user = subject.kind == .user ? anna : bert
      let again = await refusal { try await redeem("try-more", for: subject, as: user, stage) }
      #expect(again.reason == "ALREADY_REDEEMED")
      // The store's own free trial counts no second time, and what is paid for does.
      let free = await refusal { try await stage.submit(for: subject, trial("70001")) }
      #expect(free.reason == "TRIAL_USED")
      try await stage.submit(for: subject, BuyingStage.period(1, line: "70001"))
      #expect(try await stage.plan(subject).source == .purchase)
    }
  }

  @Test(
    "A free trial of the store uses the subject's trial up, by whoever buys",
    arguments: BuyingStage.subjects
  )
  func submit_ofFreeTrial_usesItUp(subject: Subject) async throws {
    try await withTrials { stage in
      let bought = try await stage.submit(for: subject, trial("70001"))
      #expect(try await stage.plan(subject).trial)
      let ours = await refusal { try await redeem("try-pro", for: subject, as: anna, stage) }
      #expect(ours.reason == "ALREADY_REDEEMED")
      if subject.kind != .user {
        let second = await refusal {
          try await stage.submit(for: subject, as: bert, trial("70002"))
        }
        #expect(second.reason == "TRIAL_USED")
      }
      // Moved on, it is the other subject's too.
      let other = Subject(.organization, "org_2")
      try await stage.move(bought.purchase, to: other)
      let moved = await refusal { try await redeem("try-pro", for: other, as: bert, stage) }
      #expect(moved.reason == "ALREADY_REDEEMED")
      let back = await refusal { try await stage.move(bought.purchase, to: subject) }
      #expect(back.reason == "TRIAL_USED")
    }
  }

  @Test(
    "Nobody starts a trial for a subject without the right to buy for it",
    arguments: BuyingStage.shared
  )
  func redeem_withoutRight_isRefused(subject: Subject) async throws {
    try await withTrials { stage in
      stage.tenancy.set(buyer: bert, of: [subject.id], false)
      let refused = await refusal { try await redeem("try-pro", for: subject, as: bert, stage) }
      #expect(refused.code == .notFound)
      let tier = try await stage.tier(subject)
      #expect(tier == "free")
    }
  }
}
