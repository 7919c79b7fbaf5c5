internal import PeerContracts

extension Resolver {
  /// Why a feature is available or not, the most telling reason first: what was done to this subject
  /// before what it lacks.
  func reason(
    _ feature: Catalog.Feature,
    _ winner: Resolution.Part,
    _ holdings: Holdings,
    at now: Int64
  ) -> EntitlementReason {
    if winner.value.isAvailable { return .available }
    if winner.source == .override { return .deniedByOverride }
    let key = feature.key
    if let reason = reasonOfPurchases(of: key, holdings, at: now) { return reason }
    let subscription = holdings.subscription(at: now)
    let isActive = subscription?.isActive(at: now) ?? false
    if let subscription, !isActive, subscription.validFrom <= now,
      includes(key, subscription)
    {
      return .subscriptionExpired
    }
    if holdings.redemptions.contains(where: { hasEnded($0, key, at: now) }) {
      return .subscriptionExpired
    }
    if catalog.tiers.contains(where: { $0.includes(key) }) {
      return isActive ? .notInTier : .noSubscription
    }
    if catalog.addons.contains(where: { $0.includes(key) }) { return .addonRequired }
    let kind = holdings.subject.kind
    if catalog.products.contains(where: { $0.subjectKinds.contains(kind) && $0.includes(key) }) {
      return .notPurchased
    }
    return isActive ? .notInTier : .noSubscription
  }

  /// The reason of a purchase that would have given the feature; nil when there was none.
  private func reasonOfPurchases(
    of key: String,
    _ holdings: Holdings,
    at now: Int64
  ) -> EntitlementReason? {
    let purchases = holdings.purchases.filter { purchase in
      let product = catalog.product(catalog.worth(of: purchase, at: now).productID)
      return product?.includes(key) == true
        && product?.subjectKinds.contains(holdings.subject.kind) == true
    }
    let counting = purchases.filter { scope.counts($0, for: holdings.subject.id) }
    guard let newest = counting.max(by: { $0.purchasedAt < $1.purchasedAt }) else {
      let isActive = purchases.contains { catalog.worth(of: $0, at: now).state == .active }
      return isActive ? .environmentMismatch : nil
    }
    switch catalog.worth(of: newest, at: now).state {
    case .refunded: return .refunded
    case .revoked: return .revoked
    case .expired, .active: return .subscriptionExpired
    }
  }

  /// Whether a trial or a coupon that has ended made the feature available.
  private func hasEnded(_ redemption: Redemption, _ key: String, at now: Int64) -> Bool {
    !isCurrent(redemption.endsAt, at: now)
      && catalog.promotion(redemption.promotion).flatMap { catalog.offer(of: $0) }?.includes(key)
        == true
  }

  private func includes(_ key: String, _ subscription: Subscription) -> Bool {
    catalog.tier(subscription.tier)?.includes(key) == true
      || subscription.addons.contains { catalog.addon($0.name)?.includes(key) == true }
  }
}

extension Catalog.Offer {
  /// Whether it makes the feature available.
  func includes(_ key: String) -> Bool { values[key]?.isAvailable == true }
}
