internal import ServiceKit

/// Users and their passwords in the store.
enum UserTable {
  private static let columns = """
    user.id, email, email_verified, display_name, first_name, last_name, default_portfolio, \
    default_property, default_unit, created_at, updated_at
    """

  private static func record(_ row: borrowing Row) -> UserRecord {
    var defaults = UserDefaults()
    defaults.portfolio = DefaultChoice(stored: row.optionalText(6))
    defaults.property = DefaultChoice(stored: row.optionalText(7))
    defaults.unit = DefaultChoice(stored: row.optionalText(8))
    return UserRecord(
      id: row.text(0),
      email: row.text(1),
      isEmailVerified: row.boolean(2),
      displayName: row.text(3),
      firstName: row.text(4),
      lastName: row.text(5),
      defaults: defaults,
      created: row.integer(9),
      updated: row.integer(10)
    )
  }

  static func find(
    _ id: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> UserRecord? {
    try tx.first("SELECT \(columns) FROM user WHERE id = ?", .text(id)) { record($0) }
  }

  /// The user of an address and the stored password.
  ///
  /// One query with a join, so that an unknown address costs what a known one does.
  static func findForSignIn(
    _ email: EmailAddress,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> (user: UserRecord, password: String?)? {
    try tx.first(
      """
      SELECT \(columns), password FROM user
      LEFT JOIN credential ON credential.user_id = user.id WHERE email_key = ?
      """,
      .text(email.key)
    ) { row in
      (record(row), row.optionalText(11))
    }
  }

  static func password(
    of userID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> String? {
    try tx.first("SELECT password FROM credential WHERE user_id = ?", .text(userID)) { row in
      row.text(0)
    }
  }

  static func isTaken(
    _ email: EmailAddress,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> Bool {
    try tx.exists("SELECT 1 FROM user WHERE email_key = ?", .text(email.key))
  }

  static func insert(
    _ user: UserRecord,
    password: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      INSERT INTO user (id, email, email_key, email_verified, display_name, first_name, last_name,
        default_portfolio, default_property, default_unit, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .text(user.id),
      .text(user.email),
      .text(EmailAddress(user.email).key),
      .boolean(user.isEmailVerified),
      .text(user.displayName),
      .text(user.firstName),
      .text(user.lastName),
      .optionalText(user.defaults.portfolio.stored),
      .optionalText(user.defaults.property.stored),
      .optionalText(user.defaults.unit.stored),
      .integer(user.created),
      .integer(user.updated)
    )
    try tx.execute(
      "INSERT INTO credential (user_id, password, changed_at) VALUES (?, ?, ?)",
      .text(user.id),
      .text(password),
      .integer(user.created)
    )
  }

  /// Writes names and defaults.
  static func update(_ user: UserRecord, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      UPDATE user SET display_name = ?, first_name = ?, last_name = ?, default_portfolio = ?,
        default_property = ?, default_unit = ?, updated_at = ? WHERE id = ?
      """,
      .text(user.displayName),
      .text(user.firstName),
      .text(user.lastName),
      .optionalText(user.defaults.portfolio.stored),
      .optionalText(user.defaults.property.stored),
      .optionalText(user.defaults.unit.stored),
      .integer(user.updated),
      .text(user.id)
    )
  }

  /// Writes a password in the place of another; false when that one is no longer there, because a
  /// change came in between.
  static func replacePassword(
    of userID: String,
    _ old: String,
    by new: String,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> Bool {
    try tx.execute(
      "UPDATE credential SET password = ?, changed_at = ? WHERE user_id = ? AND password = ?",
      .text(new),
      .integer(now),
      .text(userID),
      .text(old)
    ) == 1
  }
}
