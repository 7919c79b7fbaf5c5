import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("The state of a purchase")
struct PurchaseTests {
  private let verifier: SignedDataVerifier
  private let now = TestTime.now

  init() throws {
    verifier = try SignedDataVerifier(
      application: AppleApplication(bundleID: TransactionFields.bundleID),
      anchors: [.test(der: try TestAuthority.shared.get().root.der)],
      clock: ManualClock(TestTime.now)
    )
  }

  private func purchase(
    _ change: (inout TransactionFields) -> Void = { _ in }
  ) throws -> Purchase {
    try Purchase(try verifier.transaction(try TransactionFields.signed(change), in: .production))
  }

  @Test("A transaction signed before a refund does not undo it, one signed after it does")
  func updated_refund_needsNewerSignature() throws {
    let bought = try purchase { $0.set("signedDate", now - 300) }
    let refunded = try purchase {
      $0.set("signedDate", now - 200)
      $0.set("revocationDate", now - 210)
    }
    let after = try #require(bought.updated(by: refunded))
    #expect(after.state(at: now) == .refunded)
    #expect(after.updated(by: bought) == nil)
    #expect(after.updated(by: refunded) == nil)
    let replay = try purchase {
      $0.set("signedDate", now - 250)
      $0["transactionId"] = "2000000077"
    }
    #expect(after.updated(by: replay) == nil)
    let reversed = try purchase { $0.set("signedDate", now - 100) }
    #expect(after.updated(by: reversed)?.state(at: now) == .active)
  }

  @Test("Of two signed at the same time the one that takes away holds, in either order")
  func updated_sameSignature_prefersRefund() throws {
    let bought = try purchase()
    let refunded = try purchase { $0.set("revocationDate", now - 210) }
    #expect(bought.updated(by: refunded)?.state(at: now) == .refunded)
    #expect(refunded.updated(by: bought) == nil)
  }

  /// A period of a subscription that is renewed each day, from so many days after now on.
  private func period(_ number: Int64, signed: Int64, revoked: Int64? = nil) throws -> Purchase {
    try purchase {
      $0["type"] = "Auto-Renewable Subscription"
      $0["transactionId"] = .string("\(3_000_000_000 + number)")
      $0.set("purchaseDate", now + number * TestTime.day)
      $0.set("expiresDate", now + (number + 1) * TestTime.day)
      $0.set("signedDate", signed)
      $0.set("revocationDate", revoked)
    }
  }

  @Test("An old period that is signed anew does not replace the current one")
  func updated_oldPeriod_isHistory() throws {
    let second = try period(0, signed: now - 100)
    for revoked in [nil, now] {
      let history = try period(-1, signed: now - 50, revoked: revoked)
      let after = second.updated(by: history) ?? second
      #expect(after.newestPeriod == second.newestPeriod)
      for day in Int64(-1)...1 {
        let instant = now + day * TestTime.day
        #expect(after.worth(at: max(instant, now)) == second.worth(at: max(instant, now)))
      }
      #expect(!after.isNews(after: second, at: now))
    }
    let third = try #require(second.updated(by: try period(1, signed: now - 200)))
    #expect(third.expiresAt == now + 2 * TestTime.day)
    let refunded = try #require(third.updated(by: try period(1, signed: now, revoked: now)))
    #expect(refunded.state(at: now + TestTime.day) == .refunded)
  }

