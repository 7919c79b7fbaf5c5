import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Purchases for users, organizations, portfolios and families")
struct SubjectBindingTests {
  private let anna = BuyingStage.anna
  private let bert = BuyingStage.bert
  private let day = TestTime.day

  @Test(
    "The subject that a purchase is for has its tier, and nobody else",
    arguments: BuyingStage.subjects
  )
  func submit_forSubject_givesItsTier(subject: Subject) async throws {
    try await BuyingStage.run { stage in
      let bought = try await stage.submit(for: subject, BuyingStage.period(0))
      #expect(bought.result == .applied)
      let purchase = try #require(bought.purchase)
      #expect(purchase.subject == subject.wire && purchase.buyerId == anna)
      #expect(purchase.store == "apple" && purchase.bound)
      let plan = try await stage.plan(subject)
      #expect(plan.tier == "pro" && plan.source == .purchase && plan.store == "apple")
      for other in BuyingStage.subjects where other != subject {
        #expect(try await stage.tier(other) == "free")
      }
      let version = try await stage.fixture.entitlements.get(
        .init(subject: subject.wire),
        options: ServiceFixture.service
      ).version
      #expect(bought.version == version && version == 1)
      // Renewals follow, from the device and from the App Store alike.
      try await stage.fixture.notify("DID_RENEW", uuid: "n-1", BuyingStage.period(1))
      stage.fixture.clock.advance(31 * day)
      #expect(try await stage.tier(subject) == "pro")
      let again = try await stage.submit(for: nil, BuyingStage.period(1))
      #expect(again.result == .unchanged && again.purchase?.subject == subject.wire)
      try await stage.fixture.notify("REFUND", uuid: "n-2") { fields in
        BuyingStage.period(1)(&fields)
        fields.set("revocationDate", stage.now)
        fields.set("signedDate", stage.now)
      }
      #expect(try await stage.tier(subject) == "free")
    }
  }

  @Test("Without the right to buy for a subject nothing is bound", arguments: BuyingStage.shared)
  func submit_withoutRight_isRefused(subject: Subject) async throws {
    try await BuyingStage.run { stage in
      stage.tenancy.set(buyer: anna, of: [subject.id], false)
      let refused = await refusal {
        try await stage.submit(for: subject, BuyingStage.period(0))
      }
      #expect(refused.code == .notFound)
      let tier = try await stage.tier(subject)
      #expect(tier == "free")
      let list = await refusal {
        _ = try await stage.fixture.purchases.list(
          .init(subject: subject.wire),
          options: ServiceFixture.user(anna)
        )
      }
      #expect(list.code == .notFound)
    }
  }

  @Test("Nobody buys for another user")
  func submit_forAnotherUser_isRefused() async throws {
    try await BuyingStage.run { stage in
      let refused = await refusal {
        try await stage.submit(for: .user(bert), BuyingStage.period(0))
      }
      #expect(refused.code == .notFound)
    }
  }

  @Test("A second submission binds to no other subject, from the buyer or from another user")
  func submit_forSecondSubject_isRefused() async throws {
    for policy in RestorePolicy.allCases {
      for first in BuyingStage.subjects {
        try await BuyingStage.run(policy: policy) { stage in
          try await stage.submit(for: first, BuyingStage.period(0))
          for second in BuyingStage.subjects where second != first {
            let refused = await refusal {
              try await stage.submit(for: second, BuyingStage.period(0))
            }
            #expect(refused.code == .alreadyExists && refused.reason == "BOUND_ELSEWHERE")
          }
          let stolen = await refusal {
            try await stage.submit(
              for: Subject(.organization, "org_2"),
              as: bert,
              BuyingStage.period(0)
            )
          }
          #expect(stolen.reason == "ALREADY_CLAIMED")
          guard first.kind != .user else { return }
          let text = try TransactionFields.signed(BuyingStage.period(0))
          let restored = try await stage.fixture.restore(bert, [text])
          #expect(restored.transactions[0].result == .alreadyClaimed)
          #expect(try await stage.tier(first) == "pro")
          // Another administrator of the same subject changes nothing.
          let same = try await stage.submit(for: first, as: bert, BuyingStage.period(0))
          #expect(same.result == .unchanged && same.purchase?.buyerId == anna)
        }
      }
    }
  }

