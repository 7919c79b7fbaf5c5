internal import ServiceKit

/// The table `notification`: everything that Apple sent, without its text.
enum NotificationTable {
  /// Remembers a notification; false when it was there before.
  static func insert(
    _ verified: Verified<AppleNotification>,
    outcome: String,
    in tx: borrowing WriteTransaction
  ) throws -> Bool {
    let notification = verified.payload
    return try tx.rowsChanged(
      by: """
        INSERT INTO notification
          (environment, uuid, type, subtype, signed_at, received_at, original_transaction_id,
           payload_digest, leaf_serial, outcome)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """,
      .text(verified.evidence.environment.rawValue),
      .text(notification.uuid),
      .text(notification.type),
      .optionalText(notification.subtype),
      .optionalInteger(notification.signedDate),
      .integer(tx.now),
      .optionalText(notification.transaction?.payload.originalTransactionID),
      .text(verified.evidence.payloadDigest),
      .text(verified.evidence.leafSerial),
      .text(outcome)
    ) > 0
  }

  /// Forgets notifications that came before `instant` (milliseconds since 1970); how many.
  @discardableResult
  static func purge(before instant: Int64, from store: ServiceStore) async throws -> Int {
    try await store.database.purge(
      "notification",
      "received_at",
      before: instant,
      by: "environment, uuid"
    )
  }

  /// Says what became of a notification.
  static func setOutcome(
    _ outcome: String,
    of verified: Verified<AppleNotification>,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "UPDATE notification SET outcome = ? WHERE environment = ? AND uuid = ?",
      .text(outcome),
      .text(verified.evidence.environment.rawValue),
      .text(verified.payload.uuid)
    )
  }
}