  @Test("The refund of a renewal that is dated ahead leaves what is paid until then")
  func updated_refundOfPeriodAhead_keepsToday() throws {
    let today = try period(0, signed: now - 100)
    let ahead = try #require(today.updated(by: try period(1, signed: now - 50)))
    #expect(ahead.worth(at: now).end == now + 2 * TestTime.day)
    let refunded = try #require(
      ahead.updated(by: try period(1, signed: now - 20, revoked: now - 20))
    )
    #expect(refunded.worth(at: now).state == .active)
    #expect(refunded.worth(at: now).end == now + TestTime.day)
    #expect(refunded.state(at: now + TestTime.day - 1) == .active)
    #expect(refunded.state(at: now + TestTime.day) == .refunded)
    // Refunded as well, today's period ends too.
    let both = try #require(
      refunded.updated(by: try period(0, signed: now - 10, revoked: now - 10))
    )
    #expect(both.state(at: now) == .refunded)
    // And a reversal brings each back.
    let reversed = try #require(both.updated(by: try period(0, signed: now - 5)))
    #expect(reversed.state(at: now) == .active)
  }

  @Test("Another product that begins with the next period does not end this one")
  func updated_otherProductAhead_beginsThen() throws {
    let today = try period(0, signed: now - 100)
    var next = try period(1, signed: now - 50)
    next.productID = "com.example.smaller"
    let both = try #require(today.updated(by: next))
    #expect(both.worth(at: now).productID == TransactionFields.product)
    #expect(both.worth(at: now).end == now + TestTime.day)
    let later = both.worth(at: now + TestTime.day)
    #expect(later.productID == "com.example.smaller" && later.end == now + 2 * TestTime.day)
    // An upgrade begins when it is bought.
    var upgrade = today
    (upgrade.productID, upgrade.transactionID) = ("com.example.larger", "3100000000")
    (upgrade.purchasedAt, upgrade.signedAt) = (today.purchasedAt + 1, now - 10)
    #expect(
      today.updated(by: upgrade)?.worth(at: now + 1).productID == "com.example.larger"
    )
  }

  /// What each of the transactions says that was signed last, and of those the two that begin last.
  private func expected(_ events: [Purchase], at instant: Int64) -> Purchase.State {
    var latest: [String: Purchase] = [:]
    for event in events {
      let known = latest[event.transactionID]
      let isNewer =
        known.map {
          ($0.signedAt, $0.revokedAt == nil ? 0 : 1) < (
            event.signedAt, event.revokedAt == nil ? 0 : 1
          )
        } ?? true
      if isNewer { latest[event.transactionID] = event }
    }
    let periods = latest.values.sorted { $0.purchasedAt > $1.purchasedAt }
    let newest = periods[0]
    if instant < newest.purchasedAt, periods.count > 1, periods[1].revokedAt == nil,
      instant < periods[1].expiresAt ?? .max
    {
      return .active
    }
    if newest.revokedAt != nil { return .refunded }
    return instant < newest.expiresAt ?? .max ? .active : .expired
  }

  @Test("The order in which periods, refunds and reversals arrive makes no difference")
  func updated_anyOrder_isTheSame() throws {
    for seed in UInt64(0)..<200 {
      var random = SimulationRandom(seed: seed)
      var events: [Purchase] = []
      for signing in 0..<random.number(in: 1...8) {
        let isRevoked = random.chance(0.4)
        events.append(
          try period(
            Int64(random.number(in: -2...1)),
            // Two may be signed at the same time.
            signed: now - 1000 + Int64(random.number(in: 0...(2 * signing + 1))),
            revoked: isRevoked ? now : nil
          )
        )
      }
      var outcomes: Set<[Purchase.State]> = []
      let instants = (0...5).map { now + Int64($0) * TestTime.day / 2 }
      for _ in 0..<8 {
        for index in events.indices.reversed() {
          events.swapAt(index, random.number(in: 0...index))
        }
        let result = events.dropFirst().reduce(events[0]) { $0.updated(by: $1) ?? $0 }
        outcomes.insert(instants.map { result.state(at: $0) })
      }
      #expect(outcomes == [instants.map { expected(events, at: $0) }], "seed \(seed)")
    }
  }

  @Test("A purchase ends with its last day or its days of grace, that instant excluded")
  func state_expiry_isExclusive() throws {
    var purchase = try purchase { $0.set("expiresDate", now + 10) }
    #expect(purchase.state(at: now + 9) == .active)
    #expect(purchase.state(at: now + 10) == .expired)
    purchase.graceUntil = now + 20
    #expect(purchase.state(at: now + 19) == .active)
    #expect(purchase.state(at: now + 20) == .expired)
    purchase.graceUntil = now
    #expect(purchase.state(at: now + 9) == .active)
  }

  @Test("The end of family sharing is a revocation and not a refund")
  func state_unshared_isRevoked() throws {
    let shared = try purchase {
      $0["inAppOwnershipType"] = "FAMILY_SHARED"
      $0.set("revocationDate", now)
    }
    #expect(shared.state(at: now) == .revoked)
    #expect(shared.isFamilyShared)
  }

  @Test(
    "A transaction that does not say what was bought is no purchase",
    arguments: [
      "transactionId", "productId", "signedDate",
    ]
  )
  func init_incomplete_isRefused(field: String) throws {
    let text = try TransactionFields.signed { $0[field] = nil }
    let verified = try verifier.transaction(text, in: .production)
    let error = #expect(throws: RPCError.self) { try Purchase(verified) }
    #expect(error?.reason == "TRANSACTION_INCOMPLETE")
    #expect(error?.message.contains(field) == true)
  }
}