  @Test(
    "A product is sold to the kinds of subject that the catalogue names, and to users without any"
  )
  func submit_forOtherKind_isRefused() async throws {
    try await BuyingStage.run { stage in
      for subject in BuyingStage.subjects {
        let isSold = subject.kind == .organization
        let refused = await refusal {
          try await stage.submit(
            for: subject,
            BuyingStage.period(0, of: "equiduty_pro_monthly", line: "3\(subject.id)")
          )
        }
        #expect(refused.reason == (isSold ? nil : "PRODUCT_FOR_OTHERS"))
      }
      let premium = await refusal {
        try await stage.submit(
          for: BuyingStage.shared[0],
          BuyingStage.period(0, of: "urgood_premium_monthly", line: "31")
        )
      }
      #expect(premium.reason == "PRODUCT_FOR_OTHERS")
      let family = await refusal {
        try await stage.submit(for: BuyingStage.shared[0]) { fields in
          BuyingStage.period(0, line: "32")(&fields)
          fields["inAppOwnershipType"] = "FAMILY_SHARED"
        }
      }
      #expect(family.reason == "PRODUCT_FOR_OTHERS")
    }
  }

  @Test("What nobody submitted is stored unbound, whatever user it names, until it is handed in")
  func notify_ofUnsubmitted_bindsNobody() async throws {
    let token = try #require(AppAccountToken(userID: anna)).text
    for subject in BuyingStage.subjects where subject.kind == .organization {
      try await BuyingStage.run { stage in
        let line = BuyingStage.period(0, of: "equiduty_pro_monthly")
        let told = try await stage.fixture.notify("SUBSCRIBED", uuid: "n-1") { fields in
          line(&fields)
          fields["appAccountToken"] = .string(token)
        }
        #expect(told.applied)
        #expect(try await stage.tier(.user(anna)) == "free")
        let other = await refusal {
          try await stage.submit(for: subject, as: bert, line)
        }
        #expect(other.reason == "ALREADY_CLAIMED")
        try await stage.submit(for: subject, line)
        #expect(try await stage.tier(subject) == "pro")
      }
    }
  }

  // MARK: - Buyers who leave

  @Test(
    "When the buyer has left, the subject keeps the paid period, and the buyer moves what follows",
    arguments: BuyingStage.shared
  )
  func renew_afterBuyerLeft_endsWithThePeriod(subject: Subject) async throws {
    try await BuyingStage.run { stage in
      let bought = try await stage.submit(for: subject, BuyingStage.period(0))
      stage.tenancy.set(buyer: anna, of: [subject.id], false)
      #expect(try await stage.tier(subject) == "pro")
      try await stage.fixture.notify("DID_RENEW", uuid: "n-1", BuyingStage.period(1))
      let plan = try await stage.plan(subject)
      #expect(plan.tier == "pro" && plan.renewal == .ends)
      #expect(plan.expiresAt?.milliseconds == TestTime.now - TestTime.hour + 30 * day)
      stage.fixture.clock.advance(31 * day)
      #expect(try await stage.tier(subject) == "free")
      let list = try await stage.fixture.purchases.list(
        .init(),
        options: ServiceFixture.user(anna)
      )
      #expect(list.purchases.map(\.bound) == [false])
      #expect(list.purchases[0].state == .active)
      try await stage.fixture.notify("DID_RENEW", uuid: "n-2", BuyingStage.period(2))
      #expect(try await stage.tier(subject) == "free")
      // It comes back to the buyer, who has paid for it.
      let moved = try await stage.move(bought.purchase, to: nil)
      #expect(moved.bound && moved.subject == Subject.user(anna).wire)
      #expect(try await stage.tier(.user(anna)) == "pro")
      let causes = try await stage.fixture.entitlements.listChanges(
        .init(subject: subject.wire),
        options: ServiceFixture.service
      ).changes.map(\.cause)
      #expect(causes.contains(.buyerLeft))
    }
  }

  @Test("A buyer who may buy again renews what the subject has")
  func submit_afterReturn_renews() async throws {
    let subject = BuyingStage.shared[0]
    try await BuyingStage.run { stage in
      try await stage.submit(for: subject, BuyingStage.period(0))
      stage.tenancy.set(buyer: anna, of: [subject.id], false)
      try await stage.fixture.notify("DID_RENEW", uuid: "n-1", BuyingStage.period(1))
      stage.fixture.clock.advance(31 * day)
      #expect(try await stage.tier(subject) == "free")
      stage.tenancy.set(buyer: anna, of: [subject.id])
      let again = try await stage.submit(for: subject, BuyingStage.period(1))
      #expect(again.result == .applied)
      #expect(try await stage.tier(subject) == "pro")
    }
  }

