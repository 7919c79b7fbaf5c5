internal import ServiceKit

/// Tokens of mails in the store.
enum MailTokenTable {
  /// How long a token is kept after it expired, in milliseconds: a request that used it may be repeated.
  private static let keptAfterEnd: Int64 = 24 * 3_600_000

  static let columns = RecordColumns<MailToken>(
    "mail_token",
    beside: ["expires_at"],
    .blob("digest", \.digest),
    .text("purpose", \.purpose.rawValue),
    .optionalText("user_id", \.userID),
    .text("address_key", \.addressKey),
    .text("address", \.address),
    .text("session_id", \.sessionID),
    .boolean("was_verified", \.wasVerified),
    .integer("created_at", \.created),
    .optionalInteger("used_at", \.used)
  ) { row in
    MailToken(
      digest: row.blob(),
      purpose: try row.text(as: MailToken.Purpose.self),
      userID: row.optionalText(),
      addressKey: row.text(),
      address: row.text(),
      sessionID: row.text(),
      wasVerified: row.boolean(),
      created: row.integer(),
      used: row.optionalInteger()
    )
  }

  static func find(_ digest: [UInt8], in tx: borrowing some Queryable) throws -> MailToken? {
    try tx.first(columns, "WHERE digest = ?", .blob(digest))
  }

  static func insert(_ token: MailToken, in tx: borrowing WriteTransaction) throws {
    try tx.insert(token, columns, beside: .integer(token.expires))
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
    in tx: borrowing some Queryable
  ) throws -> Bool {
    try tx.exists(
      """
      SELECT 1 FROM account WHERE email_key IN (?1, ?5) AND id IS DISTINCT FROM ?2
      UNION ALL
      SELECT 1 FROM mail_token WHERE address_key IN (?1, ?5) AND purpose = ?3
        AND user_id IS DISTINCT FROM ?2 AND used_at IS NULL AND expires_at > ?4
      """,
      .text(email.key),
      .optionalText(userID),
      .text(MailToken.Purpose.undoEmailChange.rawValue),
      .integer(now),
      .text(email.formerKey)
    )
  }
}
