internal import PeerContracts
internal import EntitlementContracts
internal import RPCKit
internal import ServiceKit

extension BoundPurchase {
  /// The purchase as it is sent, worth what it is worth at `now` where a catalogue is sold.
  func wire(at now: Int64, _ catalog: Catalog) -> Entitlement_V1.Purchase {
    let (id, purchase) = (record.id, record.purchase)
    let worth = catalog.worth(of: purchase, at: now)
    let state: Entitlement_V1.PurchaseState =
      switch worth.state {
      case .active: .active
      case .expired: .expired
      case .refunded: .refunded
      case .revoked: .revoked
      }
    return .init(
      id: id,
      productId: worth.productID,
      originalTransactionId: purchase.originalTransactionID,
      transactionId: purchase.transactionID,
      environment: purchase.environment == .production ? .production : .sandbox,
      state: state,
      purchasedAt: .init(milliseconds: purchase.purchasedAt),
      expiresAt: worth.end.map { .init(milliseconds: $0) },
      // What became of a renewal that is still ahead shows when it would have begun.
      revokedAt: worth.state == .active
        ? nil : (purchase.revokedAt ?? purchase.withdrawnAt).map { .init(milliseconds: $0) },
      familyShared: purchase.isFamilyShared,
      offer: purchase.offer?.wire,
      renewal: purchase.renewal?.wire(graceUntil: purchase.graceUntil),
      refundRequestedAt: purchase.refundRequest.map { .init(milliseconds: $0.requestedAt) },
      refundRequestReason: purchase.refundRequest?.reason ?? "",
      store: purchase.store,
      subject: binding?.subject.wire,
      buyerId: binding?.buyerID ?? "",
      bound: binding.map { isCurrent($0.endsAt, at: now) } ?? false
    )
  }
}

extension Purchase.Offer {
  /// The offer as it is sent.
  var wire: Entitlement_V1.PurchaseOffer {
    let kind: Entitlement_V1.OfferKind =
      switch self.kind {
      case .introductory: .introductory
      case .promotional: .promotional
      case .code: .code
      case .winBack: .winBack
      default: .unspecified
      }
    return .init(kind: kind, identifier: identifier ?? "", discountType: discountType ?? "")
  }
}

extension Purchase.Renewal {
  /// The renewal as it is sent.
  func wire(graceUntil: Int64?) -> Entitlement_V1.Renewal {
    let reason: Entitlement_V1.ExpirationReason =
      switch expirationReason {
      case nil: .unspecified
      case .cancelled: .cancelled
      case .billing: .billing
      case .price: .price
      case .product: .product
      case .other: .other
      }
    return .init(
      willRenew: willRenew == true,
      productId: productID ?? "",
      inBillingRetry: isInBillingRetry,
      graceUntil: graceUntil.map { .init(milliseconds: $0) },
      renewsAt: renewsAt.map { .init(milliseconds: $0) },
      expirationReason: reason,
      offer: offer?.wire
    )
  }
}

extension PurchasePlace {
  /// The place that a page token was made of.
  init?(cursor: [String]) {
    guard cursor.count == 2, let purchasedAt = Int64(cursor[0]) else { return nil }
    self.init(purchasedAt: purchasedAt, id: cursor[1])
  }

  /// The parts of a page token.
  var cursor: [String] { ["\(purchasedAt)", id] }
}
