internal import ServiceKit

/// Identities of accounts in the store.
enum IdentityTable {
  private static let columns = """
    id, issuer, subject, provider, user_id, email, private_email, mail_stopped, linked_at, used_at, \
    newest_token, withdrawn_at
    """

  private static func record(_ row: borrowing Row) -> LinkedIdentity {
    LinkedIdentity(
      id: row.text(0),
      issuer: row.text(1),
      subject: row.text(2),
      provider: row.text(3),
      userID: row.text(4),
      email: row.text(5),
      isPrivateEmail: row.boolean(6),
      isMailStopped: row.boolean(7),
      linked: row.integer(8),
      used: row.optionalInteger(9),
      newestToken: row.integer(10),
      withdrawn: row.optionalInteger(11)
    )
  }

  /// The identity of a person at a provider.
  static func find(
    issuer: String,
    subject: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> LinkedIdentity? {
    try tx.first(
      "SELECT \(columns) FROM identity WHERE issuer = ? AND subject = ?",
      .text(issuer),
      .text(subject)
    ) { record($0) }
  }

  /// The identities of a user, oldest first.
  static func list(
    of userID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [LinkedIdentity] {
    try tx.query(
      "SELECT \(columns) FROM identity WHERE user_id = ? ORDER BY linked_at, id",
      .text(userID)
    ) { record($0) }
  }

  /// Whether Apple does not forward mail to an address of a user at present.
  static func isMailStopped(
    to email: EmailAddress,
    of userID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> Bool {
    try tx.exists(
      "SELECT 1 FROM identity WHERE user_id = ? AND mail_stopped = 1 AND lower(email) = ?",
      .text(userID),
      .text(email.key)
    )
  }

  static func insert(_ identity: LinkedIdentity, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "INSERT INTO identity (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      .text(identity.id),
      .text(identity.issuer),
      .text(identity.subject),
      .text(identity.provider),
      .text(identity.userID),
      .text(identity.email),
      .boolean(identity.isPrivateEmail),
      .boolean(identity.isMailStopped),
      .integer(identity.linked),
      .optionalInteger(identity.used),
      .integer(identity.newestToken),
      .optionalInteger(identity.withdrawn)
    )
  }

  /// Writes all but what the identity is found by and whose it is.
  static func update(_ identity: LinkedIdentity, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      UPDATE identity SET provider = ?, email = ?, private_email = ?, mail_stopped = ?, used_at = ?,
        newest_token = ?, withdrawn_at = ? WHERE id = ?
      """,
      .text(identity.provider),
      .text(identity.email),
      .boolean(identity.isPrivateEmail),
      .boolean(identity.isMailStopped),
      .optionalInteger(identity.used),
      .integer(identity.newestToken),
      .optionalInteger(identity.withdrawn),
      .text(identity.id)
    )
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
    in tx: borrowing some StoreTransaction & ~Copyable
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
