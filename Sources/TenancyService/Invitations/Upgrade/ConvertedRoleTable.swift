internal import AccessEngine
internal import ServiceKit

/// A role that became an invitation at an upgrade (docs/decisions/0193), as it was.
///
/// Goes with its invitation, 30 days after that has expired, and with its entity.
struct ConvertedRole: Hashable, Sendable {
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

  /// `c` is the role in conditions.
  static let columns = RecordColumns<ConvertedRole>(
    "converted_role",
    as: "c",
    joining: """
      JOIN entity e ON e.id = c.entity_id LEFT JOIN role_definition d ON d.id = c.variant
      """,
    .text("association_id", \.role.id),
    .text("user_id", \.role.userID),
    .text("entity_id", \.role.entityID),
    .text("role", \.role.role),
    .optionalInteger("valid_from", \.role.validFrom),
    .optionalInteger("valid_until", \.role.validUntil),
    .text("granted_by", \.role.grantedBy),
    .integer("created_at", \.role.createdAt),
    .joined(.integer("0", \.role.added)),
    .joined(.integer("c.created_at", \.role.updatedAt)),
    .joined(.integer("0", \.role.revision)),
    .joined(.text("''", \.role.nameKey)),
    .joined(.text("e.type", \.role.entityType)),
    .joined(.text("e.name", \.role.entityName)),
    .joined(.text("e.root_id", \.role.rootID)),
    .optionalText("recurring") { $0.role.recurring?.storedText },
    .text("variant", \.role.variant),
    .joined(.text("d.name", \.role.customRole)),
    .text("invitation_id", \.invitationID),
    .integer("converted_at", \.convertedAt),
    .optionalInteger("restored_at", \.restoredAt),
    .text("restored_as", \.restoredAs)
  ) { ConvertedRole(row: &$0) }

  private init(row: inout RowReader) {
    role = AssociationRecord(row: &row)
    invitationID = row.text()
    convertedAt = row.integer()
    restoredAt = row.optionalInteger()
    restoredAs = row.text()
  }
}

enum ConvertedRoleTable {
  private static let columns = ConvertedRole.columns

  /// The order of roles `c`, the one that was given last first.
  static let latestFirst = "c.created_at DESC, c.association_id DESC"

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
    in tx: borrowing some Queryable
  ) throws -> Bool {
    try tx.exists(
      "SELECT 1 FROM converted_role WHERE invitation_id = ? AND restored_at IS NOT NULL",
      .text(invitationID)
    )
  }

  /// The one that had an identifier.
  static func find(
    _ associationID: String,
    in tx: borrowing some Queryable
  ) throws -> ConvertedRole? {
    try tx.first(columns, "WHERE c.association_id = ?", .text(associationID))
  }

  /// The one that an invitation stands for: of several the one that was given last.
  static func find(
    invitation id: String,
    in tx: borrowing some Queryable
  ) throws -> ConvertedRole? {
    try tx.first(columns, "WHERE c.invitation_id = ? ORDER BY \(latestFirst) LIMIT 1", .text(id))
  }

  /// Some of them in the order of their identifiers; with `restorableAt` those alone that can be restored.
  static func page(
    after associationID: String?,
    _ direction: ListDirection,
    skipping skippedCount: Int,
    limit: Int,
    restorableAt now: Int64?,
    in tx: borrowing some Queryable
  ) throws -> [ConvertedRole] {
    let place = SQLValue.text(associationID ?? direction.firstText)
    let (comparison, order) = (direction.comparison, "c.association_id \(direction.keyword)")
    guard let now else {
      return try tx.query(
        columns,
        "WHERE c.association_id \(comparison) ? ORDER BY \(order) LIMIT ? OFFSET ?",
        place,
        .integer(limit),
        .integer(skippedCount)
      )
    }
    return try tx.query(
      columns,
      """
      JOIN invitation i ON i.id = c.invitation_id
      WHERE c.association_id \(comparison) ? AND c.restored_at IS NULL
        AND (i.state = 'pending' OR EXISTS (SELECT 1 FROM converted_role other
          WHERE other.invitation_id = i.id AND other.restored_at IS NOT NULL))
        AND (c.valid_until IS NULL OR c.valid_until > ?)
      ORDER BY \(order) LIMIT ? OFFSET ?
      """,
      values: [place, .integer(now), .integer(limit), .integer(skippedCount)]
    )
  }

  static func insert(_ record: ConvertedRole, in tx: borrowing WriteTransaction) throws {
    try tx.insert(record, columns)
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
