internal import ServiceKit

/// Takes everything from a user whose account is deleted.
struct UserErasure {
  let userID: String

  private var subject: Subject { .user(userID) }

  /// Deletes what is the user's alone, and lets purchases go.
  ///
  /// Watches are not notified: anyone who follows the user has no account. May be done again.
  func run(
    pseudonym: String,
    _ tombstones: Tombstones,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws {
    let isNew = try tombstones.insert(.user(userID), in: tx)
    changes.begin(subject)
    try SubjectRows.delete(subject, in: tx)
    try SubjectRows.deletePoints(of: userID, in: tx)
    let count = try letPurchasesGo(in: tx, changes)
    try tx.forgetAnswers(to: userID)
    try EventTable.drop(about: userID, in: tx)
    guard isNew else { return }
    try tx.audit("user.erase", object: pseudonym, detail: "\(count) purchases")
  }

  /// Leaves the user's purchases to those they are shared with or were bought for, or to nobody.
  ///
  /// What nobody has keeps the store's number of the transaction and how it stands, without what the store says of
  /// the user: otherwise a purchase that was refunded could be claimed again with its older receipt.
  private func letPurchasesGo(
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws -> Int {
    let bought = try PurchaseBindingTable.bought(by: userID, in: tx)
    try PurchaseBindingTable.remove(of: subject, in: tx)
    for bound in bought {
      try leave(bound, in: tx, changes)
      let purchase = bound.record.purchase
      try tx.execute(
        """
        UPDATE purchase SET named_user_id = NULL, customer_reference = NULL, payload_digest = '',
          leaf_serial = '', offer_identifier = NULL, renewal_offer_identifier = NULL,
          refund_request_reason = NULL
        WHERE id = ?1 AND NOT EXISTS (
          SELECT 1 FROM purchase_binding WHERE buyer_id <> '' AND store = ?2
            AND environment = ?3 AND original_transaction_id = ?4)
        """,
        .text(bound.record.id),
        .text(purchase.store),
        .text(purchase.environment.rawValue),
        .text(purchase.originalTransactionID)
      )
    }
    // Also where somebody else has it by now.
    try tx.execute(
      "UPDATE purchase SET named_user_id = NULL WHERE named_user_id = ?",
      .text(userID)
    )
    return bought.count
  }

  /// Leaves what the user bought for another subject to that, without the buyer and until the paid period ends.
  private func leave(
    _ bound: BoundPurchase,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws {
    let purchase = bound.record.purchase
    guard var binding = bound.binding, binding.subject.kind != .user else { return }
    let before = purchase.counting(until: binding.endsAt)
    binding.buyerID = ""
    binding.unprovenEnd = nil
    if purchase.isRenewed { binding.endsAt = binding.endsAt ?? purchase.end ?? tx.now }
    try PurchaseBindingTable.replace([binding], of: purchase, in: tx)
    let after = purchase.counting(until: binding.endsAt)
    guard after != before, try !changes.isErased(binding.subject, in: tx) else { return }
    try changes.raise(
      binding.subject,
      because: .buyerLeft,
      Purchase.differences(from: before, to: after, at: tx.now),
      in: tx
    )
  }
}
