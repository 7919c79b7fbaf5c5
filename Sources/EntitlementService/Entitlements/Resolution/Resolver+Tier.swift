internal import RPCKit

extension Resolver {
  /// The tier of a subject, which is a user's plan: the highest of its subscription's and those of its purchases.
  ///
  /// Of equals it is the subscription's. Empty without any, where there is no default. Throws when the
  /// subscription's tier is not known and nothing stands in for it.
  func tier(of holdings: Holdings, at now: Int64) throws(RPCError) -> String {
    let active = holdings.subscription(at: now).flatMap { $0.isActive(at: now) ? $0 : nil }
    var name = active?.tier ?? catalog.defaultTier
    var rank = try name.map { (name) throws(RPCError) in try catalog.effectiveTier(name).rank }
    for purchase in holdings.purchases where scope.counts(purchase, for: holdings.subject.id) {
      let worth = catalog.worth(of: purchase, at: now)
      guard worth.state == .active,
        let tier = catalog.product(worth.productID)?.tier.flatMap(catalog.tier)
      else { continue }
      guard rank.map({ $0 < tier.rank }) ?? true else { continue }
      (name, rank) = (tier.name, tier.rank)
    }
    return name ?? ""
  }

  /// The first instant after `now` at which the tier is another one by itself; nil for never.
  func nextTierChange(of holdings: Holdings, after now: Int64) throws(RPCError) -> Int64? {
    let current = try tier(of: holdings, at: now)
    for edge in tierEdges(of: holdings) where edge > now {
      if try tier(of: holdings, at: edge) != current { return edge }
    }
    return nil
  }

  /// Every instant at which something with a say on the tier begins or ends, in order.
  private func tierEdges(of holdings: Holdings) -> [Int64] {
    var edges: Set<Int64> = []
    for subscription in holdings.subscriptions {
      edges.insert(subscription.validFrom)
      if let end = subscription.end { edges.insert(end) }
    }
    edges.formUnion(holdings.scheduled.map(\.effectiveAt))
    for purchase in holdings.purchases
    where purchase.productIDs.contains(where: { catalog.product($0)?.tier != nil }) {
      edges.formUnion(catalog.lasting(purchase).edges)
    }
    return edges.sorted()
  }
}
