internal import ServiceKit

extension PurchaseIntake {
  /// Keeps that a user has asked for a refund, or that Apple has declined it.
  ///
  /// Nothing is taken from the user by it, so nobody who watches is told; it is audited, and shown beside
  /// the purchase to whoever answers Apple.
  func noteRefundRequest(
    _ notification: AppleNotification,
    on known: PurchaseRecord,
    in tx: borrowing WriteTransaction
  ) throws {
    guard let signedAt = notification.signedDate else { return }
    var request: Purchase.RefundRequest?
    switch notification.type {
    case "CONSUMPTION_REQUEST":
      request = Purchase.RefundRequest(
        requestedAt: signedAt,
        reason: notification.consumptionRequestReason
      )
    case "REFUND_DECLINED": break
    default: return
    }
    guard let purchase = known.purchase.updated(by: request, signedAt: signedAt) else { return }
    var record = known
    record.purchase = purchase
    try PurchaseTable.save(record, in: tx)
    let holders = try PurchaseTable.holders(of: purchase, in: tx)
    try note(
      request == nil ? "purchase.refund_declined" : "purchase.refund_requested",
      record,
      holders,
      holders,
      in: tx
    )
  }
}
