internal import ServiceKit

extension TenancySchema {
  /// Webhooks that sign with a pair of keys, and deliveries in the order in which they are read.
  static let deliveries = Migration(
    version: 30,
    sql: """
      ALTER TABLE webhook ADD COLUMN public_key TEXT NOT NULL DEFAULT '';
      DROP INDEX webhook_delivery_by_due;
      CREATE INDEX webhook_delivery_by_due ON webhook_delivery (is_replay, due_at, sequence)
        WHERE due_at IS NOT NULL;
      """
  )
}
