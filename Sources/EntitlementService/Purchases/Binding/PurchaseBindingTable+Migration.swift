internal import ServiceKit

extension PurchaseBindingTable {
  private static let copied = """
    environment, original_transaction_id, id, transaction_id, product_id, is_renewed,
      is_family_shared, purchased_at, expires_at, grace_until, revoked_at, is_unshared,
      refunded_share, withdrawn_at, signed_at, renewal_signed_at, app_account_token,
      app_transaction_id, payload_digest, leaf_serial, is_test, transfer_count, transfers_since,
      is_upgraded, offer_type, offer_identifier, offer_discount_type, auto_renew_status,
      renewal_product_id, is_in_billing_retry, expiration_intent, renews_at, renewal_offer_type,
      renewal_offer_identifier, renewal_offer_discount_type, refund_requested_at,
      refund_request_reason, refund_signed_at, is_consumable, is_granted,
      previous_transaction_id, previous_product_id, previous_purchased_at, previous_expires_at,
      previous_grace_until, previous_revoked_at, previous_is_upgraded, previous_signed_at
    """

  /// Purchases name their store, and are bound to a subject of any kind through a buyer; trials have groups.
  static let migration = Migration(
    version: 11,
    sql: """
      CREATE TABLE purchase_of_store (
        store TEXT NOT NULL,
        environment TEXT NOT NULL,
        original_transaction_id TEXT NOT NULL,
        id TEXT NOT NULL UNIQUE,
        transaction_id TEXT NOT NULL,
        product_id TEXT NOT NULL,
        quantity BIGINT NOT NULL DEFAULT 1,
        is_renewed INTEGER NOT NULL,
        is_family_shared INTEGER NOT NULL,
        is_consumable INTEGER NOT NULL DEFAULT 0,
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
        is_granted INTEGER NOT NULL DEFAULT 0,
        is_upgraded INTEGER NOT NULL DEFAULT 0,
        offer_type BIGINT,
        offer_identifier TEXT,
        offer_discount_type TEXT,
        auto_renew_status BIGINT,
        renewal_product_id TEXT,
        is_in_billing_retry INTEGER,
        expiration_intent BIGINT,
        renews_at BIGINT,
        renewal_offer_type BIGINT,
        renewal_offer_identifier TEXT,
        renewal_offer_discount_type TEXT,
        refund_requested_at BIGINT,
        refund_request_reason TEXT,
        refund_signed_at BIGINT,
        previous_transaction_id TEXT,
        previous_product_id TEXT,
        previous_purchased_at BIGINT,
        previous_expires_at BIGINT,
        previous_grace_until BIGINT,
        previous_revoked_at BIGINT,
        previous_is_upgraded INTEGER NOT NULL DEFAULT 0,
        previous_signed_at BIGINT,
        PRIMARY KEY (store, environment, original_transaction_id)
      );
      INSERT INTO purchase_of_store (store, \(copied)) SELECT 'apple', \(copied) FROM purchase;
      CREATE TABLE purchase_binding (
        store TEXT NOT NULL,
        environment TEXT NOT NULL,
        original_transaction_id TEXT NOT NULL,
        subject_kind TEXT NOT NULL,
        subject_id TEXT NOT NULL,
        buyer_id TEXT NOT NULL,
        bound_at BIGINT NOT NULL,
        ends_at BIGINT,
        unproven_end BIGINT,
        PRIMARY KEY (store, environment, original_transaction_id, subject_kind, subject_id),
        FOREIGN KEY (store, environment, original_transaction_id)
          REFERENCES purchase_of_store (store, environment, original_transaction_id)
          ON DELETE CASCADE
      );
      INSERT INTO purchase_binding (store, environment, original_transaction_id, subject_kind,
          subject_id, buyer_id, bound_at)
        SELECT 'apple', environment, original_transaction_id, 'user', user_id, user_id, claimed_at
        FROM purchase_holder;
      DROP TABLE purchase_holder;
      DROP TABLE purchase;
      ALTER TABLE purchase_of_store RENAME TO purchase;
      CREATE INDEX purchase_by_app_transaction ON purchase (environment, app_transaction_id);
      CREATE INDEX purchase_by_token ON purchase (app_account_token)
        WHERE app_account_token IS NOT NULL;
      CREATE INDEX purchase_binding_by_subject ON purchase_binding (subject_id, subject_kind);
      CREATE INDEX purchase_binding_by_buyer ON purchase_binding (buyer_id);
      CREATE INDEX purchase_binding_unproven ON purchase_binding (unproven_end)
        WHERE unproven_end IS NOT NULL;
      CREATE TABLE purchase_points (
        purchase_id TEXT PRIMARY KEY,
        holder TEXT NOT NULL,
        app TEXT NOT NULL,
        points BIGINT NOT NULL,
        missing BIGINT NOT NULL,
        is_refunded INTEGER NOT NULL,
        transaction_id TEXT NOT NULL
      );
      CREATE INDEX purchase_points_by_holder ON purchase_points (holder);
      ALTER TABLE redemption ADD COLUMN trial_group TEXT NOT NULL DEFAULT '';
      UPDATE redemption SET trial_group = promotion;
      """
  )
}
