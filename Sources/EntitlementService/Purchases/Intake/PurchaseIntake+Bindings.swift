internal import RPCKit
internal import ServiceKit

extension PurchaseIntake {
  /// The previous bindings of the purchase, as far as their subjects exist, and those after the claim.
  ///
  /// `stored` are those in the store, and `known` is the purchase as it was. A name that the application gave counts
  /// only if it is that of a user who exists; otherwise the record forgets it.
  func settle(
    _ stored: [PurchaseBinding],
    _ claim: Claim?,
    _ known: Purchase?,
    _ record: inout PurchaseRecord,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws -> (before: [PurchaseBinding], after: [PurchaseBinding]) {
    var before: [PurchaseBinding] = []
    for binding in stored where !binding.isVacant(at: tx.now) {
      if try !changes.isErased(binding.subject, in: tx) { before.append(binding) }
    }
    let named = record.purchase.namedUserID
    if let named,
      try isMissing(named, claim, isHeld: !before.isEmpty, in: tx, changes)
    {
      before.removeAll { $0.subject == .user(named) }
      record.purchase.namedUserID = nil
    }
    var after = try bindings(before, claim, &record, in: tx)
    if let known, record.purchase.isRenewed, record.purchase.purchasedAt > known.purchasedAt {
      for index in after.indices
      where before.contains(where: { $0.subject == after[index].subject }) {
        try renew(&after[index], after: known, claim, at: tx.now)
      }
    }
    for binding in after where !before.contains(where: { $0.subject == binding.subject }) {
      try noteTrial(of: record.purchase, binding.subject, in: tx)
    }
    return (before, after)
  }

  /// Whether the user whom the application named does not exist, where that makes a difference.
  ///
  /// A store's word on a purchase is taken whether or not AuthService can be asked: then the user counts as
  /// there, and is asked for again before anybody else is refused.
  private func isMissing(
    _ userID: String,
    _ claim: Claim?,
    isHeld: Bool,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws -> Bool {
    if userID == claim?.buyerID { return false }
    if try changes.isErased(userID: userID, in: tx) { return true }
    if claim == nil, isHeld { return false }
    switch questions.accounts.answer(to: userID) {
    case .yes: return false
    case .no: return true
    case .notAsked: throw IntakeUndecided()
    case .cannotBeTold:
      guard claim == nil else { throw PurchaseError.authUnavailable }
      return false
    }
  }

  /// The bindings of the purchase after the claim.
  private func bindings(
    _ before: [PurchaseBinding],
    _ claim: Claim?,
    _ record: inout PurchaseRecord,
    in tx: borrowing WriteTransaction
  ) throws -> [PurchaseBinding] {
    let named = record.purchase.namedUserID
    // What is used up is given to one subject once, which may be deleted by now.
    let isSpent = record.purchase.isConsumable && record.isGranted
    guard let claim else {
      guard before.isEmpty, !isSpent, let named else { return before }
      // Stores tell of a purchase before the device does: whom the application named has it, unless it is for an
      // organization or its like, which the device will name.
      let user = Subject.user(named)
      guard try refusal(of: record.purchase, for: user, in: tx) == nil else { return before }
      return [PurchaseBinding(user, buyer: named, at: tx.now)]
    }
    guard named == nil || named == claim.buyerID else { throw PurchaseError.alreadyClaimed }
    if before.contains(where: claim.isMet) { return before.map { $0.confirmed(by: claim) } }
    guard !isSpent else {
      throw before.isEmpty ? PurchaseError.alreadyUsedUp : PurchaseError.alreadyClaimed
    }
    let subject = claim.subject ?? .user(claim.buyerID)
    if let other = before.first(where: { $0.buyerID == claim.buyerID }) {
      throw PurchaseError.boundElsewhere(other.subject)
    }
    let binding = PurchaseBinding(subject, buyer: claim.buyerID, at: tx.now)
    let isOfUsers = (before.map(\.subject) + [subject]).allSatisfy { $0.kind == .user }
    guard before.isEmpty || (claim.isRestore && isOfUsers && policy != .keep) else {
      throw PurchaseError.alreadyClaimed
    }
    if let refusal = try refusal(of: record.purchase, for: subject, in: tx) { throw refusal }
    if before.isEmpty { return [binding] }
    guard policy == .share else {
      try record.countTransfer(at: tx.now)
      return [binding]
    }
    guard before.count < RestorePolicy.holderCountMax else { throw PurchaseError.alreadyClaimed }
    return before + [binding]
  }

  /// Why a purchase cannot be bound to a subject; nil if it can.
  func refusal(
    of purchase: Purchase,
    for subject: Subject,
    in tx: borrowing WriteTransaction
  ) throws -> RPCError? {
    guard catalog.sells(purchase.productID, to: subject.kind),
      subject.kind == .user || !purchase.isFamilyShared
    else { return PurchaseError.forOthers(purchase.productID, subject.kind) }
    if let group = trialGroup(of: purchase, for: subject),
      try RedemptionTable.contains(group: group, of: subject, in: tx)
    {
      return PurchaseError.trialUsed(purchase.productID)
    }
    return try pointsRefusal(of: purchase, for: subject, in: tx)
  }

  /// The group of trials that the newest period counts in; nil for one that is paid for.
  private func trialGroup(of purchase: Purchase, for subject: Subject) -> String? {
    guard purchase.isIntroductoryTrial, scope.counts(purchase, for: subject.id) else { return nil }
    return catalog.product(purchase.productID)?.trialGroup
  }

  /// Counts a free trial of the store as the subject's, so that it has no other of its group.
  func noteTrial(
    of purchase: Purchase,
    _ subject: Subject,
    in tx: borrowing WriteTransaction
  ) throws {
    guard let group = trialGroup(of: purchase, for: subject) else { return }
    let redemption = Redemption(
      promotion: "\(purchase.store):\(purchase.productID)",
      group: group,
      redeemedAt: tx.now,
      endsAt: catalog.lasting(purchase).end ?? tx.now
    )
    try RedemptionTable.note(redemption, of: subject, in: tx)
  }

  /// Renews what a subject has through a buyer, as long as the buyer may buy for it.
  ///
  /// If not, the subject has it until the end of the period that was paid before. While TenancyService cannot be
  /// asked it keeps it, and the buyer's right is asked for later.
  private func renew(
    _ binding: inout PurchaseBinding,
    after known: Purchase,
    _ claim: Claim?,
    at now: Int64
  ) throws {
    guard binding.subject.kind != .user, binding.endsAt == nil else { return }
    // A buyer who names the subject has shown the right to buy for it.
    if let claim, claim.subject == binding.subject, claim.buyerID == binding.buyerID { return }
    let end = known.end ?? now
    switch questions.rights.answer(
      to: BuyerRight(buyerID: binding.buyerID, subject: binding.subject)
    ) {
    case .yes: break
    case .no: (binding.endsAt, binding.unprovenEnd) = (binding.unprovenEnd ?? end, nil)
    case .notAsked: throw IntakeUndecided()
    case .cannotBeTold: binding.unprovenEnd = binding.unprovenEnd ?? end
    }
  }
}

extension PurchaseBinding {
  /// The binding after its buyer, or a successor of a deleted one, has shown the right to buy for the subject.
  fileprivate func confirmed(by claim: PurchaseIntake.Claim) -> Self {
    guard subject.kind != .user, claim.subject == subject,
      buyerID.isEmpty || buyerID == claim.buyerID
    else { return self }
    var result = self
    result.buyerID = claim.buyerID
    (result.endsAt, result.unprovenEnd) = (nil, nil)
    return result
  }
}

extension PurchaseRecord {
  /// Counts that the purchase changes hands; throws when it has too often today.
  mutating func countTransfer(at now: Int64) throws(RPCError) {
    // A clock that was set back begins a new window rather than a window without end.
    let age = now.subtractingReportingOverflow(transfersSince)
    if age.overflow || !(0..<RestorePolicy.transferWindow).contains(age.partialValue) {
      transfersSince = now
      transferCount = 0
    }
    guard transferCount < RestorePolicy.transferCountMax else { throw PurchaseError.transferLimit }
    transferCount += 1
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
