internal import ServiceKit

extension UserTable {
  /// From the name `user`, which SQL reserves: in PostgreSQL `SELECT … FROM user` is the user of the session.
  static let renaming = Migration(
    version: 26,
    sql: """
      DROP INDEX user_by_display_name;
      DROP INDEX user_by_first_name;
      DROP INDEX user_by_last_name;
      DROP INDEX user_by_proof;
      ALTER TABLE user RENAME TO account;
      CREATE INDEX account_by_display_name ON account (lower(display_name));
      CREATE INDEX account_by_first_name ON account (lower(first_name));
      CREATE INDEX account_by_last_name ON account (lower(last_name));
      CREATE INDEX account_by_proof ON account (proven_at, id) WHERE proven_at IS NOT NULL;
      """
  )
}
