internal import RPCKit
internal import ServiceKit

extension PurchaseIntake {
  /// Why a subject cannot get the points of a purchase; nil if it can, or if there are none.
  func pointsRefusal(
    of purchase: Purchase,
    for subject: Subject,
    in tx: borrowing WriteTransaction
  ) throws -> RPCError? {
    guard let gift = catalog.product(purchase.productID)?.points else { return nil }
    guard purchase.isConsumable else { return PurchaseError.misconfigured(purchase.productID) }
    let balance = try PointsLedger(holder: subject.id).balance(of: gift.app, in: tx)
    guard balance + gift.points(of: purchase) <= PointsLedger.balanceMax else {
      return PointsError.balanceLimit(app: gift.app)
    }
    return nil
  }

  /// Gives the points of a purchase once, when it is bound for the first time, and takes them back with a refund.
  ///
  /// Points that are spent by then stay spent; a refund that the store reverses gives back what it took.
  func givePoints(
    _ record: PurchaseRecord,
    to binding: PurchaseBinding?,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws {
    let purchase = record.purchase
    guard purchase.isConsumable else { return }
    let known: PurchasePoints?
    if let binding, scope.counts(purchase, for: binding.subject.id),
      let gift = catalog.product(purchase.productID)?.points
    {
      let points = gift.points(of: purchase)
      known = PurchasePoints(
        holder: binding.subject.id,
        app: gift.app,
        points: points,
        missing: points,
        isRefunded: true,
        transactionID: ""
      )
    } else {
      known = try PurchasePointsTable.load(of: record.id, in: tx)
    }
    guard let known else { return }
    let isRefunded = purchase.revokedAt != nil || purchase.withdrawnAt != nil
    guard isRefunded != known.isRefunded else {
      if binding != nil { try PurchasePointsTable.save(known, of: record.id, in: tx) }
      return
    }
    try changes.changePoints(of: known.holder, in: tx)
    let points =
      isRefunded
      ? try takeBack(known, of: record, in: tx)
      : try give(known, of: record, by: binding?.buyerID ?? "", in: tx)
    try PurchasePointsTable.save(points, of: record.id, in: tx)
  }

  /// Gives what is missing.
  private func give(
    _ points: PurchasePoints,
    of record: PurchaseRecord,
    by buyerID: String,
    in tx: borrowing WriteTransaction
  ) throws -> PurchasePoints {
    let ledger = PointsLedger(holder: points.holder)
    let room = PointsLedger.balanceMax - (try ledger.balance(of: points.app, in: tx))
    let given = min(points.missing, room)
    var result = points
    (result.isRefunded, result.missing) = (false, 0)
    if given > 0 {
      result.transactionID = identifiers.make(.pointsTransaction)
      let posting = PointsPosting(
        kind: .grant,
        app: points.app,
        points: given,
        minutes: 0,
        pointsPerMinute: 0
      )
      _ = try ledger.post([posting], as: result.transactionID, by: buyerID, in: tx)
    }
    try audit("points.grant", result, of: record, given, lacking: points.missing - given, in: tx)
    return result
  }

  /// Takes back what is there.
  private func takeBack(
    _ points: PurchasePoints,
    of record: PurchaseRecord,
    in tx: borrowing WriteTransaction
  ) throws -> PurchasePoints {
    let ledger = PointsLedger(holder: points.holder)
    let taken = min(try ledger.balance(of: points.app, in: tx), points.points)
    var result = points
    (result.isRefunded, result.missing) = (true, taken)
    if taken > 0 {
      let posting = PointsPosting(
        kind: .reverseGrant,
        app: points.app,
        points: taken,
        minutes: 0,
        pointsPerMinute: 0,
        reversedID: points.transactionID
      )
      let id = identifiers.make(.pointsTransaction)
      _ = try ledger.post([posting], as: id, by: "", in: tx)
    }
    let lacking = points.points - taken
    try audit("points.reverse_grant", result, of: record, taken, lacking: lacking, in: tx)
    return result
  }

  private func audit(
    _ action: String,
    _ points: PurchasePoints,
    of record: PurchaseRecord,
    _ count: Int64,
    lacking: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.audit(
      action,
      object: record.id,
      scope: points.holder,
      detail: "\(count) points" + (lacking > 0 ? ", \(lacking) fewer than the purchase gives" : ""),
      by: actor
    )
  }
}

extension Catalog.PointsGift {
  /// The points that a purchase gives; stores sell ten at a time, at most.
  fileprivate func points(of purchase: Purchase) -> Int64 {
    points * min(max(1, purchase.quantity), 1000)
  }
}
