internal import PeerContracts

/// The plan of a subject at an instant: its tier, and the contract, purchase or promotion that gives it.
struct Plan: Hashable, Sendable {
  /// The contract names the sources.
  typealias Source = Entitlement_V1.PlanSource
  /// The contract names the states.
  typealias Renewal = Entitlement_V1.RenewalState

  /// The name of the tier; empty without any.
  var tier: String
  /// The source of the tier.
  var source: Source
  /// The product of a purchase.
  var productID = ""
  /// The store of a purchase.
  var store = ""
  /// The identifier of a purchase.
  var purchaseID = ""
  /// The name of a trial, coupon or campaign.
  var promotion = ""
  /// Whether it is tried and not paid for.
  var isTrial = false
  /// When it ends unless it is renewed: milliseconds since 1970, nil for never.
  var expiresAt: Int64?
  /// The state of its renewal.
  var renewal = Renewal.none
  /// When it is renewed.
  var renewsAt: Int64?
  /// The product that it is renewed as; empty when that is not known.
  var renewalProductID = ""
}

extension Purchase {
  /// The state of the renewal of a purchase that counts at `now`.
  func planRenewal(at now: Int64) -> Plan.Renewal {
    guard isRenewed else { return .none }
    // The next period is bought already.
    if now < purchasedAt { return .renews }
    if let expiresAt, expiresAt <= now { return .grace }
    guard let renewal else { return .unspecified }
    if renewal.isInBillingRetry { return .retrying }
    switch renewal.willRenew {
    case false?: return .ends
    case true?: return .renews
    case nil: return .unspecified
    }
  }

  /// Whether the newest period is tried and not paid for.
  var isFreeTrial: Bool { offer?.discountType == Purchase.Offer.freeTrial }
}
