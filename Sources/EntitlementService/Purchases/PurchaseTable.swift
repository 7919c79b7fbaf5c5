internal import ServiceKit

/// A purchase as it is stored.
struct PurchaseRecord: Hashable, Sendable {
  /// Its identifier, `pur_…`.
  let id: String
  var purchase: Purchase
  /// The evidence of the newest data: digest, serial number, whether the root was a test's.
  var payloadDigest: String
  var leafSerial: String
  var isTest: Bool
  /// How often it changed hands since the instant beside it.
  var transferCount: Int64 = 0
  var transfersSince: Int64 = 0
  /// Whether somebody has held it.
  var isGranted = false

  /// Where it stands in the list of a user's purchases.
  var place: PurchasePlace { PurchasePlace(purchasedAt: purchase.purchasedAt, id: id) }
}

/// The table `purchase`.
enum PurchaseTable {
  static let columns = RecordColumns<PurchaseRecord>(
    "purchase",
    .text("store", \.purchase.store),
    .text("environment", \.purchase.environment.rawValue),
    .text("original_transaction_id", \.purchase.originalTransactionID),
    .text("id", \.id),
    .text("transaction_id", \.purchase.transactionID),
    .text("product_id", \.purchase.productID),
    .boolean("is_renewed", \.purchase.isRenewed),
    .boolean("is_family_shared", \.purchase.isFamilyShared),
    .integer("purchased_at", \.purchase.purchasedAt),
    .optionalInteger("expires_at", \.purchase.expiresAt),
    .optionalInteger("grace_until", \.purchase.graceUntil),
    .optionalInteger("revoked_at", \.purchase.revokedAt),
    .boolean("is_unshared", \.purchase.isUnshared),
    .optionalInteger("refunded_share", \.purchase.refundedShare),
    .optionalInteger("withdrawn_at", \.purchase.withdrawnAt),
    .integer("signed_at", \.purchase.signedAt),
    .optionalInteger("renewal_signed_at", \.purchase.renewalSignedAt),
    .optionalText("named_user_id", \.purchase.namedUserID),
    .optionalText("customer_reference", \.purchase.customerReference),
    .boolean("is_upgraded", \.purchase.isUpgraded),
    .optionalInteger("offer_type", \.purchase.offer?.kind.rawValue),
    .optionalText("offer_identifier", \.purchase.offer?.identifier),
    .optionalText("offer_discount_type", \.purchase.offer?.discountType),
    .optionalInteger("is_in_billing_retry") {
      $0.purchase.renewal.map { $0.isInBillingRetry ? 1 : 0 }
    },
    .optionalInteger("auto_renew_status") {
      $0.purchase.renewal?.willRenew.map { $0 ? 1 : 0 }
    },
    .optionalText("renewal_product_id", \.purchase.renewal?.productID),
    .optionalInteger("expiration_intent", \.purchase.renewal?.expirationReason?.rawValue),
    .optionalInteger("renews_at", \.purchase.renewal?.renewsAt),
    .optionalInteger("renewal_offer_type", \.purchase.renewal?.offer?.kind.rawValue),
    .optionalText("renewal_offer_identifier", \.purchase.renewal?.offer?.identifier),
    .optionalText("renewal_offer_discount_type", \.purchase.renewal?.offer?.discountType),
    .optionalInteger("refund_requested_at", \.purchase.refundRequest?.requestedAt),
    .optionalText("refund_request_reason", \.purchase.refundRequest?.reason),
    .optionalInteger("refund_signed_at", \.purchase.refundSignedAt),
    .boolean("is_consumable", \.purchase.isConsumable),
    .integer("quantity", \.purchase.quantity),
    .optionalText("previous_transaction_id", \.purchase.previous?.transactionID),
    .optionalText("previous_product_id", \.purchase.previous?.productID),
    .optionalInteger("previous_purchased_at", \.purchase.previous?.purchasedAt),
    .optionalInteger("previous_expires_at", \.purchase.previous?.expiresAt),
    .optionalInteger("previous_grace_until", \.purchase.previous?.graceUntil),
    .optionalInteger("previous_revoked_at", \.purchase.previous?.revokedAt),
    .boolean("previous_is_upgraded") { $0.purchase.previous?.isUpgraded ?? false },
    .optionalInteger("previous_signed_at", \.purchase.previous?.signedAt),
    .text("payload_digest", \.payloadDigest),
    .text("leaf_serial", \.leafSerial),
    .boolean("is_test", \.isTest),
    .integer("transfer_count", \.transferCount),
    .integer("transfers_since", \.transfersSince),
    .boolean("is_granted", \.isGranted)
  ) { row in
    let store = row.text()
    let environment = PurchaseEnvironment(rawValue: row.text()) ?? .sandbox
    let originalTransactionID = row.text()
    return PurchaseRecord(
      id: row.text(),
      purchase: Purchase(
        store: store,
        environment: environment,
        originalTransactionID: originalTransactionID,
        transactionID: row.text(),
        productID: row.text(),
        isRenewed: row.boolean(),
        isFamilyShared: row.boolean(),
        purchasedAt: row.integer(),
        expiresAt: row.optionalInteger(),
        graceUntil: row.optionalInteger(),
        revokedAt: row.optionalInteger(),
        isUnshared: row.boolean(),
        refundedShare: row.optionalInteger(),
        withdrawnAt: row.optionalInteger(),
        signedAt: row.integer(),
        renewalSignedAt: row.optionalInteger(),
        namedUserID: row.optionalText(),
        customerReference: row.optionalText(),
        isUpgraded: row.boolean(),
        offer: offer(&row),
        renewal: renewal(&row),
        refundRequest: row.group(of: 2) { row in
          Purchase.RefundRequest(requestedAt: row.integer(), reason: row.optionalText())
        },
        refundSignedAt: row.optionalInteger(),
        isConsumable: row.boolean(),
        quantity: row.integer(),
        previous: previous(&row)
      ),
      payloadDigest: row.text(),
      leafSerial: row.text(),
      isTest: row.boolean(),
      transferCount: row.integer(),
      transfersSince: row.integer(),
      isGranted: row.boolean()
    )
  }
  private static let saving = columns.upsert(
    on: "store",
    "environment",
    "original_transaction_id",
    keeping: "id"
  )

