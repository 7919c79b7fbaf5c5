extension Purchase {
  /// A period of something renewed.
  struct Period: Hashable, Sendable {
    /// The store's identifier of the transaction.
    var transactionID: String
    /// The product.
    var productID: String
    /// When it was bought, which is when it begins.
    var purchasedAt: Int64
    /// When it ends.
    var expiresAt: Int64?
    /// Until when it counts although the money is missing.
    var graceUntil: Int64?
    /// When it was refunded, or taken away in another manner.
    var revokedAt: Int64?
    /// Whether a better one replaced it before its end.
    var isUpgraded: Bool
    /// When the store signed it.
    var signedAt: Int64

    /// When it ends; nil for never.
    var end: Int64? { expiresAt.map { max($0, graceUntil ?? $0) } }

    /// Whether it counts at `now`, as long as nothing has followed it.
    func isActive(at now: Int64) -> Bool {
      revokedAt == nil && !isUpgraded && isCurrent(end, at: now)
    }

    /// This period after newer data about it, or nil when `other` is not newer.
    ///
    /// What was signed last holds; of two signed at the same time the one that takes away.
    func updated(by other: Period) -> Period? {
      let isNewer =
        signedAt == other.signedAt
        ? revokedAt == nil && other.revokedAt != nil : other.signedAt > signedAt
      guard isNewer else { return nil }
      var result = other
      result.graceUntil = other.graceUntil ?? graceUntil
      return result
    }
  }

  /// The worth of a purchase at an instant.
  struct Worth: Hashable, Sendable {
    /// As which product.
    var productID: String
    /// How it stands.
    var state: State
    /// When that ends by itself; nil for never.
    var end: Int64?
  }

  /// Whether the newest period is the free trial that stores give to new customers.
  var isIntroductoryTrial: Bool { offer?.kind == .introductory && isFreeTrial }

  /// The newest period as one of its own.
  var newestPeriod: Period {
    Period(
      transactionID: transactionID,
      productID: productID,
      purchasedAt: purchasedAt,
      expiresAt: expiresAt,
      graceUntil: graceUntil,
      revokedAt: revokedAt ?? withdrawnAt,
      isUpgraded: isUpgraded,
      signedAt: signedAt
    )
  }

  /// When the newest period ends by itself; nil for never.
  var end: Int64? {
    expiresAt.map { max($0, graceUntil ?? $0) }
  }

  /// The worth of the purchase at `now`.
  ///
  /// Derived each time: a state that was stored outlives its date sooner or later. Stores tell of a renewal up
  /// to a day before it begins, and the period that is paid until then goes on whatever becomes of the next.
  /// Where nothing is known to be paid until then, the newest period counts at once: the clocks of two
  /// computers differ.
  func worth(at now: Int64) -> Worth {
    let newest = Worth(productID: productID, state: stateOfNewest(at: now), end: end)
    guard now < purchasedAt, let previous, previous.isActive(at: now),
      withdrawnAt.map({ previous.purchasedAt > $0 }) ?? true
    else { return newest }
    let follows = newest.state == .active
    guard !follows || productID != previous.productID else { return newest }
    let ends = [previous.end, follows ? purchasedAt : nil].compactMap(\.self)
    return Worth(productID: previous.productID, state: .active, end: ends.min())
  }

  /// How the purchase stands at `now`; see `worth(at:)`.
  func state(at now: Int64) -> State { worth(at: now).state }

  private func stateOfNewest(at now: Int64) -> State {
    if revokedAt != nil { return isUnshared ? .revoked : .refunded }
    if withdrawnAt != nil { return .revoked }
    if isUpgraded { return .expired }
    return isCurrent(end, at: now) ? .active : .expired
  }

  /// Every instant at which it can be worth something else without a change.
  var edges: [Int64] {
    var edges = [end, previous?.end].compactMap(\.self)
    if previous != nil { edges.append(purchasedAt) }
    return edges
  }

  /// The products that it can count as.
  var productIDs: [String] {
    guard let previous, previous.productID != productID else { return [productID] }
    return [productID, previous.productID]
  }
}

extension Catalog {
  /// A purchase with the end that the store does not know: that of a product with a length.
  func lasting(_ purchase: Purchase) -> Purchase {
    guard purchase.expiresAt == nil, let length = product(purchase.productID)?.length else {
      return purchase
    }
    var result = purchase
    let (end, isOver) = purchase.purchasedAt.addingReportingOverflow(length)
    result.expiresAt = isOver ? .max : end
    return result
  }

  /// The worth of a purchase at an instant where this is sold.
  func worth(of purchase: Purchase, at now: Int64) -> Purchase.Worth {
    lasting(purchase).worth(at: now)
  }
}
