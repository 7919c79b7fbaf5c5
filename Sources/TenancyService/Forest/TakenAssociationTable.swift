internal import AccessEngine
internal import ServiceKit

/// Roles that came of invitations by themselves and were not used yet, as the associations that they become.
///
/// They are columns of the invitation until then, so that nothing which lists associations shows them to others.
enum TakenAssociationTable {
  /// The columns are in the order of `AssociationRecord.columns`, and a role ends when its invitation does.
  private static func all(
    where condition: String,
    values: [SQLValue],
    in tx: borrowing some Queryable
  ) throws -> [AssociationRecord] {
    try tx.query(
      """
      SELECT i.taken_association, i.taken_by, i.entity_id, i.taken_role, i.valid_from,
        CASE WHEN i.valid_until < i.expires_at THEN i.valid_until ELSE i.expires_at END,
        i.invited_by, i.updated_at,
        i.taken_revision, i.updated_at, i.taken_revision, '', e.type, e.name, e.root_id, i.recurring,
        i.taken_variant, d.name
      FROM invitation i JOIN entity e ON e.id = i.entity_id
      LEFT JOIN role_definition d ON d.id = i.taken_variant
      WHERE i.taken_by <> '' AND i.state = 'pending' AND (i.taken_variant = '' OR d.id IS NOT NULL)
        AND \(condition)
      """,
      values: values
    ) { row in
      var record = try AssociationRecord.columns.record(row)
      record.isNew = true
      return record
    }
  }

  /// Those of a person, in the order in which they were taken.
  static func all(of userID: String, in tx: borrowing some Queryable) throws -> [AssociationRecord]
  {
    try all(
      where: "i.taken_by = ? ORDER BY i.taken_revision",
      values: [.text(userID)],
      in: tx
    )
  }

  /// That of an invitation; nil without one.
  static func find(
    invitation id: String,
    in tx: borrowing some Queryable
  ) throws -> AssociationRecord? {
    try all(where: "i.id = ?", values: [.text(id)], in: tx).first
  }

  /// All of them in the order of their identifiers, after one.
  static func all(
    after id: String,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [AssociationRecord] {
    try all(
      where: "i.taken_association > ? ORDER BY i.taken_association LIMIT ?",
      values: [.text(id), .integer(limit)],
      in: tx
    )
  }

  /// Those on entities of a tree.
  static func all(
    below root: String,
    in tx: borrowing some Queryable
  ) throws -> [AssociationRecord] {
    try all(where: "e.root_id = ?", values: [.text(root)], in: tx)
  }
}
