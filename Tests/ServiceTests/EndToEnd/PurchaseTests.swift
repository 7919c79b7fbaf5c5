import Foundation
import PeerContracts
import EntitlementContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

extension EndToEndTests {
  @Suite("Buying, and getting the money back")
  struct PurchaseTests {
    private static let transactionID = "2000000077"

    @Test(
      "A purchase is seen in the profile within a second, outlives a crash, and ends with its refund"
    )
    func compliancePack_boughtAndRefunded_isSeenByAuthService() async throws {
      try await Installation.run { home in
        let (owner, friend) = (try await home.signUp("ada"), try await home.signUp("grace"))
        #expect(try await hasPack(owner, home) == false)
        let proof = try Self.transaction()
        let bought = try await submit(proof, owner, home)
        #expect(bought.result == .applied && bought.purchase?.state == .active)
        let began = ContinuousClock.now
        #expect(try await hasPack(owner, home))
        #expect(ContinuousClock.now - began < .seconds(1))
        #expect(try await home.answer(to: owner.email).user?.hasCompliancePack == true)
        #expect(try await hasPack(friend, home) == false)

        // The same proof is nobody else's.
        let stolen = try await refusal { try await submit(proof, friend, home) }
        #expect(
          stolen?.is(.failedPrecondition, "ALREADY_CLAIMED") == true,
          "\(String(describing: stolen))"
        )
        #expect(try await submit(proof, owner, home).result == .unchanged)

        try await home.entitlement.kill()
        try await home.entitlement.start()
        let isKept = try await home.entitlement.eventually {
          try await refusal { try await hasPack(owner, home) } == nil
        }
        #expect(isKept)
        #expect(try await hasPack(owner, home))

        // Apple tells of the refund; the store's server calls without an account.
        let refund = try NotificationFields.signed(
          "REFUND",
          uuid: "8c1f4a7e-0000-4000-8000-000000000077",
          transaction: try Self.transaction { $0.set("revocationDate", Self.refundedAt) },
          Self.ofThisApplication
        )
        for isRepeated in [false, true] {
          let told = try await home.purchases.handleNotification(
            .init(signedPayload: refund),
            timeout: .seconds(10)
          )
          #expect(told.duplicate == isRepeated && told.applied == !isRepeated)
        }
        #expect(try await hasPack(owner, home) == false)
        // The old proof does not bring it back, here or to somebody else.
        #expect(try await submit(proof, owner, home).result == .unchanged)
        #expect(try await hasPack(owner, home) == false)
        let restored = try await home.purchases.restore(
          .init(signedTransactions: [proof]),
          options: friend.call
        )
        #expect(restored.transactions.map(\.purchase?.state) != [.active])
        #expect(try await hasPack(friend, home) == false)
        let list = try await home.purchases.list(.init(), options: owner.call).purchases
        #expect(list.allSatisfy { $0.state == .refunded })
      }
    }

