/// Everything that decides what a subject is entitled to.
public struct Holdings: Hashable, Sendable {
  /// The subject.
  public var subject: Subject
  /// What it has, if anything.
  public var subscription: Subscription?
  /// What it bought, wherever and whatever became of it; only users buy.
  public var purchases: [Purchase]
  /// Grows with each change of the above.
  public var version: UInt64

  /// Makes holdings.
  public init(
    subject: Subject,
    subscription: Subscription? = nil,
    purchases: [Purchase] = [],
    version: UInt64 = 0
  ) {
    self.subject = subject
    self.subscription = subscription
    self.purchases = purchases
    self.version = version
  }
}
