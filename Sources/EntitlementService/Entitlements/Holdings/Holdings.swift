/// Everything that decides what a subject is entitled to.
public struct Holdings: Hashable, Sendable {
  /// The subject.
  public var subject: Subject
  /// What it had when something was last changed, if anything; see `subscription(at:)`.
  public var subscription: Subscription?
  /// Changes of the subscription that are ahead, or have taken effect since; by their instants.
  public var scheduled: [ScheduledChange]
  /// The trials and coupons that it has redeemed, those that last longest.
  public var redemptions: [Redemption]
  /// What it bought, wherever and whatever became of it; only users buy.
  public var purchases: [Purchase]
  /// Grows with each change of the above.
  public var version: UInt64

  /// Makes holdings.
  public init(
    subject: Subject,
    subscription: Subscription? = nil,
    scheduled: [ScheduledChange] = [],
    redemptions: [Redemption] = [],
    purchases: [Purchase] = [],
    version: UInt64 = 0
  ) {
    self.subject = subject
    self.subscription = subscription
    self.scheduled = scheduled
    self.redemptions = redemptions
    self.purchases = purchases
    self.version = version
  }
}
