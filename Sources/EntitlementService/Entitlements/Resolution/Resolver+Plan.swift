internal import PeerContracts
internal import RPCKit

extension Resolver {
  /// The plan of a subject: the highest tier that it has.
  ///
  /// Of equals the one that lasts longest, then the subscription's, a purchase's, a promotion's. The tier is empty
  /// without any, where there is no default. Throws when the subscription's tier is not known and nothing stands in
  /// for it.
  func plan(of holdings: Holdings, at now: Int64) throws(RPCError) -> Plan {
    var best: Candidate?
    for candidate in try candidates(holdings, at: now) {
      if let best, !candidate.isBetter(than: best) { continue }
      best = candidate
    }
    return best?.plan ?? Plan(tier: "", source: .default)
  }

  /// The first instant after `now` at which the plan is another one by itself; nil for never.
  func nextPlanChange(of holdings: Holdings, after now: Int64) throws(RPCError) -> Int64? {
    let current = try plan(of: holdings, at: now)
    for edge in planEdges(of: holdings) where edge > now {
      if try plan(of: holdings, at: edge) != current { return edge }
    }
    return nil
  }

  /// Everything that gives a tier at `now`, in the order in which equals go before one another.
  private func candidates(
    _ holdings: Holdings,
    at now: Int64
  ) throws(RPCError) -> [Candidate] {
    var candidates: [Candidate] = []
    if let active = holdings.subscription(at: now), active.isActive(at: now) {
      let plan = Plan(
        tier: active.tier,
        source: .subscription,
        isTrial: active.isTrial,
        expiresAt: active.end
      )
      let rank = try catalog.effectiveTier(active.tier).rank
      candidates.append(Candidate(plan, rank: rank))
    }
    candidates += purchased(holdings, at: now) + promoted(holdings, at: now)
    if let name = catalog.defaultTier {
      let rank = try catalog.effectiveTier(name).rank
      candidates.append(Candidate(Plan(tier: name, source: .default), rank: rank))
    }
    return candidates
  }

  private func purchased(_ holdings: Holdings, at now: Int64) -> [Candidate] {
    let counting = holdings.purchases.filter { scope.counts($0, for: holdings.subject.id) }
    return counting.compactMap { purchase -> Candidate? in
      let worth = catalog.worth(of: purchase, at: now)
      guard worth.state == .active,
        catalog.sells(worth.productID, to: holdings.subject.kind),
        let tier = catalog.product(worth.productID)?.tier.flatMap(catalog.tier)
      else { return nil }
      let renewal = purchase.planRenewal(at: now)
      let isBought = now < purchase.purchasedAt
      let plan = Plan(
        tier: tier.name,
        source: .purchase,
        productID: worth.productID,
        store: purchase.store,
        purchaseID: purchase.storedID,
        isTrial: purchase.isFreeTrial,
        expiresAt: worth.end,
        renewal: renewal,
        renewsAt: renewal == .renews
          ? (isBought ? purchase.purchasedAt : purchase.renewal?.renewsAt) : nil,
        renewalProductID: renewal == .renews
          ? (isBought ? purchase.productID : purchase.renewal?.productID ?? "") : ""
      )
      return Candidate(plan, rank: tier.rank)
    }
  }

  private func promoted(_ holdings: Holdings, at now: Int64) -> [Candidate] {
    holdings.promotions(in: catalog, at: now).compactMap { promotion, end -> Candidate? in
      guard case .tier(let name) = promotion.gift, let tier = catalog.tier(name) else { return nil }
      let source: Plan.Source =
        switch promotion.kind {
        case .trial: .trial
        case .coupon: .coupon
        case .campaign: .campaign
        }
      let plan = Plan(
        tier: tier.name,
        source: source,
        promotion: promotion.name,
        isTrial: promotion.kind == .trial,
        expiresAt: end,
        renewal: .ends
      )
      return Candidate(plan, rank: tier.rank)
    }
  }

  /// Every instant at which something with a say on the plan begins or ends, in order.
  private func planEdges(of holdings: Holdings) -> [Int64] {
    var edges: Set<Int64> = []
    for subscription in holdings.subscriptions {
      edges.insert(subscription.validFrom)
      if let end = subscription.end { edges.insert(end) }
    }
    edges.formUnion(holdings.scheduled.map(\.effectiveAt))
    edges.formUnion(holdings.redemptions.map(\.endsAt))
    for promotion in catalog.promotions where promotion.kind == .campaign {
      edges.formUnion([promotion.startsAt, promotion.endsAt].compactMap(\.self))
    }
    for purchase in holdings.purchases
    where purchase.productIDs.contains(where: { catalog.product($0)?.tier != nil }) {
      edges.formUnion(catalog.lasting(purchase).edges)
      // From then on it is in its grace period.
      if let expiresAt = purchase.expiresAt { edges.insert(expiresAt) }
    }
    return edges.sorted()
  }
}

/// A tier that a subject has, among others.
private struct Candidate {
  let plan: Plan
  let rank: Int32

  init(_ plan: Plan, rank: Int32) { (self.plan, self.rank) = (plan, rank) }

  /// Whether it goes before one that was there first.
  func isBetter(than other: Candidate) -> Bool {
    if rank != other.rank { return rank > other.rank }
    return plan.expiresAt ?? .max > other.plan.expiresAt ?? .max
  }
}
