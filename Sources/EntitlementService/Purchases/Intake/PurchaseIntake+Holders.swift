internal import RPCKit
internal import ServiceKit

extension PurchaseIntake {
  /// The previous holders of the purchase, as far as they exist, and the holder after the claim.
  ///
  /// `stored` are those whom the store names. A name that the application gave counts only if it is that of a
  /// user who exists; otherwise the record forgets it.
  func settle(
    _ stored: [String],
    _ claim: Claim?,
    _ record: inout PurchaseRecord,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws -> (before: [String], after: [String]) {
    var before: [String] = []
    for userID in stored where try !changes.isErased(userID: userID, in: tx) {
      before.append(userID)
    }
    let named = record.purchase.appAccountToken.flatMap(AppAccountToken.userID)
    if let named,
      try isMissing(named, claim, isHeld: !before.isEmpty, in: tx, changes)
    {
      before.removeAll { $0 == named }
      record.purchase.appAccountToken = nil
    }
    return (before, try holders(before, claim, &record, at: tx.now))
  }

  /// Whether the user whom the application named does not exist, where that makes a difference.
  ///
  /// Apple's word on a purchase is taken whether or not AuthService can be asked: then the user counts as
  /// there, and is asked for again before anybody else is refused.
  private func isMissing(
    _ userID: String,
    _ claim: Claim?,
    isHeld: Bool,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws -> Bool {
    if userID == claim?.userID { return false }
    if try changes.isErased(userID: userID, in: tx) { return true }
    if claim == nil, isHeld { return false }
    switch accounts.presence(of: userID) {
    case .exists: return false
    case .absent: return true
    case .notAsked: throw AccountsUndecided()
    case .cannotBeTold:
      guard claim == nil else { throw PurchaseError.authUnavailable }
      return false
    }
  }

  /// The holders of the purchase after the claim.
  private func holders(
    _ before: [String],
    _ claim: Claim?,
    _ record: inout PurchaseRecord,
    at now: Int64
  ) throws(RPCError) -> [String] {
    let named = record.purchase.appAccountToken.flatMap(AppAccountToken.userID)
    // What is used up is given to one user once, who may be deleted by now.
    let isSpent = record.purchase.isConsumable && record.isGranted
    guard let claim else {
      // Apple tells of a purchase before the device does: whom the application named has it.
      return before.isEmpty && !isSpent ? (named.map { [$0] } ?? []) : before
    }
    guard named == nil || named == claim.userID else { throw PurchaseError.alreadyClaimed }
    if before.contains(claim.userID) { return before }
    guard !isSpent else {
      throw before.isEmpty ? PurchaseError.alreadyUsedUp : PurchaseError.alreadyClaimed
    }
    if before.isEmpty { return [claim.userID] }
    guard claim.isRestore else { throw PurchaseError.alreadyClaimed }
    switch policy {
    case .keep: throw PurchaseError.alreadyClaimed
    case .share:
      guard before.count < RestorePolicy.holderCountMax else { throw PurchaseError.alreadyClaimed }
      return before + [claim.userID]
    case .transfer:
      // A clock that was set back begins a new window rather than a window without end.
      let age = now.subtractingReportingOverflow(record.transfersSince)
      if age.overflow || !(0..<RestorePolicy.transferWindow).contains(age.partialValue) {
        record.transfersSince = now
        record.transferCount = 0
      }
      guard record.transferCount < RestorePolicy.transferCountMax else {
        throw PurchaseError.transferLimit
      }
      record.transferCount += 1
      return [claim.userID]
    }
  }
}

extension Purchase {
  /// Whether this says more than `old` did to those who hold it: anything about the newest period, or another
  /// worth now.
  func isNews(after old: Purchase, at now: Int64) -> Bool {
    var known = old
    known.previous = previous
    return self != known || worth(at: now) != old.worth(at: now)
  }
}
