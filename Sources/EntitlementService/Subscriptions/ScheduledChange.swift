/// A change of tier that takes effect at an instant.
///
/// Nothing runs then: what a subject has is what its subscription is after all changes whose time has come,
/// worked out at each question. So a change cannot be missed or made twice, whatever becomes of the service
/// or its clock.
struct ScheduledChange: Hashable, Sendable {
  /// Its identifier, `sch_…`.
  var id: String
  /// When it takes effect: milliseconds since 1970.
  var effectiveAt: Int64
  /// The tier from then on.
  var tier: String
  /// Paid until then; nil forever.
  var paidUntil: Int64?

  /// How many may be ahead of one subject.
  static let countMax = 16

  /// A subscription after the change.
  func applied(to subscription: Subscription?) -> Subscription {
    var result = subscription ?? Subscription(tier: tier, validFrom: effectiveAt)
    result.tier = tier
    result.isTrial = false
    result.validFrom = min(result.validFrom, effectiveAt)
    result.paidUntil = paidUntil
    result.graceUntil = nil
    return result
  }
}

extension [ScheduledChange] {
  /// A subscription at `now`, after every change whose time has come.
  func applied(to subscription: Subscription?, at now: Int64) -> Subscription? {
    guard let first, first.effectiveAt <= now else { return subscription }
    return prefix { $0.effectiveAt <= now }.reduce(subscription) { $1.applied(to: $0) }
  }
}

/// The terms of a subject's subscription.
struct SubscriptionTerms {
  /// The subscription at the last change, if there is one.
  var subscription: Subscription?
  /// Changes that are ahead, or have taken effect since; by their instants.
  var scheduled: [ScheduledChange]
  /// The version of the subject.
  var version: UInt64
}
