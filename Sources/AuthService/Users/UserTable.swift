internal import ServiceKit

/// Users and their passwords in the store.
enum UserTable {
  private static let facts = """
    user.id, email, email_verified, display_name, first_name, last_name, default_portfolio, \
    default_property, default_unit, created_at, updated_at, language, photo_url, time_zone
    """
  private static let columns = "\(facts), settings, activities"
  /// Without what applications keep, which is much for a list.
  private static let listColumns = "\(facts), '{}', '[]'"

  /// Whether signing in takes a second factor: as a column, so that it costs no query of its own.
  private static let needsSecondFactor =
    "EXISTS (SELECT 1 FROM totp WHERE totp.user_id = user.id AND confirmed_at IS NOT NULL)"

  private static func record(_ row: borrowing Row) -> UserRecord {
    var defaults = UserDefaults()
    defaults.portfolio = DefaultChoice(stored: row.optionalText(6))
    defaults.property = DefaultChoice(stored: row.optionalText(7))
    defaults.unit = DefaultChoice(stored: row.optionalText(8))
    var profile = UserProfile()
    profile.photoURL = row.text(12)
    profile.timeZone = row.text(13)
    profile.settings = row.text(14)
    profile.activities = row.text(15)
    return UserRecord(
      id: row.text(0),
      email: row.text(1),
      isEmailVerified: row.boolean(2),
      displayName: row.text(3),
      firstName: row.text(4),
      lastName: row.text(5),
      defaults: defaults,
      created: row.integer(9),
      updated: row.integer(10),
      language: row.text(11),
      profile: profile
    )
  }

