import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting

/// A row of docs/reference/app-store-notifications.md, with the data that Apple sends for it.
///
/// Everything is about one user, who bought `com.example.basic` until second 10 unless `before` says
/// otherwise. Seconds count from the begin of the test.
struct NotificationRow: Sendable, CustomTestStringConvertible {
  /// A transaction that Apple signs.
  enum Bought: Sendable {
    /// The subscription to `basic`, from second 0 to 10 or as long as that.
    case basic(until: Int64 = 10)
    /// Its next period, from second 10 to 20.
    case renewed
    /// Its period before, until second -10.
    case earlier
    /// The subscription changed to `plus`, from second 1 to 20.
    case plus
    /// The compliance pack, for good.
    case pack
    /// The pack of a family member.
    case shared
  }

  /// What Apple says of the renewal.
  enum Renewal: Sendable {
    case plain
    case grace(until: Int64)
    case billingRetry
    /// As another product from the next period on.
    case next(product: String)
  }

  var type: String
  var subtype: String?
  /// What the user had handed in before, at second 0.
  var before: [Bought] = [.basic()]
  /// Whether what was bought last before was refunded, or is no longer shared, at second 1.
  var isRevokedBefore = false
  /// Until when grace had been given before.
  var graceBefore: Int64?
  /// What the notification says.
  var news: Bought?
  /// Whether the news are refunded, or no longer shared.
  var isRevoked = false
  var renewal: Renewal?
  /// The second at which it comes.
  var at: Int64 = 2
  /// What the user has afterwards, by second.
  var after: [(second: Int64, has: Set<String>)]

  var testDescription: String { subtype.map { "\(type) \($0)" } ?? type }

  init(
    _ type: String,
    _ subtype: String? = nil,
    _ change: (inout NotificationRow) -> Void = { _ in }
  ) {
    self.type = type
    self.subtype = subtype
    // As if there had been no notification.
    after = [(2, ["basic"]), (9, ["basic"]), (10, [])]
    change(&self)
  }
}

extension NotificationRow {
  /// Every type and subtype that Apple documents, in the order of the page.
  static let all = purchases + renewals + ends + others

  private static let purchases: [NotificationRow] = [
    .init("ONE_TIME_CHARGE") { row in
      row.before = []
      row.news = .pack
      row.after = [(2, ["pack"]), (3600, ["pack"])]
    },
    .init("SUBSCRIBED", "INITIAL_BUY") { row in
      row.before = []
      row.news = .basic()
    },
    .init("SUBSCRIBED", "RESUBSCRIBE") { row in
      row.before = [.earlier]
      row.news = .basic()
    },
    .init("OFFER_REDEEMED") { $0.news = .basic() },
    .init("OFFER_REDEEMED", "INITIAL_BUY") { row in
      row.before = []
      row.news = .basic()
    },
    .init("OFFER_REDEEMED", "RESUBSCRIBE") { row in
      row.before = [.earlier]
      row.news = .basic()
    },
    .init("OFFER_REDEEMED", "UPGRADE") { $0.upgrades() },
    .init("OFFER_REDEEMED", "DOWNGRADE") { $0.staysUntilRenewal() },
  ]

  private static let renewals: [NotificationRow] = [
    .init("DID_RENEW") { $0.renews(at: 9) },
    .init("DID_RENEW", "BILLING_RECOVERY") { $0.renews(at: 12) },
    .init("DID_CHANGE_RENEWAL_PREF") { $0.changesNothing() },
    .init("DID_CHANGE_RENEWAL_PREF", "UPGRADE") { $0.upgrades() },
    .init("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE") { $0.staysUntilRenewal() },
    .init("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED") { $0.changesNothing() },
    .init("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED") { $0.changesNothing() },
    .init("DID_FAIL_TO_RENEW") { row in
      row.news = .basic()
      row.renewal = .billingRetry
      row.at = 10
      row.after = [(10, []), (20, [])]
    },
    .init("DID_FAIL_TO_RENEW", "GRACE_PERIOD") { row in
      row.news = .basic()
      row.renewal = .grace(until: 20)
      row.at = 10
      row.after = [(10, ["basic"]), (19, ["basic"]), (20, [])]
    },
    .init("GRACE_PERIOD_EXPIRED") { row in
      row.graceBefore = 20
      row.news = .basic()
      row.renewal = .billingRetry
      row.at = 15
      row.after = [(15, [])]
    },
  ]

