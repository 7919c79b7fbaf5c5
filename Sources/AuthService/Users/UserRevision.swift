internal import ServiceKit

/// The revision of an account: what two who edit it at once compare.
enum UserRevision {
  static let migration = Migration(
    version: 22,
    sql: """
      -- Counts changes of what the account shows, activities excepted.
      ALTER TABLE user ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
      """
  )
}
