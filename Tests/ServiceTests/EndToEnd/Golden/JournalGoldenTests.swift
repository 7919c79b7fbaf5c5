import EntitlementContracts
import PeerContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

extension EndToEndTests {
  @Suite("Answers that the journal's app decodes")
  struct JournalGoldenTests {
    typealias App = JournalApp

    @Test("The profile with its streaks, before and after premium is bought")
    func profile_isDecoded() async throws {
      try await Installation.run { home in
        let stage = GoldenStage(home: home)
        let ada = try await home.signUp("ada")
        let bare = try await stage.golden("003-me-new", "GET", "users/me", by: ada, at: home.auth)
        #expect(try stage.decode(App.UserProfile.self, bare).streakCount == 0)
        let today = String(InstantText.text(GoldenStage.now).prefix(10))
        for name in ["checkin", "checkin", "message", "message", "message"] {
          let counted = try await stage.send(
            "POST",
            "users/me/activities",
            by: ada,
            ["name": .string(name), "day": .string(today)],
            at: home.auth
          )
          #expect(counted.status == 200, "\(counted.json)")
        }
        let me = try await stage.send("GET", "users/me", by: ada, at: home.auth)
        let profile = try stage.decode(App.UserProfile.self, me)
        #expect(profile.uid == ada.id && profile.plan == .free && !profile.isEmailVerified)
        #expect(profile.streakCount == 1 && profile.totalCheckins == 2)
        #expect(profile.messagesThisWeek == 3)
      }
    }

    @Test("The plan that was bought, with its product and end")
    func billing_isDecoded() async throws {
      try await Installation.run { home in
        let stage = GoldenStage(home: home)
        let ada = try await home.signUp("ada")
        let proof = try TransactionFields.signed {
          $0["bundleId"] = .string(Installation.bundleID)
          $0["productId"] = "urgood_premium_monthly"
          $0["type"] = "Auto-Renewable Subscription"
          $0.set("expiresDate", GoldenStage.now + 3650 * TestTime.day)
        }
        _ = try await home.purchases.submitTransaction(
          .init(signedTransaction: proof),
          options: ada.call
        )
        let me = try await stage.golden("003-billing", "GET", "users/me", by: ada, at: home.auth)
        let billing = try stage.decode(App.BillingInfo.self, me)
        #expect(billing.plan == .premium)
        #expect(billing.planDetails.productId == "urgood_premium_monthly")
        #expect(billing.planDetails.expiresAt != nil)
        #expect(me.data["planDetails"]?.object?["source"] == "purchase")
      }
    }
  }
}
