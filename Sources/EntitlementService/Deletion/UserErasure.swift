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
    let count = try letPurchasesGo(in: tx)
    try tx.forgetAnswers(to: userID)
    guard isNew else { return }
    try tx.audit("user.erase", object: pseudonym, detail: "\(count) purchases")
  }

  /// Leaves the user's purchases to those they are shared with, or to nobody.
  ///
  /// What nobody has keeps Apple's number of the transaction and how it stands, without what Apple says of
  /// the user: otherwise a purchase that was refunded could be claimed again with its older receipt.
  private func letPurchasesGo(in tx: borrowing WriteTransaction) throws -> Int {
    let held = try tx.query(
      "SELECT environment, original_transaction_id FROM purchase_holder WHERE user_id = ?",
      .text(userID)
    ) { (environment: $0.text(0), transactionID: $0.text(1)) }
    try tx.execute("DELETE FROM purchase_holder WHERE user_id = ?", .text(userID))
    for purchase in held {
      try tx.execute(
        """
        UPDATE purchase SET app_account_token = NULL, app_transaction_id = NULL, payload_digest = '',
          leaf_serial = '', offer_identifier = NULL, renewal_offer_identifier = NULL,
          refund_request_reason = NULL
        WHERE environment = ?1 AND original_transaction_id = ?2 AND NOT EXISTS (
          SELECT 1 FROM purchase_holder WHERE environment = ?1 AND original_transaction_id = ?2)
        """,
        .text(purchase.environment),
        .text(purchase.transactionID)
      )
    }
    // Also where somebody else has it by now: the token is the user's identifier in other letters.
    if let token = AppAccountToken(userID: userID) {
      try tx.execute(
        "UPDATE purchase SET app_account_token = NULL WHERE app_account_token = ?",
        .text(token.text)
      )
    }
    return held.count
  }
}
