internal import ServiceKit

/// The tables of this service.
enum EntitlementSchema {
  /// Marks the file as this service's: "GHen".
  static let applicationID: Int32 = 0x4748_656E
  /// Of the schema that all steps make, for `DatabaseConfiguration.schemaDigest`; SchemaDigestTests says what it is.
  static let digest = "DtDUV5G8Ffeu3xx-U_SiPqwvMEJ8MTGqV92t4USUT5o"

  static let migrations = [
    Migration(
      version: 1,
      sql: """
        CREATE TABLE subject_version (
          kind TEXT NOT NULL,
          id TEXT NOT NULL,
          version BIGINT NOT NULL,
          PRIMARY KEY (kind, id)
        );
        CREATE TABLE subscription (
          kind TEXT NOT NULL,
          id TEXT NOT NULL,
          tier TEXT NOT NULL,
          is_trial INTEGER NOT NULL,
          valid_from BIGINT NOT NULL,
          paid_until BIGINT,
          grace_until BIGINT,
          complimentary_until BIGINT,
          PRIMARY KEY (kind, id)
        );
        CREATE TABLE subscription_addon (
          kind TEXT NOT NULL,
          id TEXT NOT NULL,
          name TEXT NOT NULL,
          valid_until BIGINT,
          PRIMARY KEY (kind, id, name),
          FOREIGN KEY (kind, id) REFERENCES subscription (kind, id) ON DELETE CASCADE
        );
        CREATE TABLE subscription_override (
          kind TEXT NOT NULL,
          id TEXT NOT NULL,
          place INTEGER NOT NULL,
          feature TEXT NOT NULL,
          value_kind TEXT NOT NULL,
          value BIGINT,
          valid_until BIGINT,
          reason TEXT NOT NULL,
          PRIMARY KEY (kind, id, place),
          FOREIGN KEY (kind, id) REFERENCES subscription (kind, id) ON DELETE CASCADE
        );
        CREATE TABLE purchase (
          environment TEXT NOT NULL,
          original_transaction_id TEXT NOT NULL,
          id TEXT NOT NULL UNIQUE,
          transaction_id TEXT NOT NULL,
          product_id TEXT NOT NULL,
          is_renewed INTEGER NOT NULL,
          is_family_shared INTEGER NOT NULL,
          purchased_at BIGINT NOT NULL,
          expires_at BIGINT,
          grace_until BIGINT,
          revoked_at BIGINT,
          is_unshared INTEGER NOT NULL,
          refunded_share BIGINT,
          withdrawn_at BIGINT,
          signed_at BIGINT NOT NULL,
          renewal_signed_at BIGINT,
          app_account_token TEXT,
          app_transaction_id TEXT,
          payload_digest TEXT NOT NULL,
          leaf_serial TEXT NOT NULL,
          is_test INTEGER NOT NULL,
          transfer_count INTEGER NOT NULL,
          transfers_since BIGINT NOT NULL,
          PRIMARY KEY (environment, original_transaction_id)
        );
        CREATE INDEX purchase_by_app_transaction ON purchase (environment, app_transaction_id);
        CREATE TABLE purchase_holder (
          environment TEXT NOT NULL,
          original_transaction_id TEXT NOT NULL,
          user_id TEXT NOT NULL,
          claimed_at BIGINT NOT NULL,
          PRIMARY KEY (environment, original_transaction_id, user_id),
          FOREIGN KEY (environment, original_transaction_id)
            REFERENCES purchase (environment, original_transaction_id) ON DELETE CASCADE
        );
        CREATE INDEX purchase_holder_by_user ON purchase_holder (user_id);
        CREATE TABLE notification (
          environment TEXT NOT NULL,
          uuid TEXT NOT NULL,
          type TEXT NOT NULL,
          subtype TEXT,
          signed_at BIGINT,
          received_at BIGINT NOT NULL,
          original_transaction_id TEXT,
          payload_digest TEXT NOT NULL,
          leaf_serial TEXT NOT NULL,
          outcome TEXT NOT NULL,
          PRIMARY KEY (environment, uuid)
        );
        CREATE TABLE catalog_state (
          place INTEGER PRIMARY KEY CHECK (place = 1),
          digest TEXT NOT NULL
        );
        """
    ),
    Migration(
      version: 2,
      sql: "CREATE INDEX notification_by_time ON notification (received_at)"
    ),
    Migration(
      version: 3,
      sql: """
        CREATE TABLE service_secret (
          name TEXT PRIMARY KEY,
          bytes BLOB NOT NULL
        );
        """
    ),
    Migration(
      version: 4,
      sql: """
        CREATE TABLE points_rule (
          holder TEXT NOT NULL,
          app TEXT NOT NULL,
          points_per_minute BIGINT NOT NULL,
          points_per_reward_minute BIGINT NOT NULL,
          PRIMARY KEY (holder, app)
        );
        CREATE TABLE points_holder (
          holder TEXT PRIMARY KEY,
          entry_count BIGINT NOT NULL
        );
        CREATE TABLE points_account (
          holder TEXT NOT NULL,
          app TEXT NOT NULL,
          name TEXT NOT NULL,
          points BIGINT NOT NULL,
          PRIMARY KEY (holder, app, name),
          CHECK (points >= 0 OR name = 'issued')
        );
        CREATE TABLE points_entry (
          holder TEXT NOT NULL,
          number BIGINT NOT NULL,
          transaction_id TEXT NOT NULL,
          kind TEXT NOT NULL,
          app TEXT NOT NULL,
          debit TEXT NOT NULL,
          credit TEXT NOT NULL,
          points BIGINT NOT NULL CHECK (points > 0),
          minutes BIGINT NOT NULL,
          points_per_minute BIGINT NOT NULL,
          reward TEXT NOT NULL,
          reversed_id TEXT,
          balance BIGINT NOT NULL,
          actor_id TEXT NOT NULL,
          occurred_at BIGINT NOT NULL,
          PRIMARY KEY (holder, number)
        );
        CREATE INDEX points_entry_by_transaction ON points_entry (holder, transaction_id);
        CREATE INDEX points_entry_by_app ON points_entry (holder, app, number);
        CREATE UNIQUE INDEX points_entry_by_reversed ON points_entry (holder, reversed_id, app)
          WHERE reversed_id IS NOT NULL;
        CREATE TRIGGER points_entry_is_final BEFORE UPDATE ON points_entry
        BEGIN
          SELECT RAISE(ABORT, 'entries of the points ledger never change');
        END;
        CREATE TABLE points_reward (
          holder TEXT NOT NULL,
          reward TEXT NOT NULL,
          ends_at BIGINT NOT NULL,
          PRIMARY KEY (holder, reward)
        );
        """
    ),
    Migration(
      version: 5,
      sql: """
        CREATE TABLE metered_usage (
          kind TEXT NOT NULL,
          id TEXT NOT NULL,
          feature TEXT NOT NULL,
          period TEXT NOT NULL,
          starts_at BIGINT NOT NULL,
          used BIGINT NOT NULL CHECK (used >= 0),
          PRIMARY KEY (kind, id, feature, period, starts_at)
        );
        CREATE INDEX metered_usage_by_time ON metered_usage (starts_at);
        """
    ),
    Migration(
      version: 6,
      sql: """
        CREATE TABLE entitlement_change (
          kind TEXT NOT NULL,
          id TEXT NOT NULL,
          version BIGINT NOT NULL,
          place BIGINT NOT NULL,
          occurs_at BIGINT NOT NULL,
          is_planned INTEGER NOT NULL CHECK (is_planned IN (0, 1)),
          cause TEXT NOT NULL,
          effect TEXT NOT NULL,
          part TEXT NOT NULL,
          name TEXT NOT NULL,
          ends_at BIGINT,
          request_id TEXT NOT NULL,
          PRIMARY KEY (kind, id, version, place)
        );
        CREATE INDEX entitlement_change_by_time ON entitlement_change (occurs_at);
        CREATE TABLE scheduled_change (
          kind TEXT NOT NULL,
          subject_id TEXT NOT NULL,
          id TEXT NOT NULL,
          effective_at BIGINT NOT NULL,
          tier TEXT NOT NULL,
          paid_until BIGINT,
          PRIMARY KEY (kind, subject_id, id)
        );
        CREATE TABLE redemption (
          kind TEXT NOT NULL,
          id TEXT NOT NULL,
          promotion TEXT NOT NULL,
          redeemed_at BIGINT NOT NULL,
          ends_at BIGINT NOT NULL,
          PRIMARY KEY (kind, id, promotion)
        );
        CREATE INDEX redemption_by_end ON redemption (kind, id, ends_at);
        CREATE TABLE promotion_count (
          promotion TEXT PRIMARY KEY,
          redeemed BIGINT NOT NULL CHECK (redeemed > 0)
        );
        ALTER TABLE purchase ADD COLUMN is_upgraded INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE purchase ADD COLUMN offer_type BIGINT;
        ALTER TABLE purchase ADD COLUMN offer_identifier TEXT;
        ALTER TABLE purchase ADD COLUMN offer_discount_type TEXT;
        ALTER TABLE purchase ADD COLUMN auto_renew_status BIGINT;
        ALTER TABLE purchase ADD COLUMN renewal_product_id TEXT;
        ALTER TABLE purchase ADD COLUMN is_in_billing_retry INTEGER;
        ALTER TABLE purchase ADD COLUMN expiration_intent BIGINT;
        ALTER TABLE purchase ADD COLUMN renews_at BIGINT;
        ALTER TABLE purchase ADD COLUMN renewal_offer_type BIGINT;
        ALTER TABLE purchase ADD COLUMN renewal_offer_identifier TEXT;
        ALTER TABLE purchase ADD COLUMN renewal_offer_discount_type TEXT;
        ALTER TABLE purchase ADD COLUMN refund_requested_at BIGINT;
        ALTER TABLE purchase ADD COLUMN refund_request_reason TEXT;
        ALTER TABLE purchase ADD COLUMN refund_signed_at BIGINT;
        """
    ),
    Migration(
      version: 7,
      // Identifiers of transactions grow with time, so new ones go to the end of their index, and a write does
      // not change a page of its own for each holder.
      sql: """
        DROP INDEX points_entry_by_transaction;
        CREATE INDEX points_entry_by_transaction ON points_entry (transaction_id);
        """
    ),
    Migration(
      version: 8,
      // Anyone who acted may be deleted and then has a pseudonym; everything else of an entry is final.
      sql: """
        \(Tombstones.table)
        DROP TRIGGER points_entry_is_final;
        CREATE TRIGGER points_entry_is_final BEFORE UPDATE ON points_entry WHEN
          (OLD.holder, OLD.number, OLD.transaction_id, OLD.kind, OLD.app, OLD.debit, OLD.credit,
            OLD.points, OLD.minutes, OLD.points_per_minute, OLD.reward, OLD.reversed_id,
            OLD.balance, OLD.occurred_at)
          IS NOT
          (NEW.holder, NEW.number, NEW.transaction_id, NEW.kind, NEW.app, NEW.debit, NEW.credit,
            NEW.points, NEW.minutes, NEW.points_per_minute, NEW.reward, NEW.reversed_id,
            NEW.balance, NEW.occurred_at)
        BEGIN
          SELECT RAISE(ABORT, 'entries of the points ledger never change');
        END;
        """,
      postgresTriggers: """
        CREATE FUNCTION points_entry_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN
            RAISE EXCEPTION 'entries of the points ledger never change';
          END $$;
        CREATE TRIGGER points_entry_is_final BEFORE UPDATE ON points_entry FOR EACH ROW WHEN (
          (OLD.holder, OLD.number, OLD.transaction_id, OLD.kind, OLD.app, OLD.debit, OLD.credit,
            OLD.points, OLD.minutes, OLD.points_per_minute, OLD.reward, OLD.reversed_id,
            OLD.balance, OLD.occurred_at)
          IS DISTINCT FROM
          (NEW.holder, NEW.number, NEW.transaction_id, NEW.kind, NEW.app, NEW.debit, NEW.credit,
            NEW.points, NEW.minutes, NEW.points_per_minute, NEW.reward, NEW.reversed_id,
            NEW.balance, NEW.occurred_at)
        ) EXECUTE FUNCTION points_entry_is_final();
        """
    ),
    Migration(
      version: 9,
      // Whether what is used up was ever given follows from who has it, or had it: of an erased user's purchase
      // the digest is gone.
      sql: """
        ALTER TABLE purchase ADD COLUMN is_consumable INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE purchase ADD COLUMN is_granted INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE purchase ADD COLUMN previous_transaction_id TEXT;
        ALTER TABLE purchase ADD COLUMN previous_product_id TEXT;
        ALTER TABLE purchase ADD COLUMN previous_purchased_at BIGINT;
        ALTER TABLE purchase ADD COLUMN previous_expires_at BIGINT;
        ALTER TABLE purchase ADD COLUMN previous_grace_until BIGINT;
        ALTER TABLE purchase ADD COLUMN previous_revoked_at BIGINT;
        ALTER TABLE purchase ADD COLUMN previous_is_upgraded INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE purchase ADD COLUMN previous_signed_at BIGINT;
        UPDATE purchase SET is_granted = 1 WHERE payload_digest = '' OR EXISTS (
          SELECT 1 FROM purchase_holder WHERE purchase_holder.environment = purchase.environment
            AND purchase_holder.original_transaction_id = purchase.original_transaction_id);
        CREATE INDEX purchase_by_token ON purchase (app_account_token)
          WHERE app_account_token IS NOT NULL;
        """
    ),
    EarnClockTable.migration,
    PurchaseBindingTable.migration,
    PointsRequestTable.migration,
    PurchaseTable.namingMigration,
    PointsRuleTable.migration,
    EntitlementChangeTable.dueMigration,
    // Reports and erasures by scope are TenancyService's; here it was a quarter of the pages of a redemption.
    Migration(version: 16, sql: "DROP INDEX audit_log_by_scope;"),
    // The history of one app goes along all entries of its holder: the index was two fifths of a redemption's pages.
    Migration(version: 17, sql: "DROP INDEX points_entry_by_app;"),
  ]
}
