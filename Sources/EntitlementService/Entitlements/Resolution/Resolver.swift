internal import RPCKit

/// Finds out what a subject is entitled to.
///
/// In this order: an override that denies; an override with a value; the best of tier, add-ons,
/// purchases and promotions; the feature's default. Time is an argument: what has an end is compared with it at each
/// question, and nothing is switched off by a job that may be late.
struct Resolver: Sendable {
  /// The catalogue.
  let catalog: Catalog
  /// Which purchases count.
  var scope: PurchaseScope = PurchaseScope()

  /// The value of one feature; nil for a feature that is not known.
  ///
  /// Throws when the subject's tier is not known and nothing stands in for it.
  func resolve(
    _ key: String,
    for holdings: Holdings,
    at now: Int64
  ) throws(RPCError) -> Resolution? {
    guard let feature = catalog.features[key] else { return nil }
    let parts = try self.parts(feature, holdings, at: now)
    return Resolution(
      key: key,
      parts: parts,
      reason: reason(feature, parts[0], holdings, at: now),
      validUntil: try nextChange(of: feature, from: parts[0].value, holdings, after: now)
    )
  }

  /// Every feature that is known, by key.
  func resolveAll(
    for holdings: Holdings,
    at now: Int64
  ) throws(RPCError) -> [Resolution] {
    var resolutions: [Resolution] = []
    for key in catalog.features.keys.sorted() {
      if let resolution = try resolve(key, for: holdings, at: now) {
        resolutions.append(resolution)
      }
    }
    return resolutions
  }

  /// Everything that has a say, the strongest first; never empty.
  private func parts(
    _ feature: Catalog.Feature,
    _ holdings: Holdings,
    at now: Int64
  ) throws(RPCError) -> [Resolution.Part] {
    var parts = overrides(of: feature, holdings, at: now)
    // The best first; of equals the one that was there first.
    let offers = try self.offers(of: feature, holdings, at: now)
    let best = offers.reduce(nil as FeatureValue?) { $1.value.better(than: $0) }
    parts += offers.filter { $0.value == best } + offers.filter { $0.value != best }
    return parts + [Resolution.Part(source: .fallback, value: feature.fallback)]
  }

  private func overrides(
    of feature: Catalog.Feature,
    _ holdings: Holdings,
    at now: Int64
  ) -> [Resolution.Part] {
    let current = (holdings.subscription(at: now)?.overrides ?? []).filter {
      $0.feature == feature.key && isCurrent($0.validUntil, at: now)
    }
    return (current.filter(\.isDenial) + current.filter { !$0.isDenial }).compactMap { override in
      let value = override.isDenial ? feature.kind.nothing : override.value
      // A feature can change its kind while old overrides stay.
      return value.kind == feature.kind ? Resolution.Part(source: .override, value: value) : nil
    }
  }

  /// The values by tier, add-ons, purchases and promotions.
  private func offers(
    of feature: Catalog.Feature,
    _ holdings: Holdings,
    at now: Int64
  ) throws(RPCError) -> [Resolution.Part] {
    var parts: [Resolution.Part] = []
    func add(_ source: EntitlementSource, _ offer: Catalog.Offer?) {
      guard let value = offer?.values[feature.key] else { return }
      parts.append(Resolution.Part(source: source, value: value))
    }
    let active = holdings.subscription(at: now).flatMap { $0.isActive(at: now) ? $0 : nil }
    if let active {
      let tier = try catalog.effectiveTier(active.tier)
      add(.tier(tier.name), tier)
      for addon in active.addons where isCurrent(addon.validUntil, at: now) {
        add(.addon(addon.name), catalog.addon(addon.name))
      }
    } else if let name = catalog.defaultTier {
      add(.tier(name), catalog.tier(name))
    }
    for purchase in holdings.purchases where scope.counts(purchase, for: holdings.subject.id) {
      let worth = catalog.worth(of: purchase, at: now)
      guard worth.state == .active, catalog.sells(worth.productID, to: holdings.subject.kind)
      else { continue }
      add(.purchase(worth.productID), catalog.product(worth.productID))
    }
    for redemption in holdings.redemptions where isCurrent(redemption.endsAt, at: now) {
      guard let promotion = catalog.promotion(redemption.promotion) else { continue }
      add(.promotion(promotion.name), catalog.offer(of: promotion))
    }
    for promotion in catalog.promotions
    where promotion.isCampaign(for: holdings.subject.kind, at: now) {
      add(.promotion(promotion.name), catalog.offer(of: promotion))
    }
    return parts
  }

  /// The first instant after `now` at which the feature has another value.
  private func nextChange(
    of feature: Catalog.Feature,
    from value: FeatureValue,
    _ holdings: Holdings,
    after now: Int64
  ) throws(RPCError) -> Int64? {
    for edge in edges(of: feature, holdings) where edge > now {
      if try parts(feature, holdings, at: edge)[0].value != value { return edge }
    }
    return nil
  }

  /// Every instant at which something with a say on the feature begins or ends, in order.
  private func edges(of feature: Catalog.Feature, _ holdings: Holdings) -> [Int64] {
    var edges: Set<Int64> = []
    edges.formUnion(holdings.scheduled.map(\.effectiveAt))
    for redemption in holdings.redemptions { edges.insert(redemption.endsAt) }
    for promotion in catalog.promotions where promotion.kind == .campaign {
      if let start = promotion.startsAt { edges.insert(start) }
      if let end = promotion.endsAt { edges.insert(end) }
    }
    for subscription in holdings.subscriptions {
      edges.insert(subscription.validFrom)
      if let end = subscription.end { edges.insert(end) }
      for addon in subscription.addons {
        guard let end = addon.validUntil, catalog.addon(addon.name)?.values[feature.key] != nil
        else { continue }
        edges.insert(end)
      }
      for override in subscription.overrides where override.feature == feature.key {
        if let end = override.validUntil { edges.insert(end) }
      }
    }
    for purchase in holdings.purchases {
      guard
        purchase.productIDs.contains(where: { catalog.product($0)?.values[feature.key] != nil })
      else { continue }
      edges.formUnion(catalog.lasting(purchase).edges)
    }
    return edges.sorted()
  }
}
