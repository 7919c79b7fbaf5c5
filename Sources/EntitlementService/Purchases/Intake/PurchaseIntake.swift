internal import RPCKit
internal import ServiceKit

/// Takes verified transactions into the store: what is bought, whose it is, and whom to notify.
///
/// All of it runs inside one write transaction.
struct PurchaseIntake {
  /// A user who says that a purchase is theirs.
  struct Claim {
    var userID: String
    /// Asked for by the user ("restore purchases"), so that it may go over from another.
    var isRestore: Bool
  }

  /// The outcome.
  struct Outcome {
    var record: PurchaseRecord
    /// Whether anything changed.
    var isApplied: Bool
  }

  let identifiers: IdentifierFactory
  let policy: RestorePolicy
  /// The actor behind it; nil for the caller.
  let actor: AuditActor?
  /// The catalogue.
  let catalog: Catalog
  /// Which of the users whom purchases name exist.
  let accounts: NamedAccounts

  /// Applies what is said about a purchase, and a claim on it.
  ///
  /// Throws `PurchaseError` when the claim is refused, and `AccountsUndecided` when it must be known first
  /// whether a user exists; then nothing must remain.
  func take(
    _ verified: Verified<Purchase>,
    renewal: Purchase.RenewalReport? = nil,
    claim: Claim?,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws -> Outcome {
    let (incoming, evidence) = (verified.payload, verified.evidence)
    let known = try PurchaseTable.load(
      incoming.environment,
      incoming.originalTransactionID,
      in: tx
    )
    var record = known ?? makeRecord(incoming, evidence)
    var isApplied = known == nil
    if known != nil, let updated = record.purchase.updated(by: incoming) {
      isApplied = updated.isNews(after: record.purchase, at: tx.now)
      record.purchase = updated
      record.payloadDigest = evidence.payloadDigest
      record.leafSerial = evidence.leafSerial
      record.isTest = evidence.isTest
    }
    if let renewal, let updated = record.purchase.updated(by: renewal) {
      record.purchase = updated
      isApplied = true
    }
    // What it is used up by does not change, however old the data is.
    record.purchase.isConsumable = record.purchase.isConsumable || incoming.isConsumable
    let stored = known == nil ? [] : try PurchaseTable.holders(of: record.purchase, in: tx)
    let (before, after) = try settle(stored, claim, &record, in: tx, changes)
    record.isGranted = record.isGranted || !after.isEmpty
    if record != known { try PurchaseTable.save(record, in: tx) }
    if stored != after {
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
    _ environment: PurchaseEnvironment,
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
        .filter { try !changes.isErased(userID: $0, in: tx) }
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

  /// The previous and the current holders of a purchase.
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
      try changes.raise(
        .user(userID),
        because: isHolder ? cause : .transfer,
        Purchase.differences(
          from: holders.before.contains(userID) ? old.map(catalog.lasting) : nil,
          to: isHolder ? catalog.lasting(new) : nil,
          at: tx.now
        ),
        in: tx
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
    detail +=
      ", \(catalog.worth(of: purchase, at: tx.now).state.rawValue), signed \(purchase.signedAt)"
    detail += ", leaf \(record.leafSerial), payload \(record.payloadDigest)"
    if record.isTest { detail += ", test root" }
    // Whether certificates were revoked is not asked for without a network; say so.
    detail += ", revocation not checked"
    if before != after { detail += ", holders \(before.count) to \(after.count)" }
    try tx.audit(action, object: record.id, scope: after.first ?? "", detail: detail, by: actor)
  }
}
