internal import ServiceKit

/// Identities of accounts in the store.
enum IdentityTable {
  static let columns = RecordColumns<LinkedIdentity>(
    "identity",
    .text("id", \.id),
    .text("issuer", \.issuer),
    .text("subject", \.subject),
    .text("provider", \.provider),
    .text("user_id", \.userID),
    .text("email", \.email),
    .boolean("private_email", \.isPrivateEmail),
    .boolean("mail_stopped", \.isMailStopped),
    .integer("linked_at", \.linked),
    .optionalInteger("used_at", \.used),
    .integer("newest_token", \.newestToken),
    .optionalInteger("withdrawn_at", \.withdrawn)
  ) { row in
    LinkedIdentity(
      id: row.text(),
      issuer: row.text(),
      subject: row.text(),
      provider: row.text(),
      userID: row.text(),
      email: row.text(),
      isPrivateEmail: row.boolean(),
      isMailStopped: row.boolean(),
      linked: row.integer(),
      used: row.optionalInteger(),
      newestToken: row.integer(),
      withdrawn: row.optionalInteger()
    )
  }

  /// All but what the identity is found by and whose it is.
  private static let state = columns.update(
    "provider",
    "email",
    "private_email",
    "mail_stopped",
    "used_at",
    "newest_token",
    "withdrawn_at",
    where: "id = ?"
  )

  /// The identity of a person at a provider.
  static func find(
    issuer: String,
    subject: String,
    in tx: borrowing some Queryable
  ) throws -> LinkedIdentity? {
    try tx.first(columns, "WHERE issuer = ? AND subject = ?", .text(issuer), .text(subject))
  }

  /// The identity that a token is of.
  static func find(
    of claims: IdentityClaims,
    in tx: borrowing some Queryable
  ) throws -> LinkedIdentity? {
    try find(issuer: claims.issuer, subject: claims.subject, in: tx)
  }

  /// The identities of a user, oldest first.
  static func list(of userID: String, in tx: borrowing some Queryable) throws -> [LinkedIdentity] {
    try tx.query(columns, "WHERE user_id = ? ORDER BY linked_at, id", .text(userID))
  }

  /// Whether Apple does not forward mail to an address of a user at present.
  static func isMailStopped(
    to email: EmailAddress,
    of userID: String,
    in tx: borrowing some Queryable
  ) throws -> Bool {
    try tx.exists(
      "SELECT 1 FROM identity WHERE user_id = ? AND mail_stopped = 1 AND lower(email) = ?",
      .text(userID),
      .text(email.key)
    )
  }

  static func insert(_ identity: LinkedIdentity, in tx: borrowing WriteTransaction) throws {
    try tx.insert(identity, columns)
  }

  static func update(_ identity: LinkedIdentity, in tx: borrowing WriteTransaction) throws {
    try tx.update(identity, state, .text(identity.id))
  }

  /// Unlinks one; what its user allowed at Apple is revoked.
  static func delete(_ id: String, in tx: borrowing WriteTransaction) throws {
    try AppleGrantTable.detach(ofIdentity: id, in: tx)
    try tx.execute("DELETE FROM identity WHERE id = ?", .text(id))
  }

  /// Unlinks all identities of a user; gives how many there were.
  static func deleteAll(of userID: String, in tx: borrowing WriteTransaction) throws -> Int {
    let count = try list(of: userID, in: tx).count
    guard count > 0 else { return 0 }
    try AppleGrantTable.detach(of: userID, in: tx)
    try tx.execute("DELETE FROM identity WHERE user_id = ?", .text(userID))
    return count
  }
}

/// Nonces that were used, until they end.
enum UsedNonceTable {
  /// Uses a nonce; false when it was used before.
  static func use(
    _ nonce: SignInNonces.Authentic,
    in tx: borrowing WriteTransaction
  ) throws -> Bool {
    try tx.first(
      """
      INSERT INTO used_nonce (digest, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING
      RETURNING 1
      """,
      .blob(nonce.digest),
      .integer(nonce.expires)
    ) { _ in true } ?? false
  }

  /// Whether a nonce was used.
  static func contains(
    _ nonce: SignInNonces.Authentic,
    in tx: borrowing some Queryable
  ) throws -> Bool {
    try tx.exists("SELECT 1 FROM used_nonce WHERE digest = ?", .blob(nonce.digest))
  }

  /// Forgets nonces that no longer work, and an hour more for clocks that are set back a little.
  static func prune(now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "DELETE FROM used_nonce WHERE expires_at < ?",
      .integer(now.subtractingSaturated(3_600_000))
    )
  }
}

/// Notifications of identity providers that were received.
enum IdentityNotificationTable {
  /// Remembers a notification; false when it was received before.
  static func receive(
    _ id: String,
    issuer: String,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> Bool {
    try tx.first(
      """
      INSERT INTO identity_notification (issuer, id, received_at) VALUES (?, ?, ?)
      ON CONFLICT DO NOTHING RETURNING 1
      """,
      .text(issuer),
      .text(id),
      .integer(now)
    ) { _ in true } ?? false
  }

  /// Forgets those that would be too old to be accepted again.
  static func prune(now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "DELETE FROM identity_notification WHERE received_at < ?",
      .integer(now.subtractingSaturated(2 * AppleEvent.ageMax))
    )
  }
}
