internal import RPCKit
internal import ServiceKit

/// Takes verified transactions into the store: what is bought, whose it is, and who must be told.
///
/// All of it runs inside one write transaction.
struct PurchaseIntake {
  /// A user who says that a purchase is theirs.
  struct Claim {
    var userID: String
    /// Asked for by the user ("restore purchases"), so that it may go over from another.
    var isRestore: Bool
  }

  /// What came of it.
  struct Outcome {
    var record: PurchaseRecord
    /// Whether anything changed.
    var isApplied: Bool
  }

  let identifiers: IdentifierFactory
  let policy: RestorePolicy
  /// Who is behind it; nil for whoever makes the call.
  let actor: AuditActor?

  /// Applies a transaction, and a claim on it.
  ///
  /// Throws `EntitlementError` when the transaction is incomplete or the claim is refused; then
  /// nothing must remain.
  func take(
    _ verified: Verified<AppleTransaction>,
    renewal: AppleRenewal? = nil,
    claim: Claim?,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws -> Outcome {
    let incoming = try Purchase(verified)
    let known = try PurchaseTable.load(
      incoming.environment,
      incoming.originalTransactionID,
      in: tx
    )
    var record = known ?? makeRecord(incoming, verified.evidence)
    var isApplied = known == nil
    if known != nil, let updated = record.purchase.updated(by: incoming) {
      record.purchase = updated
      record.payloadDigest = verified.evidence.payloadDigest
      record.leafSerial = verified.evidence.leafSerial
      record.isTest = verified.evidence.isTest
      isApplied = true
    }
    if let renewal, let updated = record.purchase.updated(by: renewal) {
      record.purchase = updated
      isApplied = true
    }
    let before = known == nil ? [] : try PurchaseTable.holders(of: record.purchase, in: tx)
    let after = try holders(before, claim, &record, at: tx.now)
    if isApplied || before != after { try PurchaseTable.save(record, in: tx) }
    if before != after {
      try PurchaseTable.removeHolders(of: record.purchase, in: tx)
      for userID in after { try PurchaseTable.addHolder(userID, of: record.purchase, in: tx) }
      isApplied = true
    }
    if isApplied {
      try tell(
        Holders(before: before, after: after),
        from: known?.purchase,
        to: record.purchase,
        because: Self.cause(of: claim, from: known?.purchase, to: record.purchase),
        in: tx,
        changes
      )
      try note(
        before == after ? "purchase.update" : "purchase.claim",
        record,
        before,
        after,
        in: tx
      )
    }
    return Outcome(record: record, isApplied: isApplied)
  }

  /// A parent withdrew consent: everything that application's user bought ends.
  func withdrawConsent(
    of appTransactionID: String,
    _ environment: AppleEnvironment,
    signedAt: Int64,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws -> Bool {
    var isApplied = false
    for var record in try PurchaseTable.made(by: appTransactionID, environment, in: tx) {
      guard record.purchase.purchasedAt <= signedAt,
        signedAt > record.purchase.withdrawnAt ?? Int64.min
      else { continue }
      let known = record.purchase
      record.purchase.withdrawnAt = signedAt
      try PurchaseTable.save(record, in: tx)
      let holders = try PurchaseTable.holders(of: record.purchase, in: tx)
      try tell(
        Holders(before: holders, after: holders),
        from: known,
        to: record.purchase,
        because: .revocation,
        in: tx,
        changes
      )
      try note("purchase.withdraw", record, holders, holders, in: tx)
      isApplied = true
    }
    return isApplied
  }

  /// Who holds the purchase after the claim.
  private func holders(
    _ before: [String],
    _ claim: Claim?,
    _ record: inout PurchaseRecord,
    at now: Int64
  ) throws(EntitlementError) -> [String] {
    let named = record.purchase.appAccountToken.flatMap(AppAccountToken.userID)
    guard let claim else {
      // Apple tells of a purchase before the device does: whom the application named has it.
      return before.isEmpty ? (named.map { [$0] } ?? []) : before
    }
    guard record.purchase.appAccountToken == nil || named == claim.userID else {
      throw .alreadyClaimed
    }
    if before.contains(claim.userID) { return before }
    if before.isEmpty { return [claim.userID] }
    guard claim.isRestore else { throw .alreadyClaimed }
    switch policy {
    case .keep: throw .alreadyClaimed
    case .share:
      guard before.count < RestorePolicy.holderCountMax else { throw .alreadyClaimed }
      return before + [claim.userID]
    case .transfer:
      // A clock that was set back begins a new window rather than a window without end.
      let age = now.subtractingReportingOverflow(record.transfersSince)
      if age.overflow || !(0..<RestorePolicy.transferWindow).contains(age.partialValue) {
        record.transfersSince = now
        record.transferCount = 0
      }
      guard record.transferCount < RestorePolicy.transferCountMax else { throw .transferLimit }
      record.transferCount += 1
      return [claim.userID]
    }
  }

  private func makeRecord(
    _ purchase: Purchase,
    _ evidence: VerificationEvidence
  ) -> PurchaseRecord {
    PurchaseRecord(
      id: identifiers.make(.purchase),
      purchase: purchase,
      payloadDigest: evidence.payloadDigest,
      leafSerial: evidence.leafSerial,
      isTest: evidence.isTest
    )
  }

  /// Who held a purchase, and who holds it.
  private struct Holders {
    var before: [String]
    var after: [String]
  }

  /// Tells everybody who held the purchase or holds it now what became of it for them.
  private func tell(
    _ holders: Holders,
    from old: Purchase?,
    to new: Purchase,
    because cause: ChangeCause,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws {
    for userID in Set(holders.before).union(holders.after).sorted() {
      let isHolder = holders.after.contains(userID)
      try SubjectVersions.raise(
        .user(userID),
        because: isHolder ? cause : .transfer,
        Purchase.differences(
          from: holders.before.contains(userID) ? old : nil,
          to: isHolder ? new : nil,
          at: tx.now
        ),
        in: tx,
        changes
      )
    }
  }

  /// Why a purchase changes: what Apple did to it goes before the way in which it came to be known.
  private static func cause(
    of claim: Claim?,
    from old: Purchase?,
    to new: Purchase
  ) -> ChangeCause {
    if new.revokedAt != nil, old?.revokedAt == nil { return new.isUnshared ? .revocation : .refund }
    guard let claim else { return .notification }
    return claim.isRestore ? .restore : .purchase
  }

  func note(
    _ action: String,
    _ record: PurchaseRecord,
    _ before: [String],
    _ after: [String],
    in tx: borrowing WriteTransaction
  ) throws {
    let purchase = record.purchase
    var detail = "product \(purchase.productID), \(purchase.environment.rawValue)"
    detail += ", \(purchase.state(at: tx.now).rawValue), signed \(purchase.signedAt)"
    detail += ", leaf \(record.leafSerial), payload \(record.payloadDigest)"
    if record.isTest { detail += ", test root" }
    // Whether certificates were revoked is not asked for without a network; say so.
    detail += ", revocation not checked"
    if before != after { detail += ", holders \(before.count) to \(after.count)" }
    try tx.audit(action, object: record.id, scope: after.first ?? "", detail: detail, by: actor)
  }
}