  /// The purchase of the same original transaction, if it is known.
  static func load(
    _ purchase: Purchase,
    in tx: borrowing some Queryable
  ) throws -> PurchaseRecord? {
    try tx.first(
      columns,
      "WHERE store = ? AND environment = ? AND original_transaction_id = ?",
      .text(purchase.store),
      .text(purchase.environment.rawValue),
      .text(purchase.originalTransactionID)
    )
  }

  /// The purchase of this identifier.
  static func load(
    id: String,
    in tx: borrowing some Queryable
  ) throws -> PurchaseRecord? {
    try tx.first(columns, "WHERE id = ?", .text(id))
  }

  /// The purchases that a subject has, as far as they can have a say.
  ///
  /// Of each product in each environment: the newest, which says why there is nothing, and the one
  /// that lasts longest, which says what there is. So a user with thousands of purchases takes no more
  /// memory and time at each check than there are products. Besides them a few subscriptions whose period
  /// before the newest can be worth something else than that: an account of a store has one for each group of
  /// subscriptions. Those that a subject has only for a time are among these.
  static func held(
    by subject: Subject,
    in tx: borrowing some Queryable
  ) throws -> [Purchase] {
    try tx.query(
      """
      SELECT ends_at, \(columns.list) FROM (
        SELECT *,
          row_number() OVER (
            PARTITION BY store, environment, product_id, is_split
            ORDER BY purchased_at DESC, id) AS by_date,
          row_number() OVER (
            PARTITION BY store, environment, product_id, is_split ORDER BY
              CASE WHEN revoked_at IS NULL AND withdrawn_at IS NULL AND is_upgraded = 0
                THEN 0 ELSE 1 END,
              CASE WHEN expires_at IS NULL THEN 0 ELSE 1 END,
              CASE WHEN grace_until > expires_at THEN grace_until ELSE expires_at END DESC,
              purchased_at DESC,
              id) AS by_end,
          row_number() OVER (PARTITION BY is_split ORDER BY purchased_at DESC, id) AS by_split
        FROM (
          SELECT \(columns.list), ends_at,
            CASE WHEN ends_at IS NULL AND (previous_product_id IS NULL
              OR (previous_product_id = product_id
                AND revoked_at IS NULL AND withdrawn_at IS NULL AND is_upgraded = 0))
              THEN 0 ELSE 1 END AS is_split
          FROM purchase JOIN purchase_binding USING (\(PurchaseBindingTable.key))
          WHERE subject_kind = ? AND subject_id = ?
        ) AS mine
      ) AS held
      WHERE (is_split = 1 AND by_split <= ?) OR (is_split = 0 AND (by_date = 1 OR by_end = 1))
      ORDER BY purchased_at, id
      """,
      subject.stored.kind,
      subject.stored.id,
      .integer(splitCountMax)
    ) { row in
      let record = try columns.record(row, at: 1)
      var purchase = record.purchase
      purchase.storedID = record.id
      return purchase.counting(until: row.optionalInteger(0))
    }
  }

  /// Subscriptions of one subject whose last two periods are worth different things, or that end for it, at most.
  static let splitCountMax = 32

  /// Purchases of an application's customer, as a store refers to it.
  static func made(
    by customerReference: String,
    in store: String,
    _ environment: PurchaseEnvironment,
    in tx: borrowing WriteTransaction
  ) throws -> [PurchaseRecord] {
    try tx.query(
      columns,
      "WHERE environment = ? AND customer_reference = ? AND store = ?",
      .text(environment.rawValue),
      .text(customerReference),
      .text(store)
    )
  }

  /// Writes a purchase, new or known.
  static func save(_ record: PurchaseRecord, in tx: borrowing WriteTransaction) throws {
    try tx.save(record, saving)
  }
}

extension PurchaseTable {
  private static func offer(_ row: inout RowReader) -> Purchase.Offer? {
    row.group(of: 3) { row in
      Purchase.Offer(
        kind: .init(rawValue: row.integer()),
        identifier: row.optionalText(),
        discountType: row.optionalText()
      )
    }
  }

  private static func renewal(_ row: inout RowReader) -> Purchase.Renewal? {
    row.group(of: 8) { row in
      let isInBillingRetry = row.boolean()
      return Purchase.Renewal(
        willRenew: row.optionalInteger().map { $0 == 1 },
        productID: row.optionalText(),
        isInBillingRetry: isInBillingRetry,
        expirationReason: row.optionalInteger().map { .init(rawValue: $0) ?? .other },
        renewsAt: row.optionalInteger(),
        offer: offer(&row)
      )
    }
  }

  private static func previous(_ row: inout RowReader) -> Purchase.Period? {
    row.group(of: 8) { row in
      Purchase.Period(
        transactionID: row.text(),
        productID: row.text(),
        purchasedAt: row.integer(),
        expiresAt: row.optionalInteger(),
        graceUntil: row.optionalInteger(),
        revokedAt: row.optionalInteger(),
        isUpgraded: row.boolean(),
        signedAt: row.integer()
      )
    }
  }
}

/// Where a page of purchases ended.
struct PurchasePlace: Hashable, Sendable {
  var purchasedAt: Int64
  var id: String
}