  static func find(
    _ id: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> UserRecord? {
    try tx.first("SELECT \(columns) FROM user WHERE id = ?", .text(id)) { record($0) }
  }

  /// Throws USER_NOT_FOUND when there is none.
  static func require(
    _ id: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> UserRecord {
    guard let user = try find(id, in: tx) else { throw AuthError.userNotFound }
    return user
  }

  /// The user of an address, the stored password, and what a sign-in rests on.
  ///
  /// One query with joins, so that an unknown address costs what a known one does. Of two accounts of one
  /// mailbox (`MailboxKeys`) it is that of the spelling. A disabled account has no
  /// password here: everything that checks one treats it like an account that never had any.
  static func findForSignIn(
    _ email: EmailAddress,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> (user: UserRecord, password: String?, basis: SignInBasis)? {
    try tx.first(
      """
      SELECT \(columns), iif(\(isDisabled), NULL, password), coalesce(version, 0), session_endings,
        \(needsSecondFactor)
      FROM user LEFT JOIN credential ON credential.user_id = user.id WHERE \(hasAddress)
      """,
      .text(email.key),
      .text(email.formerKey)
    ) { row in
      (
        record(row), row.optionalText(16),
        SignInBasis(
          passwordVersion: row.integer(17),
          sessionEndings: row.integer(18),
          needsSecondFactor: row.boolean(19)
        )
      )
    }
  }

  /// The user of an address.
  static func holder(
    of email: EmailAddress,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> UserRecord? {
    try tx.first(
      "SELECT \(columns) FROM user WHERE \(hasAddress)",
      .text(email.key),
      .text(email.formerKey)
    ) { record($0) }
  }

  /// Finds the user of an address: ?1 is its key, ?2 its former key.
  private static let hasAddress =
    "email_key IN (?1, ?2) ORDER BY email_key = ?2 DESC LIMIT 1"

  /// Whether a user can sign in with a password, as far as there is one.
  static func hasPassword(
    _ userID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> Bool {
    try tx.exists(
      "SELECT 1 FROM credential WHERE user_id = ? AND password <> ''",
      .text(userID)
    )
  }

  /// The basis of a sign-in of a user now; nil without a user, and for one whose account is disabled.
  ///
  /// Every sign-in asks this in the transaction that begins its session, whatever proved who the user is. So
  /// this is where a disabled account is kept from having sessions.
  static func basis(
    of userID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> SignInBasis? {
    try tx.first(
      """
      SELECT coalesce(version, 0), session_endings, \(needsSecondFactor) FROM user
      LEFT JOIN credential ON credential.user_id = user.id WHERE user.id = ? AND NOT \(isDisabled)
      """,
      .text(userID)
    ) { row in
      SignInBasis(
        passwordVersion: row.integer(0),
        sessionEndings: row.integer(1),
        needsSecondFactor: row.boolean(2)
      )
    }
  }

  /// Ends the sign-ins of a user that are in progress: see `SignInBasis`.
  static func countSessionEnding(of userID: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "UPDATE user SET session_endings = session_endings + 1 WHERE id = ?",
      .text(userID)
    )
  }

  /// Whether a row of `user` is a disabled account.
  private static let isDisabled =
    "EXISTS (SELECT 1 FROM disabled_user WHERE disabled_user.user_id = user.id)"

  /// Where pages begin, behind an account with exactly the address: greater than every identifier, which are
  /// ASCII.
  private static let start = "\u{7F}"

  /// The cursor of the page after one that ends with `user`.
  static func cursor(after user: UserRecord, of text: String) -> String {
    user.address.key == EmailAddress(text).key ? start : user.id
  }

  /// Users whose address or a name begins with `text`, without regard to ASCII case, or all.
  ///
  /// The one with exactly this address comes first, then newest first, from the one after `cursor` on.
  /// The others come without what applications keep.
  static func page(
    _ text: String,
    _ state: AccountState?,
    before cursor: String?,
    limit: Int,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [UserRecord] {
    let others = try page(text, state, before: cursor ?? start, others: limit, in: tx)
    guard cursor == nil, !text.isEmpty,
      let exact = try holder(of: EmailAddress(text), in: tx)
    else { return others }
    let isFound =
      try state == nil || state == DisablementTable.find(exact.id, in: tx).accountState
    return isFound ? [exact] + others.prefix(limit - 1) : others
  }

  /// As `page`, without the account that has exactly the address.
  private static func page(
    _ text: String,
    _ state: AccountState?,
    before end: String,
    others limit: Int,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [UserRecord] {
    let condition =
      switch state {
      case nil: ""
      case .active: "AND id NOT IN (SELECT user_id FROM disabled_user)"
      // The few that are disabled are looked up, rather than all accounts looked at.
      case .disabled: "AND id IN (SELECT user_id FROM disabled_user)"
      }
    guard !text.isEmpty else {
      return try tx.query(
        "SELECT \(listColumns) FROM user WHERE id < ? \(condition) ORDER BY id DESC LIMIT ?",
        .text(end),
        .integer(limit)
      ) { record($0) }
    }
    // A range of an index for each, as LIKE could not use one.
    let matches = ["email_key", "lower(display_name)", "lower(first_name)", "lower(last_name)"]
      .map { "SELECT rowid FROM user WHERE \($0) >= ?1 AND \($0) < ?2" }
    let key = EmailAddress(text).key
    return try tx.query(
      """
      SELECT \(listColumns) FROM user WHERE rowid IN (\(matches.joined(separator: " UNION ")))
      AND email_key <> ?1 AND id < ?3 \(condition) ORDER BY id DESC LIMIT ?4
      """,
      .text(key),
      .text(key + "\u{10FFFF}"),
      .text(end),
      .integer(limit)
    ) { record($0) }
  }

  static func insert(
    _ user: UserRecord,
    password: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      INSERT INTO user (id, email, email_key, email_verified, display_name, first_name, last_name,
        default_portfolio, default_property, default_unit, created_at, updated_at, language)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .text(user.id),
      .text(user.email),
      .text(user.address.key),
      .boolean(user.isEmailVerified),
      .text(user.displayName),
      .text(user.firstName),
      .text(user.lastName),
      .optionalText(user.defaults.portfolio.stored),
      .optionalText(user.defaults.property.stored),
      .optionalText(user.defaults.unit.stored),
      .integer(user.created),
      .integer(user.updated),
      .text(user.language)
    )
    try tx.execute(
      "INSERT INTO credential (user_id, password, changed_at) VALUES (?, ?, ?)",
      .text(user.id),
      .text(password),
      .integer(user.created)
    )
  }

  /// Writes names, defaults, the language, the picture and the time zone.
  static func update(_ user: UserRecord, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      UPDATE user SET display_name = ?, first_name = ?, last_name = ?, default_portfolio = ?,
        default_property = ?, default_unit = ?, updated_at = ?, language = ?, photo_url = ?,
        time_zone = ? WHERE id = ?
      """,
      .text(user.displayName),
      .text(user.firstName),
      .text(user.lastName),
      .optionalText(user.defaults.portfolio.stored),
      .optionalText(user.defaults.property.stored),
      .optionalText(user.defaults.unit.stored),
      .integer(user.updated),
      .text(user.language),
      .text(user.profile.photoURL),
      .text(user.profile.timeZone),
      .text(user.id)
    )
  }

  /// Writes the address, whether it is verified, and when that was changed.
  ///
  /// The address must be nobody else's.
  static func changeEmail(
    of userID: String,
    to email: EmailAddress,
    isVerified: Bool,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      UPDATE user SET email = ?, email_key = ?, email_verified = ?, updated_at = ? WHERE id = ?
      """,
      .text(email.text),
      .text(email.key),
      .boolean(isVerified),
      .integer(now),
      .text(userID)
    )
  }

  /// Writes a new password.
  static func changePassword(
    of userID: String,
    to new: String,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "UPDATE credential SET password = ?, changed_at = ?, version = version + 1 WHERE user_id = ?",
      .text(new),
      .integer(now),
      .text(userID)
    )
  }

  /// Imported fast digests that wait to be wrapped; the index `credential_fast` has them.
  static func fastPasswords(
    limit: Int,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [(userID: String, password: String)] {
    try tx.query(
      "SELECT user_id, password FROM credential WHERE substr(password, 1, 5) = 'fast:' LIMIT ?",
      .integer(limit)
    ) { ($0.text(0), $0.text(1)) }
  }

  /// Writes a new record of the same password, unless another one was written in between.
  static func renewPassword(
    of userID: String,
    _ old: String,
    by new: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "UPDATE credential SET password = ? WHERE user_id = ? AND password = ?",
      .text(new),
      .text(userID),
      .text(old)
    )
  }

  /// Writes the settings of a user's applications.
  static func changeSettings(
    of userID: String,
    to settings: String,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "UPDATE user SET settings = ?, updated_at = ? WHERE id = ?",
      .text(settings),
      .integer(now),
      .text(userID)
    )
  }

  /// Writes what a user does regularly.
  static func changeActivities(
    of userID: String,
    to activities: String,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "UPDATE user SET activities = ?, updated_at = ? WHERE id = ?",
      .text(activities),
      .integer(now),
      .text(userID)
    )
  }
}
