internal import ServiceKit

/// The table `scheduled_change`: changes of subscriptions that are ahead, or have taken effect since the
/// subscription was last written.
enum ScheduledChangeTable {
  /// The changes of a subject, by their instants.
  static func all(
    of subject: Subject,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [ScheduledChange] {
    try tx.query(
      """
      SELECT id, effective_at, tier, paid_until FROM scheduled_change
      WHERE kind = ? AND subject_id = ? ORDER BY effective_at, id
      """,
      .text(subject.kind.rawValue),
      .text(subject.id)
    ) { row in
      ScheduledChange(
        id: row.text(0),
        effectiveAt: row.integer(1),
        tier: row.text(2),
        paidUntil: row.optionalInteger(3)
      )
    }
  }

  /// Adds a change.
  static func insert(
    _ change: ScheduledChange,
    of subject: Subject,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      INSERT INTO scheduled_change (kind, subject_id, id, effective_at, tier, paid_until)
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      .text(subject.kind.rawValue),
      .text(subject.id),
      .text(change.id),
      .integer(change.effectiveAt),
      .text(change.tier),
      .optionalInteger(change.paidUntil)
    )
  }

  /// Takes a change out.
  static func delete(
    _ id: String,
    of subject: Subject,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "DELETE FROM scheduled_change WHERE kind = ? AND subject_id = ? AND id = ?",
      .text(subject.kind.rawValue),
      .text(subject.id),
      .text(id)
    )
  }

  /// Takes all changes out; how many there were.
  static func deleteAll(of subject: Subject, in tx: borrowing WriteTransaction) throws -> Int {
    try tx.execute(
      "DELETE FROM scheduled_change WHERE kind = ? AND subject_id = ?",
      .text(subject.kind.rawValue),
      .text(subject.id)
    )
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
