internal import ServiceKit

/// Passkeys in the store, and what authenticators call their users.
enum PasskeyTable {
  static let columns = RecordColumns<PasskeyRecord>(
    "passkey",
    .text("id", \.id),
    .blob("credential_id", \.credentialID),
    .text("user_id", \.userID),
    .blob("public_key", \.publicKey),
    .integer("sign_count") { Int64($0.signCount) },
    .boolean("backup_eligible", \.isBackupEligible),
    .boolean("backed_up", \.isBackedUp),
    .text("transports") { $0.transports.joined(separator: " ") },
    .blob("model", \.model),
    .text("attestation", \.attestation.rawValue),
    .text("relying_party", \.relyingParty),
    .text("name", \.name),
    .boolean("address_proven", \.isAddressProven),
    .integer("created_at", \.created),
    .optionalInteger("last_used_at", \.lastUsed),
    .optionalInteger("counter_fell_at", \.counterFell)
  ) { row in
    PasskeyRecord(
      id: row.text(),
      credentialID: row.blob(),
      userID: row.text(),
      publicKey: row.blob(),
      signCount: UInt32(clamping: row.integer()),
      isBackupEligible: row.boolean(),
      isBackedUp: row.boolean(),
      transports: row.text().split(separator: " ").map(String.init),
      model: row.blob(),
      attestation: Attestation.Outcome(rawValue: row.text()) ?? .unverified,
      relyingParty: row.text(),
      name: row.text(),
      isAddressProven: row.boolean(),
      created: row.integer(),
      lastUsed: row.optionalInteger(),
      counterFell: row.optionalInteger()
    )
  }

  /// The columns that a use changes.
  private static let use = columns.update(
    "sign_count",
    "backup_eligible",
    "backed_up",
    "last_used_at",
    "counter_fell_at",
    where: "id = ?"
  )

  /// The passkey with a credential identifier, of any user.
  static func find(
    _ credentialID: [UInt8],
    in tx: borrowing some Queryable
  ) throws -> PasskeyRecord? {
    try tx.first(columns, "WHERE credential_id = ?", .blob(credentialID))
  }

  /// A user's passkeys, oldest first.
  static func list(of userID: String, in tx: borrowing some Queryable) throws -> [PasskeyRecord] {
    try tx.query(columns, "WHERE user_id = ? ORDER BY created_at, id", .text(userID))
  }

  static func insert(_ passkey: PasskeyRecord, in tx: borrowing WriteTransaction) throws {
    try tx.insert(passkey, columns)
  }

  /// Writes what a use changes.
  static func updateUse(of passkey: PasskeyRecord, in tx: borrowing WriteTransaction) throws {
    try tx.update(passkey, use, .text(passkey.id))
  }

  /// Whether there was such a passkey of the user.
  static func rename(
    _ id: String,
    of userID: String,
    to name: String,
    in tx: borrowing WriteTransaction
  ) throws -> Bool {
    try tx.rowsChanged(
      by: "UPDATE passkey SET name = ? WHERE id = ? AND user_id = ?",
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
    try tx.rowsChanged(
      by: "DELETE FROM passkey WHERE id = ? AND user_id = ?",
      .text(id),
      .text(userID)
    ) > 0
  }

  /// Deletes all of a user; how many there were.
  static func deleteAll(of userID: String, in tx: borrowing WriteTransaction) throws -> Int {
    try tx.rowsChanged(by: "DELETE FROM passkey WHERE user_id = ?", .text(userID))
  }

  /// Deletes those that were registered before anybody had proven the account's address; how many
  /// there were.
  ///
  /// The one who made the account with an address of somebody else could have left one there.
  static func deleteUnproven(of userID: String, in tx: borrowing WriteTransaction) throws -> Int {
    try tx.rowsChanged(
      by: "DELETE FROM passkey WHERE user_id = ? AND address_proven = 0",
      .text(userID)
    )
  }

  /// Notes that anyone who registered a user's passkeys reads the mail of the account's address.
  static func markProven(of userID: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "UPDATE passkey SET address_proven = 1 WHERE user_id = ? AND address_proven = 0",
      .text(userID)
    )
  }

  // MARK: - User handles

  /// The authenticators' name of a user; nil before the first passkey.
  static func handle(of userID: String, in tx: borrowing some Queryable) throws -> [UInt8]? {
    try tx.first("SELECT handle FROM passkey_user WHERE user_id = ?", .text(userID)) {
      $0.blob(0)
    }
  }

  /// The authenticators' name of a user from now on; `new` unless there is one already.
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
