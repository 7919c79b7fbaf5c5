internal import ServiceKit

/// The table `scheduled_change`: changes of subscriptions that are ahead, or have taken effect since the
/// subscription was last written.
enum ScheduledChangeTable {
  private static let columns = RecordColumns<ScheduledChange>(
    "scheduled_change",
    beside: ["kind", "subject_id"],
    .text("id", \.id),
    .integer("effective_at", \.effectiveAt),
    .text("tier", \.tier),
    .optionalInteger("paid_until", \.paidUntil)
  ) { row in
    ScheduledChange(
      id: row.text(),
      effectiveAt: row.integer(),
      tier: row.text(),
      paidUntil: row.optionalInteger()
    )
  }
  private static let ofSubject = "WHERE kind = ? AND subject_id = ?"

  /// The changes of a subject, by their instants.
  static func all(
    of subject: Subject,
    in tx: borrowing some Queryable
  ) throws -> [ScheduledChange] {
    let (kind, id) = subject.stored
    return try tx.query(columns, "\(ofSubject) ORDER BY effective_at, id", kind, id)
  }

  /// Adds a change.
  static func insert(
    _ change: ScheduledChange,
    of subject: Subject,
    in tx: borrowing WriteTransaction
  ) throws {
    let (kind, subjectID) = subject.stored
    try tx.insert(change, columns, beside: kind, subjectID)
  }

  /// Takes a change out.
  static func delete(
    _ id: String,
    of subject: Subject,
    in tx: borrowing WriteTransaction
  ) throws {
    let (kind, subjectID) = subject.stored
    try tx.execute(
      "DELETE FROM scheduled_change \(ofSubject) AND id = ?",
      kind,
      subjectID,
      .text(id)
    )
  }

  /// Takes all changes out; how many there were.
  static func deleteAll(of subject: Subject, in tx: borrowing WriteTransaction) throws -> Int {
    let (kind, id) = subject.stored
    return try tx.rowsChanged(by: "DELETE FROM scheduled_change \(ofSubject)", kind, id)
  }

  /// Makes the changes whose time has come part of the stored subscription, which is about to be changed:
  /// what is written now comes after them.
  ///
  /// This changes no answer.
  static func settle(
    _ subject: Subject,
    in tx: borrowing WriteTransaction,
    _ changes: SubjectChanges
  ) throws -> Subscription? {
    let stored = try SubscriptionTable.load(subject, in: tx)
    let due = try all(of: subject, in: tx).filter { $0.effectiveAt <= tx.now }
    guard !due.isEmpty else { return stored }
    changes.begin(subject)
    let settled = due.reduce(stored) { $1.applied(to: $0) }
    if let settled { try SubscriptionTable.save(settled, of: subject, in: tx) }
    for change in due { try delete(change.id, of: subject, in: tx) }
    return settled
  }
}
