internal import RPCKit
internal import ServiceKit

/// Takes verified transactions into the store: what is bought, whose it is, and whom to notify.
///
/// All of it runs inside one write transaction.
struct PurchaseIntake {
  /// A user who says to have bought a purchase.
  struct Claim {
    var buyerID: String
    /// The subject that it is for; nil for the one that has it through this buyer, or else the buyer.
    var subject: Subject?
    /// Asked for by the user ("restore purchases"), so that it may go over from another.
    var isRestore: Bool

    /// Whether a binding is what the claim asks for.
    func isMet(by binding: PurchaseBinding) -> Bool {
      guard let subject else {
        return binding.buyerID == buyerID || binding.subject == .user(buyerID)
      }
      return binding.subject == subject
    }
  }

  /// The outcome.
  struct Outcome {
    var record: PurchaseRecord
    /// The subjects that have it now.
    var bindings: [PurchaseBinding]
    /// Whether anything changed.
    var isApplied: Bool

    /// The binding that a claim was about.
    func binding(of claim: Claim) -> PurchaseBinding? {
      bindings.first(where: claim.isMet) ?? bindings.first
    }
  }

  let identifiers: IdentifierFactory
  let policy: RestorePolicy
  /// The actor behind it; nil for the caller.
  let actor: AuditActor?
  /// The catalogue.
  let catalog: Catalog
  /// Which purchases count.
  let scope: PurchaseScope
  /// The questions to other services.
  let questions: IntakeQuestions

  /// Applies what is said about a purchase, and a claim on it.
  ///
  /// Throws `PurchaseError` when the claim is refused, and `IntakeUndecided` when something must be known first
  /// that another service knows; then nothing must remain.
  func take(
    _ verified: Verified<Purchase>,
    renewal: Purchase.RenewalReport? = nil,
    claim: Claim?,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws -> Outcome {
    let (incoming, evidence) = (verified.payload, verified.evidence)
    let known = try PurchaseTable.load(incoming, in: tx)
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
    let stored = known == nil ? [] : try PurchaseBindingTable.all(of: record.purchase, in: tx)
    let (before, after) = try settle(
      stored,
      claim,
      known?.purchase,
      &record,
      in: tx,
      changes
    )
    let isFirst = !record.isGranted && !after.isEmpty
    record.isGranted = record.isGranted || !after.isEmpty
    if record != known { try PurchaseTable.save(record, in: tx) }
    if stored != after {
      try PurchaseBindingTable.replace(after, of: record.purchase, in: tx)
      // A question that is open changes nothing yet.
      isApplied = isApplied || !PurchaseBinding.areAlike(stored, after)
    }
    try givePoints(record, to: isFirst ? after.first : nil, in: tx, changes)
    if isApplied {
      try tell(
        Holders(before: before, after: after),
        from: known?.purchase,
        to: record.purchase,
        because: Self.cause(of: claim, from: known?.purchase, to: record.purchase),
        in: tx,
        changes
      )
      let isSame = PurchaseBinding.areAlike(before, after)
      try note(isSame ? "purchase.update" : "purchase.claim", record, before, after, in: tx)
    }
    return Outcome(record: record, bindings: after, isApplied: isApplied)
  }

  /// A parent withdrew consent: everything that application's customer bought ends.
  func withdrawConsent(
    of customerReference: String,
    in store: String,
    _ environment: PurchaseEnvironment,
    signedAt: Int64,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws -> Bool {
    var isApplied = false
    let made = try PurchaseTable.made(by: customerReference, in: store, environment, in: tx)
    for var record in made {
      guard record.purchase.purchasedAt <= signedAt,
        signedAt > record.purchase.withdrawnAt ?? Int64.min
      else { continue }
      let known = record.purchase
      record.purchase.withdrawnAt = signedAt
      try PurchaseTable.save(record, in: tx)
      let bindings = try PurchaseBindingTable.all(of: record.purchase, in: tx)
        .filter { try !changes.isErased($0.subject, in: tx) }
      try givePoints(record, to: nil, in: tx, changes)
      try tell(
        Holders(before: bindings, after: bindings),
        from: known,
        to: record.purchase,
        because: .revocation,
        in: tx,
        changes
      )
      try note("purchase.withdraw", record, bindings, bindings, in: tx)
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

  /// The previous and the current bindings of a purchase.
  struct Holders {
    var before: [PurchaseBinding]
    var after: [PurchaseBinding]
  }

  /// Tells everybody who had the purchase or has it now what became of it for them.
  func tell(
    _ holders: Holders,
    from old: Purchase?,
    to new: Purchase,
    because cause: ChangeCause,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws {
    let subjects = Set((holders.before + holders.after).map(\.subject))
    for subject in subjects.sorted(by: { ($0.kind.rawValue, $0.id) < ($1.kind.rawValue, $1.id) }) {
      let before = holders.before.first { $0.subject == subject }
      let after = holders.after.first { $0.subject == subject }
      let hasLost = before != nil && before?.endsAt == nil && after?.endsAt != nil
      try changes.raise(
        subject,
        because: after == nil ? .transfer : hasLost ? .buyerLeft : cause,
        Purchase.differences(
          from: before.flatMap { old.map(catalog.lasting)?.counting(until: $0.endsAt) },
          to: after.map { catalog.lasting(new).counting(until: $0.endsAt) },
          at: tx.now
        ),
        in: tx
      )
    }
  }

  /// Why a purchase changes: what the store did to it goes before the way in which it came to be known.
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
    _ before: [PurchaseBinding],
    _ after: [PurchaseBinding],
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
    if !PurchaseBinding.areAlike(before, after) {
      detail += ", holders \(before.count) to \(after.count)"
      if let subject = after.last?.subject { detail += ", bound to \(subject.kind.rawValue)" }
      if let end = after.last?.endsAt { detail += " until \(end)" }
    }
    let scope = after.first?.subject.id ?? ""
    try tx.audit(action, object: record.id, scope: scope, detail: detail, by: actor)
  }
}