  @Test(
    "While TenancyService cannot be asked, a renewal counts, and the buyer is asked for later",
    arguments: [true, false]
  )
  func renew_withoutTenancy_isSettledLater(isHeld: Bool) async throws {
    let subject = BuyingStage.shared[0]
    try await BuyingStage.run { stage in
      try await stage.submit(for: subject, BuyingStage.period(0))
      stage.tenancy.set(buyer: anna, of: [subject.id], isHeld)
      stage.tenancy.set(isDown: true)
      try await stage.fixture.notify("DID_RENEW", uuid: "n-1", BuyingStage.period(1))
      stage.fixture.clock.advance(31 * day)
      #expect(try await stage.tier(subject) == "pro")
      try await stage.fixture.service.unprovenBuyers.ask()
      #expect(try await stage.tier(subject) == "pro")
      stage.tenancy.set(isDown: false)
      try await stage.fixture.service.unprovenBuyers.ask()
      #expect(try await stage.tier(subject) == (isHeld ? "pro" : "free"))
      // Asked once.
      stage.tenancy.set(buyer: anna, of: [subject.id], !isHeld)
      try await stage.fixture.service.unprovenBuyers.ask()
      #expect(try await stage.tier(subject) == (isHeld ? "pro" : "free"))
    }
  }

  @Test("A deleted buyer leaves the paid period, and what is not renewed stays")
  func erase_ofBuyer_leavesThePeriod() async throws {
    let subject = BuyingStage.shared[0]
    try await BuyingStage.run { stage in
      try await stage.submit(for: subject, BuyingStage.period(0))
      try await stage.submit(
        for: subject,
        BuyingStage.single(BuyingStage.forever, "Non-Consumable")
      )
      try await erase(anna, stage)
      #expect(try await stage.tier(subject) == "pro")
      try await stage.fixture.notify("DID_RENEW", uuid: "n-1", BuyingStage.period(1))
      stage.fixture.clock.advance(31 * day)
      #expect(try await stage.tier(subject) == "free")
      let analytics = try await stage.fixture.entitlements.checkFeature(
        .init(subject: subject.wire, feature: "analytics"),
        options: ServiceFixture.service
      )
      #expect(analytics.allowed && analytics.source == .purchase)
      // The same person's new account hands the renewal in.
      let taken = try await stage.submit(for: subject, as: bert, BuyingStage.period(1))
      #expect(taken.result == .applied && taken.purchase?.buyerId == bert)
      #expect(try await stage.tier(subject) == "pro")
    }
  }

  @Test("What a deleted subject had is free for its buyer", arguments: BuyingStage.shared)
  func end_ofSubject_freesPurchases(subject: Subject) async throws {
    try await BuyingStage.run { stage in
      try await stage.submit(for: subject, BuyingStage.period(0))
      _ = try await Entitlement_V1.HoldersClient(stage.fixture.channel).end(
        .init(holderId: subject.id),
        options: CallOptions(metadata: ["test-service": "tenancy"])
      )
      try await stage.fixture.notify("DID_RENEW", uuid: "n-1", BuyingStage.period(1))
      let refused = await refusal {
        try await stage.submit(for: subject, BuyingStage.period(1))
      }
      #expect(refused.code == .notFound)
      try await stage.submit(for: nil, BuyingStage.period(1))
      #expect(try await stage.tier(.user(anna)) == "pro")
    }
  }

  private func erase(_ user: String, _ stage: BuyingStage) async throws {
    let holders = Entitlement_V1.HoldersClient(stage.fixture.channel)
    let pseudonym = Pseudonym.of(user, key: HMACKey([UInt8](repeating: 3, count: 32)))
    var cursor = ""
    while true {
      let answer = try await holders.eraseUser(
        .init(userId: user, pseudonym: pseudonym, cursor: cursor),
        options: CallOptions(metadata: ["test-service": "auth"])
      )
      if answer.finished { return }
      cursor = answer.cursor
    }
  }

  // MARK: - Lists

  @Test("A buyer lists everything bought, and administrators what their subject has")
  func list_ofSubjects_isTheirs() async throws {
    try await BuyingStage.run { stage in
      for (number, subject) in BuyingStage.subjects.enumerated() {
        try await stage.submit(for: subject, BuyingStage.period(0, line: "5000\(number)"))
      }
      func list(_ subject: Subject?, _ user: String) async throws -> Set<String> {
        var found: Set<String> = []
        var token = ""
        repeat {
          let page = try await stage.fixture.purchases.list(
            .init(pageSize: 1, pageToken: token, subject: subject?.wire),
            options: ServiceFixture.user(user)
          )
          for purchase in page.purchases { found.insert(purchase.subject?.id ?? "") }
          token = page.nextPageToken
        } while !token.isEmpty
        return found
      }
      #expect(try await list(nil, anna) == Set(BuyingStage.subjects.map(\.id)))
      #expect(try await list(nil, bert).isEmpty)
      for subject in BuyingStage.shared {
        #expect(try await list(subject, bert) == [subject.id])
      }
    }
  }
}
