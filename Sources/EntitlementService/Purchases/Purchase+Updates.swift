extension Purchase {
  /// This purchase after newer data, or nil when `other` is not newer.
  ///
  /// The order is that of signing, not that of arrival: notifications are sent again for days, and devices
  /// hand in what they kept for years. Of something bought once, what was signed last holds, so a
  /// transaction from before a refund does not undo it. Of something renewed, the last period
  /// holds, because a device that asks for its history gets old periods freshly signed; within one
  /// period, what was signed last. Of two signed at the same time the one that takes away holds. The
  /// period before the last is kept too, as it counts until the last begins.
  func updated(by other: Purchase) -> Purchase? {
    precondition(
      store == other.store && environment == other.environment
        && originalTransactionID == other.originalTransactionID,
      "a transaction is applied to a purchase that is not its own"
    )
    let isAnotherPeriod = isRenewed && other.isRenewed && purchasedAt != other.purchasedAt
    if isAnotherPeriod {
      guard other.purchasedAt > purchasedAt else { return updated(byEarlier: other) }
    } else if signedAt == other.signedAt {
      guard revokedAt == nil, other.revokedAt != nil else { return nil }
    } else {
      guard other.signedAt > signedAt else { return nil }
    }
    var result = other
    result.previous = isAnotherPeriod ? newestPeriod : previous
    result.isConsumable = isConsumable || other.isConsumable
    result.quantity = max(quantity, other.quantity)
    result.namedUserID = other.namedUserID ?? namedUserID
    result.customerReference = other.customerReference ?? customerReference
    result.renewalSignedAt = renewalSignedAt
    let isSamePeriod = transactionID == other.transactionID
    // A new period begins without grace, and what was said of the renewal was about it; the end of a
    // consent outlives everything but a new purchase.
    if isSamePeriod {
      result.graceUntil = graceUntil
      result.renewal = renewal
    }
    result.refundSignedAt = refundSignedAt
    if isSamePeriod, other.revokedAt == nil { result.refundRequest = refundRequest }
    if let withdrawnAt, isSamePeriod || other.purchasedAt <= withdrawnAt {
      result.withdrawnAt = withdrawnAt
    }
    return result
  }

  /// This purchase after data about a period before the newest, or nil when that is not news.
  private func updated(byEarlier other: Purchase) -> Purchase? {
    var result = self
    if let previous, other.purchasedAt <= previous.purchasedAt {
      guard other.purchasedAt == previous.purchasedAt,
        let updated = previous.updated(by: other.newestPeriod)
      else { return nil }
      result.previous = updated
    } else {
      result.previous = other.newestPeriod
    }
    return result
  }

  /// This purchase after what is said about its renewal, or nil when that is not news.
  func updated(by report: RenewalReport) -> Purchase? {
    guard report.signedAt > renewalSignedAt ?? Int64.min else { return nil }
    var result = self
    result.renewalSignedAt = report.signedAt
    result.graceUntil = report.graceUntil
    result.renewal = report.renewal
    return result
  }

  /// This purchase after the store's word that a refund was asked for, or (nil) declined; nil when that is not
  /// news, or is about a purchase that was refunded.
  ///
  /// Stores repeat requests under new identifiers, and anything can arrive late.
  func updated(by request: RefundRequest?, signedAt: Int64) -> Purchase? {
    guard signedAt > refundSignedAt ?? Int64.min, revokedAt == nil else { return nil }
    var result = self
    result.refundSignedAt = signedAt
    result.refundRequest = request
    return result
  }

  /// The changes of the products of a purchase for a user who held it before as `old`, and holds it now
  /// as `new`; nil for not at all.
  static func differences(
    from old: Purchase?,
    to new: Purchase?,
    at now: Int64
  ) -> [PartChange] {
    let (old, new) = (old?.worth(at: now), new?.worth(at: now))
    func isActive(_ worth: Worth?, as product: String) -> Bool {
      worth?.productID == product && worth?.state == .active
    }
    var products: [String] = []
    for product in [old?.productID, new?.productID] {
      if let product, !products.contains(product) { products.append(product) }
    }
    return products.map { product in
      PartChange(
        EntitlementPart(.purchase, product),
        ChangeEffect(before: isActive(old, as: product), after: isActive(new, as: product)),
        endsAt: new?.productID == product ? new?.end : nil
      )
    }
  }
}
