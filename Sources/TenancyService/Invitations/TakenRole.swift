internal import ServiceKit

/// A role that came of an invitation by itself, when a person proved the invited address, and was not used yet.
///
/// It counts in decisions, and only the person sees it. For everybody else the invitation is pending, and ends as
/// pending ones do: so nobody learns by inviting an address whose it is (docs/decisions/0214). The first use makes
/// it an association like others.
struct TakenRole: Hashable, Sendable {
  var userID: String
  /// The role as the policy names it.
  var role: String
  /// The identifier of the tenant-defined role that it is of; empty is the policy's role.
  var variant: String
  /// The identifier of the association that it becomes.
  var associationID: String
  /// The revision at which it was taken: its place in lists.
  var revision: Int64 = 0

  init(userID: String, role: String, variant: String, associationID: String) {
    (self.userID, self.role, self.variant) = (userID, role, variant)
    self.associationID = associationID
  }

  /// Reads the five columns; nil when nobody has taken it.
  init?(row: inout RowReader) {
    (userID, role, variant) = (row.text(), row.text(), row.text())
    associationID = row.text()
    revision = row.integer()
    if userID.isEmpty { return nil }
  }
}

extension InvitationTable {
  private static let isTaken = "i.taken_by <> '' AND i.state = 'pending'"

  /// The pending ones that a person has taken, in that order.
  static func taken(
    by userID: String,
    in tx: borrowing some Queryable
  ) throws -> [InvitationRecord] {
    try tx.query(
      InvitationRecord.columns,
      "WHERE i.taken_by = ? AND \(isTaken) ORDER BY i.taken_revision",
      .text(userID)
    )
  }

  /// Those whose roles a user has lent by inviting.
  static func taken(
    lentBy userID: String,
    roles: [String],
    in tx: borrowing some Queryable
  ) throws -> [InvitationRecord] {
    try tx.query(
      InvitationRecord.columns,
      "WHERE i.invited_by = ? AND \(isTaken) ORDER BY i.id",
      .text(userID)
    ).filter { record in record.taken.map { roles.contains($0.role) } ?? false }
  }

  /// Those to some roles on an entity and everything below it.
  static func taken(
    within id: String,
    roles: [String],
    in tx: borrowing some Queryable
  ) throws -> [InvitationRecord] {
    guard !roles.isEmpty else { return [] }
    return try tx.query(
      """
      \(Subtree.with) \(InvitationRecord.columns.selection)
      WHERE i.entity_id IN (SELECT id FROM below) AND \(isTaken)
        AND i.taken_role IN (\(Placeholders.list(roles.count))) ORDER BY i.id
      """,
      values: [.text(id)] + roles.map { .text($0) }
    ) { try InvitationRecord.columns.record($0) }
  }

  /// Those of a tenant-defined role.
  static func taken(
    variant id: String,
    of rootID: String,
    in tx: borrowing some Queryable
  ) throws -> [InvitationRecord] {
    try tx.query(
      InvitationRecord.columns,
      "WHERE \(isTaken) AND i.taken_variant = ? AND e.root_id = ? ORDER BY i.id",
      .text(id),
      .text(rootID)
    )
  }

  /// Those that have expired.
  static func taken(
    expiringBefore instant: Int64,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [InvitationRecord] {
    try tx.query(
      InvitationRecord.columns,
      "WHERE \(isTaken) AND i.expires_at < ? ORDER BY i.id LIMIT ?",
      .integer(instant),
      .integer(limit)
    )
  }

  /// The people who have taken some.
  static func takers(in tx: borrowing some Queryable) throws -> [String] {
    try tx.query("SELECT DISTINCT taken_by FROM invitation WHERE taken_by <> ''") { $0.text(0) }
  }
}
