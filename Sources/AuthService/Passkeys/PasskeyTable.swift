internal import ServiceKit

/// Passkeys in the store, and what authenticators call their users.
enum PasskeyTable {
  private static let columns = """
    id, credential_id, user_id, public_key, sign_count, backup_eligible, backed_up, transports, \
    model, attestation, relying_party, name, address_proven, created_at, last_used_at, counter_fell_at
    """

  private static func record(_ row: borrowing Row) -> PasskeyRecord {
    PasskeyRecord(
      id: row.text(0),
      credentialID: row.blob(1),
      userID: row.text(2),
      publicKey: row.blob(3),
      signCount: UInt32(clamping: row.integer(4)),
      isBackupEligible: row.boolean(5),
      isBackedUp: row.boolean(6),
      transports: row.text(7).split(separator: " ").map(String.init),
      model: row.blob(8),
      attestation: Attestation.Outcome(rawValue: row.text(9)) ?? .unverified,
      relyingParty: row.text(10),
      name: row.text(11),
      isAddressProven: row.boolean(12),
      created: row.integer(13),
      lastUsed: row.optionalInteger(14),
      counterFell: row.optionalInteger(15)
    )
  }

  /// The passkey that authenticators call so, whoever has it.
  static func find(
    _ credentialID: [UInt8],
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> PasskeyRecord? {
    try tx.first("SELECT \(columns) FROM passkey WHERE credential_id = ?", .blob(credentialID)) {
      record($0)
    }
  }

  /// A user's passkeys, oldest first.
  static func list(
    of userID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [PasskeyRecord] {
    try tx.query(
      "SELECT \(columns) FROM passkey WHERE user_id = ? ORDER BY created_at, id",
      .text(userID)
    ) { record($0) }
  }

  static func insert(_ passkey: PasskeyRecord, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      INSERT INTO passkey (\(columns))
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .text(passkey.id),
      .blob(passkey.credentialID),
      .text(passkey.userID),
      .blob(passkey.publicKey),
      .integer(Int64(passkey.signCount)),
      .boolean(passkey.isBackupEligible),
      .boolean(passkey.isBackedUp),
      .text(passkey.transports.joined(separator: " ")),
      .blob(passkey.model),
      .text(passkey.attestation.rawValue),
      .text(passkey.relyingParty),
      .text(passkey.name),
      .boolean(passkey.isAddressProven),
      .integer(passkey.created),
      .optionalInteger(passkey.lastUsed),
      .optionalInteger(passkey.counterFell)
    )
  }

  /// Writes what a use changes.
  static func updateUse(of passkey: PasskeyRecord, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      UPDATE passkey SET sign_count = ?, backup_eligible = ?, backed_up = ?, last_used_at = ?,
        counter_fell_at = ? WHERE id = ?
      """,
      .integer(Int64(passkey.signCount)),
      .boolean(passkey.isBackupEligible),
      .boolean(passkey.isBackedUp),
      .optionalInteger(passkey.lastUsed),
      .optionalInteger(passkey.counterFell),
      .text(passkey.id)
    )
  }

  /// Whether there was such a passkey of the user.
  static func rename(
    _ id: String,
    of userID: String,
    to name: String,
    in tx: borrowing WriteTransaction
  ) throws -> Bool {
    try tx.execute(
      "UPDATE passkey SET name = ? WHERE id = ? AND user_id = ?",
      .text(name),
      .text(id),
      .text(userID)
    ) > 0
  }

  /// Whether there was such a passkey of the user.
  static func delete(
    _ id: String,
    of userID: String,
    in tx: borrowing WriteTransaction
  ) throws -> Bool {
    try tx.execute(
      "DELETE FROM passkey WHERE id = ? AND user_id = ?",
      .text(id),
      .text(userID)
    ) > 0
  }

  /// Deletes all of a user; how many there were.
  static func deleteAll(of userID: String, in tx: borrowing WriteTransaction) throws -> Int {
    try tx.execute("DELETE FROM passkey WHERE user_id = ?", .text(userID))
  }

  /// Deletes those that were registered before anybody had proven the account's address; how many
  /// there were.
  ///
  /// Whoever made the account with an address of somebody else could have left one there.
  static func deleteUnproven(of userID: String, in tx: borrowing WriteTransaction) throws -> Int {
    try tx.execute(
      "DELETE FROM passkey WHERE user_id = ? AND address_proven = 0",
      .text(userID)
    )
  }

  /// Notes that whoever registered a user's passkeys reads the mail of the account's address.
  static func markProven(of userID: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "UPDATE passkey SET address_proven = 1 WHERE user_id = ? AND address_proven = 0",
      .text(userID)
    )
  }

  // MARK: - User handles

  /// What authenticators call a user; nil before the first passkey.
  static func handle(
    of userID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [UInt8]? {
    try tx.first("SELECT handle FROM passkey_user WHERE user_id = ?", .text(userID)) {
      $0.blob(0)
    }
  }

  /// What authenticators call a user from now on; `new` unless they call it something already.
  static func handle(
    of userID: String,
    orNew new: [UInt8],
    in tx: borrowing WriteTransaction
  ) throws -> [UInt8] {
    if let handle = try handle(of: userID, in: tx) { return handle }
    try tx.execute(
      "INSERT INTO passkey_user (user_id, handle) VALUES (?, ?)",
      .text(userID),
      .blob(new)
    )
    return new
  }
}
