internal import Contracts
internal import RPCKit
internal import ServiceKit

extension PurchaseRecord {
  /// The purchase as it is sent, worth what it is worth at `now`.
  func wire(at now: Int64) -> Entitlement_V1.Purchase {
    let state: Entitlement_V1.PurchaseState =
      switch purchase.state(at: now) {
      case .active: .active
      case .expired: .expired
      case .refunded: .refunded
      case .revoked: .revoked
      }
    return .init(
      id: id,
      productId: purchase.productID,
      originalTransactionId: purchase.originalTransactionID,
      transactionId: purchase.transactionID,
      environment: purchase.environment == .production ? .production : .sandbox,
      state: state,
      purchasedAt: .init(milliseconds: purchase.purchasedAt),
      expiresAt: purchase.end.map { .init(milliseconds: $0) },
      revokedAt: (purchase.revokedAt ?? purchase.withdrawnAt).map { .init(milliseconds: $0) },
      familyShared: purchase.isFamilyShared
    )
  }
}

extension PurchasePlace {
  /// The place that a page token was made of.
  init?(cursor: [String]) {
    guard cursor.count == 2, let purchasedAt = Int64(cursor[0]) else { return nil }
    self.init(purchasedAt: purchasedAt, id: cursor[1])
  }

  /// What a page token is made of.
  var cursor: [String] { ["\(purchasedAt)", id] }
}
