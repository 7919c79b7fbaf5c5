extension Holdings {
  /// The events that begin and end by the clock after `now`, in the order of time, unless something is changed
  /// before; what purchases lack an end for has that of the catalogue.
  func timeline(after now: Int64, selling catalog: Catalog) -> [DueChange] {
    var due = subscriptionTimeline(after: now)
    func expiry(_ kind: EntitlementPart.Kind, _ name: String, _ end: Int64?) {
      guard let end, end > now else { return }
      due.append(
        DueChange(
          at: end,
          cause: .expiry,
          change: PartChange(.init(kind, name), .ended, endsAt: end)
        )
      )
    }
    let subscription = subscription(at: now)
    for addon in subscription?.addons ?? [] { expiry(.addon, addon.name, addon.validUntil) }
    for override in subscription?.overrides ?? [] {
      expiry(.override, override.feature, override.validUntil)
    }
    due += purchaseTimeline(after: now, selling: catalog)
    for redemption in redemptions { expiry(.promotion, redemption.promotion, redemption.endsAt) }
    // Of things at the same instant the order above; `sort` does not promise to keep it.
    return due.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map(\.element)
  }

  /// When what was bought begins and ends.
  private func purchaseTimeline(after now: Int64, selling catalog: Catalog) -> [DueChange] {
    var due: [DueChange] = []
    let purchases = purchases.map(catalog.lasting)
    // Of several purchases of a product, the one that lasts longest.
    let active = purchases.map { $0.worth(at: now) }.filter { $0.state == .active }
    let products = Set(active.map(\.productID))
    for product in products.sorted() {
      let ends = active.filter { $0.productID == product }.map(\.end)
      guard !ends.contains(nil), let end = ends.compactMap(\.self).max(), end > now else {
        continue
      }
      let change = PartChange(.init(.purchase, product), .ended, endsAt: end)
      due.append(DueChange(at: end, cause: .expiry, change: change))
    }
    // A renewal as another product, which is dated ahead.
    for purchase in purchases {
      guard let start = purchase.worth(at: now).end, start > now else { continue }
      let next = purchase.worth(at: start)
      guard next.state == .active, !products.contains(next.productID) else { continue }
      let change = PartChange(.init(.purchase, next.productID), .began, endsAt: next.end)
      due.append(DueChange(at: start, cause: .start, change: change))
    }
    return due
  }

  /// When the subscription begins, changes and ends.
  private func subscriptionTimeline(after now: Int64) -> [DueChange] {
    var due: [DueChange] = []
    func add(
      _ at: Int64,
      _ cause: ChangeCause,
      _ tier: String,
      _ effect: ChangeEffect,
      _ end: Int64?
    ) {
      due.append(
        DueChange(at: at, cause: cause, change: PartChange(.init(.tier, tier), effect, endsAt: end))
      )
    }
    var (current, start) = (subscription(at: now), now)
    let ahead = scheduled.filter { $0.effectiveAt > now }
    for index in 0...ahead.count {
      let next = index < ahead.count ? ahead[index] : nil
      let limit = next?.effectiveAt ?? .max
      if let current {
        if current.validFrom > start, current.validFrom < limit,
          current.isActive(at: current.validFrom)
        {
          add(current.validFrom, .start, current.tier, .began, current.end)
        }
        // What ends as the next tier begins does not end.
        if let end = current.end, end > max(start, current.validFrom), end < limit {
          add(end, .expiry, current.tier, .ended, end)
        }
      }
      guard let next else { break }
      let after = next.applied(to: current)
      let effect = ChangeEffect(
        before: current?.isActive(at: limit - 1) ?? false,
        after: after.isActive(at: limit)
      )
      add(limit, .schedule, next.tier, effect, after.end)
      (current, start) = (after, limit)
    }
    return due
  }
}
