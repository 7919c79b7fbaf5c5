internal import ServiceKit

/// A subject that has a purchase, and the buyer through whom it does.
///
/// A purchase of an organization, a portfolio or a family is that subject's alone; users may share one.
struct PurchaseBinding: Hashable, Sendable {
  /// The subject.
  var subject: Subject
  /// The user who bought it; empty once that account is deleted.
  var buyerID: String
  /// When it was bound: milliseconds since 1970.
  var boundAt: Int64
  /// When the purchase stops to count for the subject, whatever the store renews after that; nil for never.
  var endsAt: Int64?
  /// The end if the buyer has lost the right to buy for the subject, which could not be asked for yet.
  var unprovenEnd: Int64?

  init(_ subject: Subject, buyer buyerID: String, at now: Int64) {
    (self.subject, self.buyerID, boundAt) = (subject, buyerID, now)
  }

  /// Whether the subject no longer has anything of it, and there is no buyer who could move it.
  func isVacant(at now: Int64) -> Bool { buyerID.isEmpty && !isCurrent(endsAt, at: now) }

  /// Whether two lists give the same subjects the purchase for the same time.
  static func areAlike(_ first: [Self], _ second: [Self]) -> Bool {
    first.map { [$0.subject: $0.endsAt] } == second.map { [$0.subject: $0.endsAt] }
  }
}

extension Purchase {
  /// The purchase as a subject has it that loses it at an instant; nil for never.
  func counting(until end: Int64?) -> Purchase {
    guard let end else { return self }
    var result = self
    if purchasedAt >= end, let previous {
      // The newest period is not the subject's.
      result.transactionID = previous.transactionID
      result.productID = previous.productID
      result.purchasedAt = previous.purchasedAt
      result.expiresAt = previous.expiresAt
      result.graceUntil = previous.graceUntil
      result.revokedAt = previous.revokedAt
      result.isUpgraded = previous.isUpgraded
      result.signedAt = previous.signedAt
      result.offer = nil
      result.previous = nil
      if let withdrawnAt, previous.purchasedAt > withdrawnAt { result.withdrawnAt = nil }
    }
    result.expiresAt = min(result.expiresAt ?? end, end)
    result.graceUntil = result.graceUntil.map { min($0, end) }
    if var previous = result.previous {
      previous.expiresAt = min(previous.expiresAt ?? end, end)
      previous.graceUntil = previous.graceUntil.map { min($0, end) }
      result.previous = previous
    }
    result.renewal = Renewal(willRenew: false, isInBillingRetry: false)
    return result
  }
}
