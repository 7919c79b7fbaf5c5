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

/// The tables `purchase` and `purchase_holder`.
enum PurchaseTable {
  /// The purchase of an original transaction, if it is known.
  static func load(
    _ environment: PurchaseEnvironment,
    _ originalTransactionID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> PurchaseRecord? {
    try tx.first(
      "SELECT \(columns) FROM purchase WHERE environment = ? AND original_transaction_id = ?",
      .text(environment.rawValue),
      .text(originalTransactionID)
    ) { record($0) }
  }

  /// The purchases that a user bought or shares, as far as they can have a say.
  ///
  /// Of each product in each environment: the newest, which says why there is nothing, and the one
  /// that lasts longest, which says what there is. So a user with thousands of purchases takes no more
  /// memory and time at each check than there are products. Besides them a few subscriptions whose period
  /// before the newest can be worth something else than that: an Apple account has one for each group of
  /// subscriptions.
  static func held(
    by userID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [Purchase] {
    try tx.query(
      """
      SELECT \(columns) FROM (
        SELECT *,
          row_number() OVER (
            PARTITION BY environment, product_id, is_split ORDER BY purchased_at DESC, id) AS by_date,
          row_number() OVER (
            PARTITION BY environment, product_id, is_split ORDER BY
              CASE WHEN revoked_at IS NULL AND withdrawn_at IS NULL AND is_upgraded = 0
                THEN 0 ELSE 1 END,
              CASE WHEN expires_at IS NULL THEN 0 ELSE 1 END,
              CASE WHEN grace_until > expires_at THEN grace_until ELSE expires_at END DESC,
              purchased_at DESC,
              id) AS by_end,
          row_number() OVER (PARTITION BY is_split ORDER BY purchased_at DESC, id) AS by_split
        FROM (
          SELECT \(columns),
            CASE WHEN previous_product_id IS NULL OR (previous_product_id = product_id
              AND revoked_at IS NULL AND withdrawn_at IS NULL AND is_upgraded = 0)
              THEN 0 ELSE 1 END AS is_split
          FROM purchase JOIN purchase_holder USING (environment, original_transaction_id)
          WHERE user_id = ?
        ) AS mine
      ) AS held
      WHERE (is_split = 1 AND by_split <= ?) OR (is_split = 0 AND (by_date = 1 OR by_end = 1))
      ORDER BY purchased_at, id
      """,
      .text(userID),
      .integer(splitCountMax)
    ) { record($0).purchase }
  }

  /// Subscriptions of one user whose last two periods are worth different things, at most.
  static let splitCountMax = 32

  /// A page of what a user bought or shares, newest first, after the given place.
  static func page(
    of userID: String,
    after place: PurchasePlace?,
    count: Int,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [PurchaseRecord] {
    try tx.query(
      """
      SELECT \(columns) FROM purchase JOIN purchase_holder
        USING (environment, original_transaction_id)
      WHERE user_id = ? AND (purchased_at < ? OR (purchased_at = ? AND purchase.id < ?))
      ORDER BY purchased_at DESC, purchase.id DESC LIMIT ?
      """,
      .text(userID),
      .integer(place?.purchasedAt ?? .max),
      .integer(place?.purchasedAt ?? .max),
      .text(place?.id ?? ""),
      .integer(count)
    ) { record($0) }
  }

  /// Purchases of an application's user in Apple's terms.
  static func made(
    by appTransactionID: String,
    _ environment: PurchaseEnvironment,
    in tx: borrowing WriteTransaction
  ) throws -> [PurchaseRecord] {
    try tx.query(
      "SELECT \(columns) FROM purchase WHERE environment = ? AND app_transaction_id = ?",
      .text(environment.rawValue),
      .text(appTransactionID)
    ) { record($0) }
  }

  /// Writes a purchase, new or known.
  static func save(_ record: PurchaseRecord, in tx: borrowing WriteTransaction) throws {
    let purchase = record.purchase
    let names = columns.split(separator: ", ").map(String.init)
    let updates = names.dropFirst(3).map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    try tx.execute(
      """
      INSERT INTO purchase (\(columns))
      VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
      ON CONFLICT (environment, original_transaction_id) DO UPDATE SET \(updates)
      """,
      values: [
        .text(purchase.environment.rawValue), .text(purchase.originalTransactionID),
        .text(record.id), .text(purchase.transactionID), .text(purchase.productID),
        .boolean(purchase.isRenewed), .boolean(purchase.isFamilyShared),
        .integer(purchase.purchasedAt), .optionalInteger(purchase.expiresAt),
        .optionalInteger(purchase.graceUntil), .optionalInteger(purchase.revokedAt),
        .boolean(purchase.isUnshared), .optionalInteger(purchase.refundedShare),
        .optionalInteger(purchase.withdrawnAt), .integer(purchase.signedAt),
        .optionalInteger(purchase.renewalSignedAt), .optionalText(purchase.appAccountToken),
        .optionalText(purchase.appTransactionID), .text(record.payloadDigest),
        .text(record.leafSerial), .boolean(record.isTest), .integer(record.transferCount),
        .integer(record.transfersSince), .boolean(purchase.isUpgraded),
        .optionalInteger(purchase.offer?.type), .optionalText(purchase.offer?.identifier),
        .optionalText(purchase.offer?.discountType),
        .optionalInteger(purchase.renewal?.autoRenewStatus),
        .optionalText(purchase.renewal?.productID),
        .optionalInteger(purchase.renewal.map { $0.isInBillingRetry ? 1 : 0 }),
        .optionalInteger(purchase.renewal?.expirationIntent),
        .optionalInteger(purchase.renewal?.renewsAt),
        .optionalInteger(purchase.renewal?.offer?.type),
        .optionalText(purchase.renewal?.offer?.identifier),
        .optionalText(purchase.renewal?.offer?.discountType),
        .optionalInteger(purchase.refundRequest?.requestedAt),
        .optionalText(purchase.refundRequest?.reason), .optionalInteger(purchase.refundSignedAt),
        .boolean(purchase.isConsumable), .boolean(record.isGranted),
        .optionalText(purchase.previous?.transactionID),
        .optionalText(purchase.previous?.productID),
        .optionalInteger(purchase.previous?.purchasedAt),
        .optionalInteger(purchase.previous?.expiresAt),
        .optionalInteger(purchase.previous?.graceUntil),
        .optionalInteger(purchase.previous?.revokedAt),
        .boolean(purchase.previous?.isUpgraded ?? false),
        .optionalInteger(purchase.previous?.signedAt),
      ]
    )
  }

  /// The holders of a purchase, in the order they came.
  static func holders(
    of purchase: Purchase,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [String] {
    try tx.query(
      """
      SELECT user_id FROM purchase_holder
      WHERE environment = ? AND original_transaction_id = ? ORDER BY claimed_at, user_id
      """,
      .text(purchase.environment.rawValue),
      .text(purchase.originalTransactionID)
    ) { $0.text(0) }
  }

  /// Gives a purchase to one more user.
  static func addHolder(
    _ userID: String,
    of purchase: Purchase,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      INSERT INTO purchase_holder (environment, original_transaction_id, user_id, claimed_at)
      VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING
      """,
      .text(purchase.environment.rawValue),
      .text(purchase.originalTransactionID),
      .text(userID),
      .integer(tx.now)
    )
  }

  /// Takes a purchase from everyone.
  static func removeHolders(of purchase: Purchase, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "DELETE FROM purchase_holder WHERE environment = ? AND original_transaction_id = ?",
      .text(purchase.environment.rawValue),
      .text(purchase.originalTransactionID)
    )
  }

  private static let columns = """
    environment, original_transaction_id, id, transaction_id, product_id, is_renewed, \
    is_family_shared, purchased_at, expires_at, grace_until, revoked_at, is_unshared, \
    refunded_share, withdrawn_at, signed_at, renewal_signed_at, app_account_token, \
    app_transaction_id, payload_digest, leaf_serial, is_test, transfer_count, transfers_since, \
    is_upgraded, offer_type, offer_identifier, offer_discount_type, auto_renew_status, \
    renewal_product_id, is_in_billing_retry, expiration_intent, renews_at, renewal_offer_type, \
    renewal_offer_identifier, renewal_offer_discount_type, refund_requested_at, \
    refund_request_reason, refund_signed_at, is_consumable, is_granted, previous_transaction_id, \
    previous_product_id, previous_purchased_at, previous_expires_at, previous_grace_until, \
    previous_revoked_at, previous_is_upgraded, previous_signed_at
    """

  private static func record(_ row: borrowing Row) -> PurchaseRecord {
    PurchaseRecord(
      id: row.text(2),
      purchase: Purchase(
        environment: PurchaseEnvironment(rawValue: row.text(0)) ?? .sandbox,
        originalTransactionID: row.text(1),
        transactionID: row.text(3),
        productID: row.text(4),
        isRenewed: row.boolean(5),
        isFamilyShared: row.boolean(6),
        purchasedAt: row.integer(7),
        expiresAt: row.optionalInteger(8),
        graceUntil: row.optionalInteger(9),
        revokedAt: row.optionalInteger(10),
        isUnshared: row.boolean(11),
        refundedShare: row.optionalInteger(12),
        withdrawnAt: row.optionalInteger(13),
        signedAt: row.integer(14),
        renewalSignedAt: row.optionalInteger(15),
        appAccountToken: row.optionalText(16),
        appTransactionID: row.optionalText(17),
        isUpgraded: row.boolean(23),
        offer: offer(row, 24),
        renewal: renewal(row),
        refundRequest: row.optionalInteger(35).map {
          Purchase.RefundRequest(requestedAt: $0, reason: row.optionalText(36))
        },
        refundSignedAt: row.optionalInteger(37),
        isConsumable: row.boolean(38),
        previous: previous(row)
      ),
      payloadDigest: row.text(18),
      leafSerial: row.text(19),
      isTest: row.boolean(20),
      transferCount: row.integer(21),
      transfersSince: row.integer(22),
      isGranted: row.boolean(39)
    )
  }
}

extension PurchaseTable {
  /// The offer in three columns, if there is one.
  private static func offer(_ row: borrowing Row, _ column: Int) -> Purchase.Offer? {
    row.optionalInteger(column).map { type in
      Purchase.Offer(
        type: type,
        identifier: row.optionalText(column + 1),
        discountType: row.optionalText(column + 2)
      )
    }
  }

  private static func previous(_ row: borrowing Row) -> Purchase.Period? {
    guard let transactionID = row.optionalText(40) else { return nil }
    return Purchase.Period(
      transactionID: transactionID,
      productID: row.text(41),
      purchasedAt: row.integer(42),
      expiresAt: row.optionalInteger(43),
      graceUntil: row.optionalInteger(44),
      revokedAt: row.optionalInteger(45),
      isUpgraded: row.boolean(46),
      signedAt: row.integer(47)
    )
  }

  private static func renewal(_ row: borrowing Row) -> Purchase.Renewal? {
    guard let isInBillingRetry = row.optionalInteger(29) else { return nil }
    return Purchase.Renewal(
      autoRenewStatus: row.optionalInteger(27),
      productID: row.optionalText(28),
      isInBillingRetry: isInBillingRetry == 1,
      expirationIntent: row.optionalInteger(30),
      renewsAt: row.optionalInteger(31),
      offer: offer(row, 32)
    )
  }
}

/// Where a page of purchases ended.
struct PurchasePlace: Hashable, Sendable {
  var purchasedAt: Int64
  var id: String
}
