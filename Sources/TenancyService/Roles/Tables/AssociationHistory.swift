internal import AccessEngine
internal import ServiceKit

/// The stored history of associations that are over or had another window.
///
/// Written where associations are, in the same transaction; one row for each state that an association
/// was in. Reports read it by tree, and questions about the past by user.
extension WriteTransaction {
  /// An association is as the record says from now on.
  func beginHistory(of record: AssociationRecord) throws {
    try endHistory(of: record.id)
    try execute(
      """
      INSERT INTO association_history (association_id, user_id, role, custom_role, entity_id,
        entity_type, entity_name, root_id, granted_by, valid_from, valid_until, recurring, variant,
        began_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      values: [
        .text(record.id), .text(record.userID), .text(record.role), .text(record.customRole),
        .text(record.entityID), .text(record.entityType), .text(record.entityName),
        .text(record.rootID), .text(record.grantedBy), .optionalInteger(record.validFrom),
        .optionalInteger(record.validUntil), .optionalText(record.recurring?.storedText),
        .text(record.variant), .integer(now),
      ]
    )
  }

  /// An association is no longer as it was, as the change log says already.
  func endHistory(of id: String) throws {
    try execute(
      """
      UPDATE association_history SET ended_at = ?, ended_revision = ?
      WHERE association_id = ? AND ended_at IS NULL
      """,
      values: [.integer(now), .integer(revision), .text(id)]
    )
  }

  /// Associations on an entity and everything below it belong to another tree from now on.
  ///
  /// `below` is a WITH clause that names the entities `below` and takes `values`.
  func moveHistory(to rootID: String, _ below: String, values: [SQLValue]) throws {
    let open = "ended_at IS NULL AND root_id <> ? AND entity_id IN below"
    let columns = """
      association_id, user_id, role, custom_role, entity_id, entity_type, entity_name, granted_by,
      valid_from, valid_until, recurring, variant
      """
    // Before the others end, which would not be found again.
    try execute(
      """
      \(below) INSERT INTO association_history (\(columns), root_id, began_at)
      SELECT \(columns), ?, ? FROM association_history WHERE \(open) ORDER BY sequence
      """,
      values: values + [.text(rootID), .integer(now), .text(rootID)]
    )
    try execute(
      "\(below) UPDATE association_history SET ended_at = ? WHERE \(open)",
      values: values + [.integer(now), .text(rootID)]
    )
  }
}

extension Database {
  /// Forgets roles that ended before `instant` (milliseconds since 1970); how many rows that were.
  ///
  /// Few at a time, so that writers behind it hardly wait: call again until it is 0.
  func purgeEndedRoles(before instant: Int64) async throws -> Int {
    try await write { tx in
      let count = try tx.execute(
        """
        DELETE FROM association_history WHERE sequence IN (
          SELECT sequence FROM association_history WHERE ended_at < ? ORDER BY ended_at LIMIT ?)
        """,
        .integer(instant),
        .integer(Self.purgeCountMax)
      )
      if count > 0 {
        try tx.execute(
          "UPDATE report_coverage SET since = ? WHERE since < ?",
          .integer(instant),
          .integer(instant)
        )
      }
      return count
    }
  }
}
