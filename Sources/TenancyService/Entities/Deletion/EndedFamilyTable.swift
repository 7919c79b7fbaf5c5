internal import ServiceKit

/// Families, children and pairings of children's devices that have ended, until AuthService knows.
enum EndedFamilyTable {
  static let name = "ended_family_part"
  static let key = "part_id"

  static let migration = Migration(
    version: 24,
    // What was deleted before, as far as that is known, goes to AuthService as well.
    sql: """
      CREATE TABLE ended_family_part (
        part_id TEXT PRIMARY KEY,
        attempts INTEGER NOT NULL,
        due_at INTEGER NOT NULL
      ) WITHOUT ROWID;
      CREATE INDEX ended_family_part_by_due ON ended_family_part (due_at, part_id);
      INSERT INTO ended_family_part SELECT id, 0, 0 FROM tombstone WHERE type IN ('family', 'child');
      """
  )

  /// Queues it for AuthService, for when this is committed.
  static func insert(_ id: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      INSERT INTO ended_family_part (part_id, attempts, due_at) VALUES (?, 0, ?)
      ON CONFLICT (part_id) DO NOTHING
      """,
      .text(id),
      .integer(tx.now)
    )
  }
}
