internal import ServiceKit

/// Tokens of mails in the store.
enum MailTokenTable {
  /// How long a token is kept after it expired, in milliseconds: a request that used it may be repeated.
  private static let keptAfterEnd: Int64 = 24 * 3_600_000

  static func find(
    _ digest: [UInt8],
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> MailToken? {
    try tx.first(
      """
      SELECT purpose, user_id, address_key, address, session_id, was_verified, created_at, used_at
      FROM mail_token WHERE digest = ?
      """,
      .blob(digest)
    ) { row -> MailToken? in
      guard let purpose = MailToken.Purpose(rawValue: row.text(0)) else { return nil }
      return MailToken(
        digest: digest,
        purpose: purpose,
        userID: row.optionalText(1),
        addressKey: row.text(2),
        address: row.text(3),
        sessionID: row.text(4),
        wasVerified: row.boolean(5),
        created: row.integer(6),
        used: row.optionalInteger(7)
      )
    } ?? nil
  }

  static func insert(_ token: MailToken, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      INSERT INTO mail_token (digest, purpose, user_id, address_key, address, session_id,
        was_verified, created_at, expires_at, used_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .blob(token.digest),
      .text(token.purpose.rawValue),
      .optionalText(token.userID),
      .text(token.addressKey),
      .text(token.address),
      .text(token.sessionID),
      .boolean(token.wasVerified),
      .integer(token.created),
      .integer(token.expires),
      .optionalInteger(token.used)
    )
  }

  /// Makes a token that was sent for an address that of the account, now that there is one.
  static func bind(_ digest: [UInt8], to userID: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "UPDATE mail_token SET user_id = ? WHERE digest = ? AND user_id IS NULL",
      .text(userID),
      .blob(digest)
    )
  }

  static func markUsed(_ digest: [UInt8], now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "UPDATE mail_token SET used_at = ? WHERE digest = ?",
      .integer(now),
      .blob(digest)
    )
  }

  static func delete(_ digest: [UInt8], in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM mail_token WHERE digest = ?", .blob(digest))
  }

  /// Makes the tokens for an address void that nobody used: a newer one relieves them.
  static func deleteUnused(
    _ purpose: MailToken.Purpose,
    forAddress key: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "DELETE FROM mail_token WHERE address_key = ? AND purpose = ? AND used_at IS NULL",
      .text(key),
      .text(purpose.rawValue)
    )
  }

  /// Makes a user's tokens of a purpose void that nobody used.
  static func deleteUnused(
    _ purpose: MailToken.Purpose,
    of userID: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "DELETE FROM mail_token WHERE user_id = ? AND purpose = ? AND used_at IS NULL",
      .text(userID),
      .text(purpose.rawValue)
    )
  }

  /// Deletes those that expired so long ago that nobody repeats a request with them.
  static func prune(now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "DELETE FROM mail_token WHERE expires_at < ?",
      .integer(now.subtractingSaturated(keptAfterEnd))
    )
  }
}

extension UserTable {
  /// Whether an address belongs to another account than that of `userID`: to one that has it, or to one that
  /// had it and may take it back (`MailToken.Purpose.undoEmailChange`).
  static func isTaken(
    _ email: EmailAddress,
    exceptBy userID: String? = nil,
    now: Int64,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> Bool {
    try tx.exists(
      """
      SELECT 1 FROM user WHERE email_key IN (?1, ?5) AND id IS NOT ?2
      UNION ALL
      SELECT 1 FROM mail_token WHERE address_key IN (?1, ?5) AND purpose = ?3 AND user_id IS NOT ?2
        AND used_at IS NULL AND expires_at > ?4
      """,
      .text(email.key),
      .optionalText(userID),
      .text(MailToken.Purpose.undoEmailChange.rawValue),
      .integer(now),
      .text(email.formerKey)
    )
  }
}
