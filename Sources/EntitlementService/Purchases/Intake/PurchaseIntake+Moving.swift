internal import RPCKit
internal import ServiceKit

extension PurchaseIntake {
  /// Moves a purchase from the subject that has it to another one, for its buyer.
  ///
  /// To others than the buyer it looks as if it did not exist.
  func move(
    _ id: String,
    to subject: Subject,
    by userID: String,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws -> BoundPurchase {
    guard var record = try PurchaseTable.load(id: id, in: tx) else {
      throw EntitlementError.notFound
    }
    let before = try PurchaseBindingTable.all(of: record.purchase, in: tx)
    guard let old = before.first(where: { $0.buyerID == userID }) else {
      throw EntitlementError.notFound
    }
    var binding = PurchaseBinding(subject, buyer: userID, at: tx.now)
    if old.subject == subject {
      guard old.endsAt != nil || old.unprovenEnd != nil else {
        return BoundPurchase(record: record, binding: old)
      }
      // The buyer may buy for the subject again.
      binding.boundAt = old.boundAt
    } else {
      guard !record.purchase.isConsumable else { throw PurchaseError.notMovable }
      guard before.count == 1 else { throw PurchaseError.alreadyClaimed }
      if let refusal = try refusal(of: record.purchase, for: subject, in: tx) { throw refusal }
      try record.countTransfer(at: tx.now)
      try PurchaseTable.save(record, in: tx)
      try noteTrial(of: record.purchase, subject, in: tx)
    }
    try PurchaseBindingTable.replace([binding], of: record.purchase, in: tx)
    try tell(
      Holders(before: [old], after: [binding]),
      from: record.purchase,
      to: record.purchase,
      because: .transfer,
      in: tx,
      changes
    )
    try tx.audit(
      "purchase.move",
      object: record.id,
      scope: subject.id,
      detail: "product \(record.purchase.productID), from \(old.subject.kind.rawValue) "
        + "\(old.subject.id) to \(subject.kind.rawValue) \(subject.id)"
    )
    return BoundPurchase(record: record, binding: binding)
  }

  /// Settles what a subject keeps of a purchase whose buyer's right could not be asked for at its renewal.
  func settle(
    _ bound: BoundPurchase,
    isHeld: Bool,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws {
    guard let purchase = try PurchaseTable.load(id: bound.record.id, in: tx)?.purchase,
      let asked = bound.binding
    else { return }
    let before = try PurchaseBindingTable.all(of: purchase, in: tx)
    // It may have been moved or settled since.
    guard let index = before.firstIndex(of: asked),
      try !changes.isErased(asked.subject, in: tx)
    else { return }
    var after = before
    after[index].unprovenEnd = nil
    if !isHeld { after[index].endsAt = asked.unprovenEnd }
    try PurchaseBindingTable.replace(after, of: purchase, in: tx)
    guard !isHeld else { return }
    try tell(
      Holders(before: before, after: after),
      from: purchase,
      to: purchase,
      because: .buyerLeft,
      in: tx,
      changes
    )
    try note("purchase.claim", bound.record, before, after, in: tx)
  }
}
