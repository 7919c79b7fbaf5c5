internal import ServiceKit

extension PurchaseIntake {
  /// Keeps that a user has asked for a refund, or (nil) that it was declined.
  ///
  /// Nothing is taken from the user by it, so watchers are not notified; it is audited, and shown beside
  /// the purchase to anyone who answers the store.
  func noteRefund(
    _ request: Purchase.RefundRequest?,
    signedAt: Int64,
    on known: PurchaseRecord,
    in tx: borrowing WriteTransaction
  ) throws {
    guard let purchase = known.purchase.updated(by: request, signedAt: signedAt) else { return }
    var record = known
    record.purchase = purchase
    try PurchaseTable.save(record, in: tx)
    let holders = try PurchaseBindingTable.all(of: purchase, in: tx)
    try note(
      request == nil ? "purchase.refund_declined" : "purchase.refund_requested",
      record,
      holders,
      holders,
      in: tx
    )
  }
}
