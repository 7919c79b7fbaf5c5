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
  /// The place of a page token; nil for a token of another user, or none at all.
  ///
  /// Tokens hold nothing secret, and a forged one shows its maker only what is theirs.
  init?(token: String, of userID: String) {
    let parts = token.split(separator: "~", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == userID, let purchasedAt = Int64(parts[1]),
      !parts[2].isEmpty
    else { return nil }
    self.init(purchasedAt: purchasedAt, id: String(parts[2]))
  }

  /// The token that leads here.
  func token(of userID: String) -> String { "\(userID)~\(purchasedAt)~\(id)" }
}
