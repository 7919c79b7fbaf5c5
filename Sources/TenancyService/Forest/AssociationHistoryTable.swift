internal import AccessEngine
internal import ServiceKit

/// One state that an association was in.
struct AssociationState: Hashable, Sendable {
  /// Its place in the history; later ones have greater numbers.
  var sequence: Int64 = 0
  var associationID: String
  var userID: String
  /// The role as the policy names it.
  var role: String
  /// The tenant's name of its own role that is based on it; empty for none.
  var customRole: String
  /// The identifier of that role; empty for none.
  var variant: String
  var entityID: String
  var entityType: String
  /// The entity's name when the role was granted.
  var entityName: String
  var rootID: String
  var grantedBy: String
  /// Milliseconds since 1970.
  var validFrom: Int64?
  var validUntil: Int64?
  /// When it counted inside of that time, as the store has it; nil for always.
  var recurring: String?
  var beganAt: Int64
  /// Nil for one that an association is in.
  var endedAt: Int64?

  static let columns = RecordColumns<AssociationState>(
    "association_history",
    .generated("sequence", \.sequence),
    .text("association_id", \.associationID),
    .text("user_id", \.userID),
    .text("role", \.role),
    .text("custom_role", \.customRole),
    .text("variant", \.variant),
    .text("entity_id", \.entityID),
    .text("entity_type", \.entityType),
    .text("entity_name", \.entityName),
    .text("root_id", \.rootID),
    .text("granted_by", \.grantedBy),
    .optionalInteger("valid_from", \.validFrom),
    .optionalInteger("valid_until", \.validUntil),
    .optionalText("recurring", \.recurring),
    .integer("began_at", \.beganAt),
    .optionalInteger("ended_at", \.endedAt)
  ) { row in
    AssociationState(
      sequence: row.integer(),
      associationID: row.text(),
      userID: row.text(),
      role: row.text(),
      customRole: row.text(),
      variant: row.text(),
      entityID: row.text(),
      entityType: row.text(),
      entityName: row.text(),
      rootID: row.text(),
      grantedBy: row.text(),
      validFrom: row.optionalInteger(),
      validUntil: row.optionalInteger(),
      recurring: row.optionalText(),
      beganAt: row.integer(),
      endedAt: row.optionalInteger()
    )
  }

  /// The time in which it was good, as it was known at an instant: nothing that happened later counts.
  func span(asOf instant: Int64 = .max) -> (from: Int64, until: Int64) {
    let ended = endedAt ?? .max
    return (
      max(validFrom ?? .min, beganAt), min(validUntil ?? .max, ended < instant ? ended : .max)
    )
  }

  /// As the engine needs it; nil when the policy knows no such role, or its window cannot be read.
  func row(_ policy: Policy) -> AssociationRow? {
    let window = recurring.flatMap { RecurringWindow(storedText: $0) }
    guard let role = policy.role(named: role), recurring == nil || window != nil else { return nil }
    return AssociationRow(
      id: associationID,
      subject: userID,
      role: role,
      entity: entityID,
      validFrom: validFrom ?? .min,
      validUntil: validUntil ?? .max,
      recurring: window,
      variant: variant
    )
  }
}

extension AssociationState {
  /// The state that an association is in from now on.
  init(_ record: AssociationRecord, now: Int64) {
    (associationID, userID, role, variant) = (record.id, record.userID, record.role, record.variant)
    (customRole, grantedBy, beganAt) = (record.customRole, record.grantedBy, now)
    (entityID, entityType, entityName) = (record.entityID, record.entityType, record.entityName)
    (rootID, validFrom, validUntil) = (record.rootID, record.validFrom, record.validUntil)
    recurring = record.recurring?.storedText
  }
}

enum AssociationHistoryTable {
  /// All states of the associations of a user on an entity, past ones included.
  static func all(
    ofUser userID: String,
    on entityID: String,
    in tx: borrowing some Queryable
  ) throws -> [AssociationState] {
    let condition = "WHERE user_id = ? AND entity_id = ?"
    return try tx.query(AssociationState.columns, condition, .text(userID), .text(entityID))
  }
}

/// The stored history of associations that are over or had another window.
///
/// Written where associations are, in the same transaction; one row for each state that an association
/// was in. Reports read it by tree, and questions about the past by user.
extension AssociationHistoryTable {
  /// An association is as the record says from now on; how it was before has ended.
  static func begin(of record: AssociationRecord, in tx: borrowing WriteTransaction) throws {
    try tx.insert(AssociationState(record, now: tx.now), AssociationState.columns)
  }

  /// An association is no longer as it was, as the change log says already.
  static func end(of id: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      UPDATE association_history SET ended_at = ?, ended_revision = ?
      WHERE association_id = ? AND ended_at IS NULL
      """,
      values: [.integer(tx.now), .integer(tx.revision), .text(id)]
    )
  }

  /// Associations on an entity and everything below it belong to another tree from now on.
  ///
  /// `below` is a WITH clause that names the entities `below` and takes `values`.
  static func move(
    to rootID: String,
    _ below: String,
    values: [SQLValue],
    in tx: borrowing WriteTransaction
  ) throws {
    let open = "ended_at IS NULL AND root_id <> ? AND entity_id IN (SELECT id FROM below)"
    let columns = """
      association_id, user_id, role, custom_role, entity_id, entity_type, entity_name, granted_by,
      valid_from, valid_until, recurring, variant
      """
    // Before the others end, which would not be found again.
    try tx.execute(
      """
      \(below) INSERT INTO association_history (\(columns), root_id, began_at)
      SELECT \(columns), ?, ? FROM association_history WHERE \(open) ORDER BY sequence
      """,
      values: values + [.text(rootID), .integer(tx.now), .text(rootID)]
    )
    try tx.execute(
      "\(below) UPDATE association_history SET ended_at = ? WHERE \(open)",
      values: values + [.integer(tx.now), .text(rootID)]
    )
  }
}

extension Database {
  /// Forgets roles that ended before `instant` (milliseconds since 1970); how many rows that were.
  ///
  /// Few at a time, so that writers behind it hardly wait: call again until it is 0.
  func purgeEndedRoles(before instant: Int64) async throws -> Int {
    try await write { tx in
      let count = try tx.rowsChanged(
        by: """
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