  private static let ends: [NotificationRow] = [
    .init("EXPIRED", "VOLUNTARY") { $0.expires() },
    .init("EXPIRED", "BILLING_RETRY") { $0.expires() },
    .init("EXPIRED", "PRICE_INCREASE") { $0.expires() },
    .init("EXPIRED", "PRODUCT_NOT_FOR_SALE") { $0.expires() },
    .init("REFUND") { row in
      row.before = [.pack]
      row.news = .pack
      row.isRevoked = true
      row.after = [(2, [])]
    },
    .init("REFUND_REVERSED") { row in
      row.before = [.pack]
      row.isRevokedBefore = true
      row.news = .pack
      row.after = [(2, ["pack"])]
    },
    .init("REFUND_DECLINED") { $0.changesNothing() },
    .init("CONSUMPTION_REQUEST") { $0.changesNothing() },
    .init("REVOKE") { row in
      row.before = [.shared, .basic()]
      row.news = .shared
      row.isRevoked = true
      row.after = [(2, ["basic"])]
    },
  ]

  private static let others: [NotificationRow] = [
    .init("RENEWAL_EXTENDED") { row in
      row.news = .basic(until: 20)
      row.after = [(2, ["basic"]), (19, ["basic"]), (20, [])]
    },
    .init("RENEWAL_EXTENSION", "SUMMARY"),
    .init("RENEWAL_EXTENSION", "FAILURE") { $0.changesNothing() },
    .init("PRICE_INCREASE", "PENDING") { $0.changesNothing() },
    .init("PRICE_INCREASE", "ACCEPTED") { $0.changesNothing() },
    .init("PRICE_CHANGE") { $0.changesNothing() },
    .init("METADATA_UPDATE") { $0.changesNothing() },
    .init("MIGRATION") { $0.changesNothing() },
    .init("RESCIND_CONSENT") { $0.after = [(2, [])] },
    .init("EXTERNAL_PURCHASE_TOKEN", "UNREPORTED"),
    .init("TEST"),
  ]

  private mutating func changesNothing() {
    news = .basic()
    renewal = .plain
  }

  private mutating func upgrades() {
    news = .plus
    after = [(2, ["plus"]), (19, ["plus"]), (20, [])]
  }

  private mutating func staysUntilRenewal() {
    news = .basic()
    renewal = .next(product: "com.example.plus")
  }

  private mutating func renews(at second: Int64) {
    news = .renewed
    at = second
    after = [(max(second, 10), ["basic"]), (19, ["basic"]), (20, [])]
  }

  private mutating func expires() {
    news = .basic()
    renewal = .plain
    at = 10
    after = [(10, [])]
  }
}

extension NotificationRow.Bought {
  /// What Apple signs at a second.
  func signed(at second: Int64, isRevoked: Bool = false, token: String) throws -> String {
    try TransactionFields.signed { fields in
      func period(_ id: String, _ product: String, _ from: Int64, _ until: Int64) {
        fields["transactionId"] = .string(id)
        fields["originalTransactionId"] = "5000"
        fields["productId"] = .string(product)
        fields["type"] = "Auto-Renewable Subscription"
        fields.set("purchaseDate", Self.instant(from))
        fields.set("expiresDate", Self.instant(until))
      }
      switch self {
      case .basic(let until): period("5001", "com.example.basic", 0, until)
      case .renewed: period("5002", "com.example.basic", 10, 20)
      case .earlier: period("5000", "com.example.basic", -20, -10)
      case .plus: period("5003", "com.example.plus", 1, 20)
      case .pack: break
      case .shared:
        fields["transactionId"] = "6000"
        fields["originalTransactionId"] = "6000"
        fields["inAppOwnershipType"] = "FAMILY_SHARED"
      }
      fields["appTransactionId"] = "app-1"
      fields["appAccountToken"] = .string(token)
      fields.set("signedDate", Self.instant(second))
      if isRevoked { fields.set("revocationDate", Self.instant(second)) }
    }
  }

  static func instant(_ second: Int64) -> Int64 { TestTime.now + second * TestTime.second }
}

extension NotificationRow.Renewal {
  /// What Apple signs at a second.
  func signed(at second: Int64) throws -> String {
    var fields: JSONObject = [
      "originalTransactionId": "5000", "environment": "Production", "autoRenewStatus": 1,
      "autoRenewProductId": "com.example.basic",
      "signedDate": .number(JSONNumber(NotificationRow.Bought.instant(second))),
    ]
    switch self {
    case .plain: break
    case .grace(let until):
      fields["gracePeriodExpiresDate"] = .number(JSONNumber(NotificationRow.Bought.instant(until)))
    case .billingRetry: fields["isInBillingRetryPeriod"] = true
    case .next(let product): fields["autoRenewProductId"] = .string(product)
    }
    return try SignedData(.object(fields)).text()
  }
}
