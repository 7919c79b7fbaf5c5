internal import AccessEngine
internal import ServiceKit

/// Roles that somebody must have (`keep_one`), and who counts as having one.
///
/// Looked at where such a role could be lost, in the one writer. Time and operators ask nobody: so whose
/// role has an end or has yet to begin does not count from the start, and a suspended or disabled holder
/// counts again only when that is lifted.
extension AssociationTable {
  /// Whether somebody besides a user can act for good by a role on an entity: without a time window, not
  /// suspended, with an account that is neither disabled nor about to be deleted.
  static func hasLastingHolder(
    of role: String,
    on entityID: String,
    besides userID: String,
    now: Int64,
    in tx: borrowing some Queryable
  ) throws -> Bool {
    try tx.exists(
      """
      SELECT 1 FROM association a
      WHERE a.entity_id = ? AND a.role = ? AND a.user_id <> ? AND a.valid_until IS NULL
        AND (a.valid_from IS NULL OR a.valid_from <= ?) AND a.recurring IS NULL
        AND NOT EXISTS (SELECT 1 FROM suspension s WHERE s.user_id = a.user_id)
        AND NOT EXISTS (SELECT 1 FROM account_state t
          WHERE t.user_id = a.user_id AND (t.is_disabled = 1 OR t.is_deletion_begun = 1))
      """,
      .text(entityID),
      .text(role),
      .text(userID),
      .integer(now)
    )
  }
}

extension AssociationRecord {
  /// Whether somebody else can act for good by the same role on the same entity.
  func hasLastingSubstitute(now: Int64, _ tx: borrowing some Queryable) throws -> Bool {
    try AssociationTable.hasLastingHolder(of: role, on: entityID, besides: userID, now: now, in: tx)
  }
}

extension AssociationRecord {
  /// Whether it is good now and has no end.
  func isLasting(at now: Int64) -> Bool {
    validUntil == nil && (validFrom ?? .min) <= now && recurring == nil && !hasUnreadableWindow
  }

  /// Whether its time is over.
  func isOver(at now: Int64) -> Bool { validUntil.map { $0 <= now } ?? false }
}
