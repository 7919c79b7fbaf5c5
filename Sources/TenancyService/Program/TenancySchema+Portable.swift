internal import ServiceKit

extension TenancySchema {
  /// Columns in the place of SQLite's row numbers, which other engines have not.
  static let portable = Migration(
    version: 23,
    // The order in which codes were issued, and keys of what was replaced or removed.
    sql: """
      ALTER TABLE pairing_code ADD COLUMN added BIGINT NOT NULL DEFAULT 0;
      UPDATE pairing_code SET added = rowid;
      CREATE INDEX pairing_code_by_addition ON pairing_code (added);
      ALTER TABLE past_link RENAME TO past_link_before;
      CREATE TABLE past_link (
        sequence INTEGER PRIMARY KEY,
        link TEXT NOT NULL,
        from_id TEXT NOT NULL,
        to_id TEXT NOT NULL,
        began_at BIGINT NOT NULL,
        ended_at BIGINT NOT NULL
      );
      INSERT INTO past_link (link, from_id, to_id, began_at, ended_at)
        SELECT link, from_id, to_id, began_at, ended_at FROM past_link_before ORDER BY rowid;
      DROP TABLE past_link_before;
      CREATE INDEX past_link_by_to ON past_link (to_id, ended_at);
      CREATE INDEX past_link_by_time ON past_link (ended_at);
      ALTER TABLE past_suspension RENAME TO past_suspension_before;
      CREATE TABLE past_suspension (
        sequence INTEGER PRIMARY KEY,
        user_id TEXT NOT NULL,
        began_at BIGINT NOT NULL,
        ended_at BIGINT NOT NULL
      );
      INSERT INTO past_suspension (user_id, began_at, ended_at)
        SELECT user_id, began_at, ended_at FROM past_suspension_before ORDER BY rowid;
      DROP TABLE past_suspension_before;
      CREATE INDEX past_suspension_by_user ON past_suspension (user_id, ended_at);
      CREATE INDEX past_suspension_by_time ON past_suspension (ended_at);
      """
  )
}
