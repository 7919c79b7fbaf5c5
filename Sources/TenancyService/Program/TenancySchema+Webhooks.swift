internal import ServiceKit

extension TenancySchema {
  /// Webhooks, the events that wait for them, and what became of attempts (docs/decisions/0227).
  ///
  /// Of the deliveries of one lane only the first has an instant at which it is due.
  static let webhooks = Migration(
    version: 27,
    sql: """
      CREATE TABLE webhook (
        id TEXT PRIMARY KEY,
        entity_id TEXT NOT NULL,
        url TEXT NOT NULL,
        types TEXT NOT NULL,
        role TEXT NOT NULL,
        secret BLOB NOT NULL,
        former_secret BLOB,
        former_secret_until INTEGER,
        state TEXT NOT NULL,
        paused_because TEXT NOT NULL,
        created_by TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        last_success_at INTEGER,
        failing_since INTEGER,
        failure_count INTEGER NOT NULL,
        failed_lane TEXT NOT NULL,
        not_before INTEGER NOT NULL
      ) WITHOUT ROWID;
      CREATE INDEX webhook_by_entity ON webhook (entity_id, id);
      CREATE TABLE webhook_event (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL,
        source TEXT NOT NULL,
        source_sequence INTEGER NOT NULL,
        recorded_at INTEGER NOT NULL,
        type TEXT NOT NULL,
        object TEXT NOT NULL,
        scope TEXT NOT NULL,
        user_id TEXT NOT NULL,
        actor TEXT NOT NULL,
        request_id TEXT NOT NULL,
        data TEXT NOT NULL
      );
      CREATE UNIQUE INDEX webhook_event_by_id ON webhook_event (id);
      CREATE INDEX webhook_event_by_time ON webhook_event (recorded_at);
      CREATE INDEX webhook_event_by_user ON webhook_event (user_id) WHERE user_id <> '';
      CREATE TABLE webhook_delivery (
        webhook_id TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        lane TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        due_at INTEGER,
        is_replay INTEGER NOT NULL,
        is_given_up INTEGER NOT NULL,
        PRIMARY KEY (webhook_id, sequence)
      ) WITHOUT ROWID;
      CREATE INDEX webhook_delivery_by_lane ON webhook_delivery (webhook_id, lane, sequence);
      CREATE INDEX webhook_delivery_by_due ON webhook_delivery (due_at) WHERE due_at IS NOT NULL;
      CREATE INDEX webhook_delivery_by_sequence ON webhook_delivery (sequence);
      CREATE TABLE webhook_attempt (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        webhook_id TEXT NOT NULL,
        event_id TEXT NOT NULL,
        type TEXT NOT NULL,
        object TEXT NOT NULL,
        attempted_at INTEGER NOT NULL,
        attempt INTEGER NOT NULL,
        is_replay INTEGER NOT NULL,
        outcome TEXT NOT NULL,
        status INTEGER NOT NULL,
        duration_ms INTEGER NOT NULL
      );
      CREATE INDEX webhook_attempt_by_webhook ON webhook_attempt (webhook_id, sequence);
      CREATE INDEX webhook_attempt_by_time ON webhook_attempt (attempted_at);
      CREATE INDEX association_by_end ON association (valid_until) WHERE valid_until IS NOT NULL;
      CREATE INDEX association_by_start ON association (valid_from) WHERE valid_from IS NOT NULL;
      """
  )
}
