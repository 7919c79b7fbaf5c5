internal import ServiceKit

extension TenancySchema {
  /// Names of webhooks, and what their makers know of failures.
  static let notices = Migration(
    version: 29,
    sql: """
      ALTER TABLE webhook ADD COLUMN told_hours BIGINT NOT NULL DEFAULT 0;
      ALTER TABLE webhook ADD COLUMN name TEXT NOT NULL DEFAULT '';
      """
  )
}
