internal import ServiceKit

/// Keeps what is about to be replaced or removed, for questions about the past; associations have their own
/// history (see `beginHistory`).
///
/// Copied by the store, in the transaction that replaces it.
extension WriteTransaction {
  /// Keeps an entity as it is, if it is there.
  func keepPast(entity id: String) throws {
    try execute(
      """
      INSERT INTO past_entity (id, type, parent_id, name, attributes, created_at, ended_at)
      SELECT id, type, parent_id, name, attributes, created_at, ? FROM entity WHERE id = ?
      """,
      .integer(now),
      .text(id)
    )
  }

  /// Keeps a link.
  func keepPast(link: String, from: String, to: String) throws {
    try execute(
      """
      INSERT INTO past_link (link, from_id, to_id, began_at, ended_at)
      SELECT link, from_id, to_id, began_at, ? FROM entity_link
      WHERE link = ? AND from_id = ? AND to_id = ?
      """,
      values: [.integer(now), .text(link), .text(from), .text(to)]
    )
  }

  /// Keeps a role of a tenant's own as it is, if it is there.
  func keepPast(roleDefinition id: String) throws {
    try execute(
      """
      INSERT INTO past_role_definition
        (id, root_id, name, base_role, actions, created_at, ended_at)
      SELECT id, root_id, name, base_role, actions, created_at, ? FROM role_definition WHERE id = ?
      """,
      .integer(now),
      .text(id)
    )
  }

  /// Keeps that a user was suspended until now.
  func keepPast(suspensionOf userID: String) throws {
    try execute(
      """
      INSERT INTO past_suspension (user_id, began_at, ended_at)
      SELECT user_id, suspended_at, ? FROM suspension WHERE user_id = ?
      """,
      .integer(now),
      .text(userID)
    )
  }
}

extension Database {
  private static let pastTables = [
    "past_entity", "past_link", "past_suspension", "past_role_definition",
  ]

  /// Forgets what was replaced or removed before `instant` (milliseconds since 1970); how many rows that
  /// were.
  ///
  /// Few at a time, so that writers behind it hardly wait: call again until it is 0.
  func purgePast(before instant: Int64) async throws -> Int {
    try await write { tx in
      var count = 0
      for table in Self.pastTables {
        count += try tx.execute(
          """
          DELETE FROM \(table) WHERE rowid IN (
            SELECT rowid FROM \(table) WHERE ended_at < ? ORDER BY ended_at LIMIT ?)
          """,
          .integer(instant),
          .integer(Self.purgeCountMax)
        )
      }
      return try count + PastPolicyTable.purge(before: instant, in: tx)
    }
  }
}
