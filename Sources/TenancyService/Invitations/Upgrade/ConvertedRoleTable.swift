internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// A role that became an invitation at an upgrade (docs/decisions/0193), as it was.
///
/// Goes with its invitation, 30 days after that has expired, and with its entity.
struct ConvertedRole: Sendable {
  /// The role as it was.
  var role: AssociationRecord
  /// The invitation that it became; of several for one address, role and entity the latest has one.
  var invitationID: String
  /// Milliseconds since 1970.
  var convertedAt: Int64
  /// When an operator restored it.
  var restoredAt: Int64?
  /// The association that came of that; empty before.
  var restoredAs = ""

  init(_ role: AssociationRecord, invitationID: String, now: Int64) {
    (self.role, self.invitationID, convertedAt) = (role, invitationID, now)
  }

  fileprivate init(row: borrowing Row) {
    role = AssociationRecord(row: row)
    invitationID = row.text(15)
    convertedAt = row.integer(16)
    restoredAt = row.optionalInteger(17)
    restoredAs = row.text(18)
  }
}

enum ConvertedRoleTable {
  private static let selection = """
    SELECT c.association_id, c.user_id, c.entity_id, c.role, c.valid_from, c.valid_until,
      c.granted_by, c.created_at, 0, e.type, e.name, e.root_id, c.recurring, c.variant, d.name,
      c.invitation_id, c.converted_at, c.restored_at, c.restored_as
    FROM converted_role c JOIN entity e ON e.id = c.entity_id
      LEFT JOIN role_definition d ON d.id = c.variant
    """

  /// Those of an invitation are of another one from now on, which takes its place.
  static func move(
    from invitationID: String,
    to laterID: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "UPDATE converted_role SET invitation_id = ? WHERE invitation_id = ?",
      .text(laterID),
      .text(invitationID)
    )
  }

  /// Whether one of an invitation was restored, which is why it is closed.
  static func isAnyRestored(
    of invitationID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> Bool {
    try tx.exists(
      "SELECT 1 FROM converted_role WHERE invitation_id = ? AND restored_at IS NOT NULL",
      .text(invitationID)
    )
  }

  /// The one that had an identifier.
  static func find(
    _ associationID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> ConvertedRole? {
    try tx.first("\(selection) WHERE c.association_id = ?", .text(associationID)) {
      ConvertedRole(row: $0)
    }
  }

  /// The one that an invitation stands for: of several the one that was given last.
  static func find(
    invitation id: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> ConvertedRole? {
    try tx.first(
      "\(selection) WHERE c.invitation_id = ? ORDER BY c.rowid DESC LIMIT 1",
      .text(id)
    ) { ConvertedRole(row: $0) }
  }

  /// Some of them in the order of their identifiers; with `restorableAt` those alone that can be restored.
  static func page(
    after associationID: String,
    limit: Int,
    restorableAt now: Int64?,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [ConvertedRole] {
    guard let now else {
      return try tx.query(
        "\(selection) WHERE c.association_id > ? ORDER BY c.association_id LIMIT ?",
        .text(associationID),
        .integer(limit)
      ) { ConvertedRole(row: $0) }
    }
    return try tx.query(
      """
      \(selection) JOIN invitation i ON i.id = c.invitation_id
      WHERE c.association_id > ? AND c.restored_at IS NULL
        AND (i.state = 'pending' OR EXISTS (SELECT 1 FROM converted_role other
          WHERE other.invitation_id = i.id AND other.restored_at IS NOT NULL))
        AND (c.valid_until IS NULL OR c.valid_until > ?)
      ORDER BY c.association_id LIMIT ?
      """,
      values: [.text(associationID), .integer(now), .integer(limit)]
    ) { ConvertedRole(row: $0) }
  }

  static func insert(_ record: ConvertedRole, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      INSERT INTO converted_role (association_id, user_id, entity_id, role, variant, valid_from,
        valid_until, recurring, granted_by, created_at, invitation_id, converted_at, restored_as)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '')
      """,
      values: [
        .text(record.role.id), .text(record.role.userID), .text(record.role.entityID),
        .text(record.role.role), .text(record.role.variant),
        .optionalInteger(record.role.validFrom), .optionalInteger(record.role.validUntil),
        .optionalText(record.role.recurring?.storedText), .text(record.role.grantedBy),
        .integer(record.role.createdAt), .text(record.invitationID), .integer(record.convertedAt),
      ]
    )
  }

  /// Stores that an operator restored it.
  static func restored(
    _ record: ConvertedRole,
    as association: AssociationRecord,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "UPDATE converted_role SET restored_at = ?, restored_as = ? WHERE association_id = ?",
      values: [.integer(tx.now), .text(association.id), .text(record.role.id)]
    )
  }
}
