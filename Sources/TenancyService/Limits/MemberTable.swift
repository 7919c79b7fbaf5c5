internal import ServiceKit

/// The members of an entity: people with a role on it that has not ended, and addresses that are invited to one.
///
/// Counted when a new one comes, because time alone ends roles and invitations. A limit bounds how many there are to
/// count.
enum MemberTable {
  /// Whether a user has a role on an entity that has not ended; without a user, whether anyone has.
  static func isMember(
    _ userID: String? = nil,
    of entityID: String,
    in tx: borrowing WriteTransaction
  ) throws -> Bool {
    let isUser = userID == nil ? "" : "AND user_id = ?"
    return try !tx.query(
      """
      SELECT 1 FROM association
      WHERE entity_id = ? AND (valid_until IS NULL OR valid_until > ?) \(isUser) LIMIT 1
      """,
      values: [.text(entityID), .integer(tx.now)] + (userID.map { [.text($0)] } ?? [])
    ) { _ in }.isEmpty
  }

  /// Whether an address is counted: it is invited, or its owner has accepted an invitation and is a member.
  static func isCounted(
    address key: String,
    of entityID: String,
    in tx: borrowing WriteTransaction
  ) throws -> Bool {
    try tx.exists(
      """
      SELECT 1 FROM invitation i WHERE i.entity_id = ? AND i.email_key = ?
        AND (i.state = 'pending' AND i.expires_at > ? OR \(isOfMember))
      """,
      .text(entityID),
      .text(key),
      .integer(tx.now),
      .integer(tx.now)
    )
  }

  /// How many members an entity has.
  static func count(
    of entityID: String,
    at now: Int64,
    in tx: borrowing some Queryable
  ) throws -> Int64 {
    try tx.query(
      """
      SELECT (
        SELECT count(DISTINCT user_id) FROM association
        WHERE entity_id = ? AND (valid_until IS NULL OR valid_until > ?)
      ) + (
        SELECT count(DISTINCT p.email_key) FROM invitation p
        WHERE p.entity_id = ? AND p.state = 'pending' AND p.expires_at > ? AND p.email_key <> ''
          AND NOT EXISTS (
            SELECT 1 FROM invitation i
            WHERE i.entity_id = p.entity_id AND i.email_key = p.email_key AND \(isOfMember))
      )
      """,
      values: [
        .text(entityID), .integer(now), .text(entityID), .integer(now), .integer(now),
      ]
    ) { $0.integer(0) }.first ?? 0
  }

  /// Whether an invitation `i` was accepted by a user who still is a member; takes the time.
  private static let isOfMember = """
    i.state = 'accepted' AND EXISTS (
      SELECT 1 FROM association a WHERE a.user_id = i.closed_by AND a.entity_id = i.entity_id
        AND (a.valid_until IS NULL OR a.valid_until > ?))
    """
}
