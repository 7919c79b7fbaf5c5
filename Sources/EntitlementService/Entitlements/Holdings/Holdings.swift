internal import ServiceKit

/// Everything that decides what a subject is entitled to.
struct Holdings: Hashable, Sendable {
  /// The subject.
  var subject: Subject
  /// The subscription at the last change, if any; see `subscription(at:)`.
  var subscription: Subscription?
  /// Changes of the subscription that are ahead, or have taken effect since; by their instants.
  var scheduled: [ScheduledChange] = []
  /// The trials and coupons that it has redeemed, those that last longest.
  var redemptions: [Redemption] = []
  /// The purchases, wherever and whatever became of them.
  var purchases: [Purchase] = []
  /// Grows with each change of the above.
  var version: UInt64 = 0
}

extension Holdings {
  /// The holdings of a subject in the store.
  init(stored subject: Subject, in tx: borrowing some Queryable) throws {
    self.init(
      subject: subject,
      subscription: try SubscriptionTable.load(subject, in: tx),
      scheduled: try ScheduledChangeTable.all(of: subject, in: tx),
      redemptions: try RedemptionTable.latest(of: subject, in: tx),
      purchases: try PurchaseTable.held(by: subject, in: tx),
      version: try SubjectVersionTable.current(of: subject, in: tx)
    )
  }

  /// The subscription, its scheduled changes and the version.
  var terms: SubscriptionTerms {
    SubscriptionTerms(subscription: subscription, scheduled: scheduled, version: version)
  }

  /// The subscription at `now`, after every change whose time has come.
  func subscription(at now: Int64) -> Subscription? {
    scheduled.applied(to: subscription, at: now)
  }

  /// The subscription as it is and after each change that is scheduled, one after the other.
  var subscriptions: [Subscription] {
    var all = [subscription]
    for change in scheduled { all.append(change.applied(to: all[all.count - 1])) }
    return all.compactMap(\.self)
  }

  /// The promotions that count at `now`, with their ends, by name: what was redeemed, and campaigns.
  func promotions(in catalog: Catalog, at now: Int64) -> [(promotion: Promotion, endsAt: Int64)] {
    var active: [(promotion: Promotion, endsAt: Int64)] = []
    for redemption in redemptions where isCurrent(redemption.endsAt, at: now) {
      guard let promotion = catalog.promotion(redemption.promotion) else { continue }
      active.append((promotion, redemption.endsAt))
    }
    for promotion in catalog.promotions where promotion.isCampaign(for: subject.kind, at: now) {
      if let end = promotion.endsAt { active.append((promotion, end)) }
    }
    return active.sorted { $0.promotion.name < $1.promotion.name }
  }
}