    @Test("A bought tier is the plan at sign-in, in the profile and by REST, until it is refunded")
    func premium_boughtAndRefunded_isThePlan() async throws {
      try await Installation.run { home in
        let (owner, friend) = (try await home.signUp("ada"), try await home.signUp("grace"))
        #expect(try await plan(owner, home) == "free")
        let premium = { @Sendable (fields: inout TransactionFields) in
          fields["productId"] = "urgood_premium_monthly"
          fields["type"] = "Auto-Renewable Subscription"
          // These services go by the real time.
          fields.set("expiresDate", TestTime.now + 3650 * TestTime.day)
        }
        let bought = try await submit(try Self.transaction(premium), owner, home)
        #expect(bought.result == .applied)
        #expect(try await plan(owner, home) == "premium")
        let user = try #require(try await home.answer(to: owner.email).user)
        #expect(user.plan == "premium" && user.planDetails?.tier == "premium")
        #expect(user.planDetails?.source == .purchase)
        #expect(user.planDetails?.productId == "urgood_premium_monthly")
        #expect(
          user.planDetails?.expiresAt?.milliseconds == TestTime.now + 3650 * TestTime.day
        )
        let entitlements = try await home.entitlements.get(.init(), options: owner.call)
        #expect(entitlements.tier == "premium")
        #expect(entitlements.products == ["urgood_premium_monthly"])
        #expect(try await plan(friend, home) == "free")

        let refund = try NotificationFields.signed(
          "REFUND",
          uuid: "8c1f4a7e-0000-4000-8000-000000000078",
          transaction: try Self.transaction { fields in
            premium(&fields)
            fields.set("revocationDate", Self.refundedAt)
          },
          Self.ofThisApplication
        )
        let told = try await home.purchases.handleNotification(
          .init(signedPayload: refund),
          timeout: .seconds(10)
        )
        #expect(told.applied)
        #expect(try await plan(owner, home) == "free")
      }
    }

    @Test(
      "An organization buys a tier by REST: its plan and limits follow, its members see it, and it moves"
    )
    func pro_boughtForOrganization_isItsPlan() async throws {
      let policy = try String(
        contentsOf: InstalledTool.root.appending(path: "policies/equestrian.json"),
        encoding: .utf8
      )
      try await Installation.run(policy: policy) { home in
        let (owner, friend) = (try await home.signUp("olga"), try await home.signUp("finn"))
        func make(_ name: String) async throws -> String {
          let body = #"{"entity": {"type": "organization", "name": "\#(name)"}}"#
          let made = try await rest(home.tenancy, "POST", "entities", body, by: owner)
          return try #require(made.data?["id"]?.string, "\(made)")
        }
        let (farm, stud) = (try await make("Farm"), try await make("Stud"))
        let receipt = try Self.transaction { fields in
          fields["productId"] = "equiduty_pro_monthly"
          fields["type"] = "Auto-Renewable Subscription"
          fields.set("expiresDate", TestTime.now + 3650 * TestTime.day)
        }
        func validate(_ kind: String, _ id: String, _ person: Person) async throws -> RESTAnswer {
          try await rest(
            home.entitlement,
            "POST",
            "iap/validate-receipt",
            """
            {"receiptData": "\(receipt)", "productId": "equiduty_pro_monthly",
             "subject": {"kind": "\(kind)", "id": "\(id)"}}
            """,
            by: person
          )
        }
        #expect(try await validate("SUBJECT_KIND_ORGANIZATION", farm, friend).status == 404)
        #expect(try await validate("SUBJECT_KIND_USER", owner.id, owner).status == 400)
        let bought = try await validate("SUBJECT_KIND_ORGANIZATION", farm, owner)
        #expect(bought.status == 200, "\(bought)")
        #expect(bought.data?["message"] == "Feature enabled")
        let purchase = try #require(bought.data?["purchases"]?.array?.first?.object)
        #expect(purchase["subject"]?.object?["id"] == .string(farm))
        #expect(purchase["buyerId"] == .string(owner.id) && purchase["store"] == "apple")

        func entitlements(_ id: String) async throws -> JSONObject? {
          try await rest(
            home.entitlement,
            "GET",
            "entitlements?subject.kind=SUBJECT_KIND_ORGANIZATION&subject.id=\(id)",
            by: owner
          ).data
        }
        let pro = try await entitlements(farm)
        #expect(pro?["tier"] == "pro")
        #expect(pro?["plan"]?.object?["productId"] == "equiduty_pro_monthly")
        let horses = pro?["entitlements"]?.array?.first { $0.object?["key"] == "maxHorses" }
        #expect(
          horses?.object?["limit"]?.object?["maximum"] == "400",
          "\(String(describing: horses))"
        )
        #expect(try await entitlements(stud)?["tier"] == "free")

        // Beside the user's own plan, which it does not raise.
        let user = try await home.users.getMe(.init(), options: owner.call)
        #expect(user.plan == "free")
        #expect(user.plans.map(\.tier) == ["free", "pro", "free"])
        #expect(user.plans.map { $0.subject?.id } == [owner.id, farm, stud])

        let id = try #require(purchase["id"]?.string)
        let moved = try await rest(
          home.entitlement,
          "POST",
          "iap/purchases/\(id)/move",
          #"{"subject": {"kind": "SUBJECT_KIND_ORGANIZATION", "id": "\#(stud)"}}"#,
          by: owner
        )
        #expect(moved.status == 200 && moved.data?["bound"] == true, "\(moved)")
        #expect(try await entitlements(farm)?["tier"] == "free")
        #expect(try await entitlements(stud)?["tier"] == "pro")
      }
    }

    private struct RESTAnswer {
      var status: Int
      var data: JSONObject?
    }

    private func rest(
      _ service: ServiceProcess,
      _ method: String,
      _ path: String,
      _ body: String = "",
      by person: Person
    ) async throws -> RESTAnswer {
      let answer = try await service.http.send(
        method,
        "/api/v1/\(path)",
        [
          ("authorization", "Bearer \(person.tokens.accessToken)"),
          ("content-type", "application/json"),
        ],
        Array(body.utf8)
      )
      let json = try JSONReader.read(answer.content, limits: JSONLimits(byteCountMax: 1 << 20))
      return RESTAnswer(
        status: answer.status,
        data: json.object?["data"]?.object ?? json.object
      )
    }

    private static let refundedAt = TestTime.now + TestTime.hour

    private static func transaction(
      _ change: (inout TransactionFields) -> Void = { _ in }
    ) throws -> String {
      try TransactionFields.signed {
        $0["bundleId"] = .string(Installation.bundleID)
        $0["transactionId"] = .string(transactionID)
        $0["originalTransactionId"] = .string(transactionID)
        change(&$0)
        if $0["revocationDate"] != nil { $0.set("signedDate", refundedAt) }
      }
    }

    private static func ofThisApplication(_ data: inout JSONObject) {
      data["bundleId"] = .string(Installation.bundleID)
      data["appAppleId"] = 1
    }

    private func submit(
      _ proof: String,
      _ person: Person,
      _ home: Installation
    ) async throws -> Entitlement_V1.SubmitTransactionResponse {
      try await home.purchases.submitTransaction(
        .init(signedTransaction: proof),
        options: person.call
      )
    }

    /// The plan in the profile, as the app reads it.
    private func plan(_ person: Person, _ home: Installation) async throws -> String? {
      let answer = try await home.auth.http.send(
        "GET",
        "/api/v1/users/me",
        [("authorization", "Bearer \(person.tokens.accessToken)")]
      )
      let json = try JSONReader.read(answer.content, limits: JSONLimits(byteCountMax: 1 << 16))
      return json.object?["data"]?.object?["plan"]?.string
    }

    private func hasPack(_ person: Person, _ home: Installation) async throws -> Bool {
      try await home.users.getMe(.init(), options: person.call).hasCompliancePack
    }
  }
}
