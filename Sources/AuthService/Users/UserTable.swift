internal import ServiceKit

/// Users and their passwords in the store.
enum UserTable {
  static let columns = RecordColumns<UserRecord>(
    "account",
    beside: ["email_key", "proven_at"],
    .text("id", \.id),
    .text("email", \.email),
    .boolean("email_verified", \.isEmailVerified),
    .text("display_name", \.displayName),
    .text("first_name", \.firstName),
    .text("last_name", \.lastName),
    .optionalText("default_portfolio", \.defaults.portfolio.stored),
    .optionalText("default_property", \.defaults.property.stored),
    .optionalText("default_unit", \.defaults.unit.stored),
    .integer("created_at", \.created),
    .integer("updated_at", \.updated),
    .text("language", \.language),
    .text("photo_url", \.profile.photoURL),
    .text("time_zone", \.profile.timeZone),
    .text("settings", \.profile.settings),
    .text("activities", \.profile.activities),
    .integer("revision", \.revision)
  ) { row in
    UserRecord(
      id: row.text(),
      email: row.text(),
      isEmailVerified: row.boolean(),
      displayName: row.text(),
      firstName: row.text(),
      lastName: row.text(),
      defaults: UserDefaults(
        portfolio: DefaultChoice(stored: row.optionalText()),
        property: DefaultChoice(stored: row.optionalText()),
        unit: DefaultChoice(stored: row.optionalText())
      ),
      created: row.integer(),
      updated: row.integer(),
      language: row.text(),
      profile: UserProfile(
        photoURL: row.text(),
        timeZone: row.text(),
        settings: row.text(),
        activities: row.text()
      ),
      revision: row.integer()
    )
  }

  /// Without what applications keep, which is much for a list.
  private static let listColumns = columns.list
    .replacing("settings, activities", with: "'{}', '[]'")

  /// The columns that a user changes in a profile.
  private static let profile = columns.update(
    "display_name",
    "first_name",
    "last_name",
    "default_portfolio",
    "default_property",
    "default_unit",
    "updated_at",
    "language",
    "photo_url",
    "time_zone",
    "revision",
    where: "id = ?"
  )

  private static let applicationData = columns.update(
    "settings",
    "activities",
    "updated_at",
    "revision",
    where: "id = ?"
  )

  private static let withCredential =
    "account LEFT JOIN credential ON credential.user_id = account.id"

  /// The basis of a sign-in, which is selected and never written.
  static let basisColumns = RecordColumns<SignInBasis>(
    withCredential,
    .integer("coalesce(version, 0)", \.passwordVersion),
    .integer("session_endings", \.sessionEndings),
    .boolean(
      // As a column, so that a second factor costs no query of its own.
      """
      CASE WHEN EXISTS (SELECT 1 FROM totp
        WHERE totp.user_id = account.id AND confirmed_at IS NOT NULL) THEN 1 ELSE 0 END
      """,
      \.needsSecondFactor
    )
  ) { row in
    SignInBasis(
      passwordVersion: row.integer(),
      sessionEndings: row.integer(),
      needsSecondFactor: row.boolean()
    )
  }

  // Made once, because every sign-in runs them.
  private static let selectForSignIn = """
    SELECT CASE WHEN \(isDisabled) THEN NULL ELSE password END, \(basisColumns.list), \(columns.list)
    FROM \(withCredential) WHERE \(hasAddress)
    """
  private static let selectBasis = """
    \(basisColumns.selection) WHERE account.id = ? AND NOT \(isDisabled)
    """

  static func find(_ id: String, in tx: borrowing some Queryable) throws -> UserRecord? {
    try tx.first(columns, "WHERE id = ?", .text(id))
  }

  /// Throws USER_NOT_FOUND when there is none.
  static func require(_ id: String, in tx: borrowing some Queryable) throws -> UserRecord {
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
    in tx: borrowing some Queryable
  ) throws -> (password: String?, basis: SignInBasis, user: UserRecord)? {
    try tx.first(selectForSignIn, .text(email.key), .text(email.formerKey)) {
      ($0.optionalText(0), try basisColumns.record($0, at: 1), try columns.record($0, at: 4))
    }
  }

  /// The user of an address.
  static func holder(
    of email: EmailAddress,
    in tx: borrowing some Queryable
  ) throws -> UserRecord? {
    try tx.first(columns, "WHERE \(hasAddress)", .text(email.key), .text(email.formerKey))
  }

  /// Finds the user of an address: ?1 is its key, ?2 its former key.
  private static let hasAddress =
    "email_key IN (?1, ?2) ORDER BY email_key = ?2 DESC LIMIT 1"

  /// Whether a user can sign in with a password, as far as there is one.
  static func hasPassword(_ userID: String, in tx: borrowing some Queryable) throws -> Bool {
    try tx.exists(
      "SELECT 1 FROM credential WHERE user_id = ? AND password <> ''",
      .text(userID)
    )
  }

  /// The basis of a sign-in of a user now; nil without a user, and for one whose account is disabled.
  ///
  /// Every sign-in asks this in the transaction that begins its session, whatever proved who the user is. So
  /// this is where a disabled account is kept from having sessions.
  static func basis(of userID: String, in tx: borrowing some Queryable) throws -> SignInBasis? {
    try tx.first(selectBasis, .text(userID)) { try basisColumns.record($0) }
  }

  /// Ends the sign-ins of a user that are in progress: see `SignInBasis`.
  static func countSessionEnding(of userID: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "UPDATE account SET session_endings = session_endings + 1 WHERE id = ?",
      .text(userID)
    )
  }

  /// Whether a row of `account` is a disabled account.
  private static let isDisabled =
    "EXISTS (SELECT 1 FROM disabled_user WHERE disabled_user.user_id = account.id)"

  /// Where pages begin, behind an account with exactly the address: before all identifiers, in either order.
  private static let start = ""

  /// The cursor of the page after one that ends with `user`.
  static func cursor(after user: UserRecord, of text: String) -> String {
    user.address.key == EmailAddress(text).key ? start : user.id
  }

  /// Users whose address or a name begins with `text`, without regard to ASCII case, or all.
  ///
  /// The one with exactly this address comes first, then the others by age, from the one after `cursor` on.
  /// The others come without what applications keep.
  static func page(
    _ text: String,
    _ state: AccountState?,
    after cursor: String?,
    _ direction: ListDirection,
    skipping skippedCount: Int,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [UserRecord] {
    func others(skipping count: Int) throws -> [UserRecord] {
      let place = cursor.map { $0.isEmpty ? direction.firstText : $0 } ?? direction.firstText
      return try page(text, state, after: place, direction, skipping: count, limit: limit, in: tx)
    }
    guard cursor == nil, !text.isEmpty,
      let exact = try holder(of: EmailAddress(text), in: tx)
    else { return try others(skipping: skippedCount) }
    let isFound =
      try state == nil || state == DisablementTable.find(exact.id, in: tx).accountState
    guard isFound else { return try others(skipping: skippedCount) }
    guard skippedCount == 0 else { return try others(skipping: skippedCount - 1) }
    return try [exact] + others(skipping: 0).prefix(limit - 1)
  }

  /// As `page`, without the account that has exactly the address.
  private static func page(
    _ text: String,
    _ state: AccountState?,
    after place: String,
    _ direction: ListDirection,
    skipping skippedCount: Int,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [UserRecord] {
    let condition =
      switch state {
      case nil: ""
      case .active: "AND id NOT IN (SELECT user_id FROM disabled_user)"
      // The few that are disabled are looked up, rather than all accounts looked at.
      case .disabled: "AND id IN (SELECT user_id FROM disabled_user)"
      }
    let (comparison, order) = (direction.comparison, "id \(direction.keyword)")
    guard !text.isEmpty else {
      return try tx.query(
        """
        SELECT \(listColumns) FROM account WHERE id \(comparison) ? \(condition)
        ORDER BY \(order) LIMIT ? OFFSET ?
        """,
        .text(place),
        .integer(limit),
        .integer(skippedCount)
      ) { try columns.record($0) }
    }
    // A range of an index for each, as LIKE could not use one.
    let matches = ["email_key", "lower(display_name)", "lower(first_name)", "lower(last_name)"]
      .map { "SELECT id FROM account WHERE \($0) >= ?1 AND \($0) < ?2" }
    let key = EmailAddress(text).key
    return try tx.query(
      """
      SELECT \(listColumns) FROM account WHERE id IN (\(matches.joined(separator: " UNION ")))
      AND email_key <> ?1 AND id \(comparison) ?3 \(condition) ORDER BY \(order) LIMIT ?4 OFFSET ?5
      """,
      .text(key),
      .text(key + "\u{10FFFF}"),
      .text(place),
      .integer(limit),
      .integer(skippedCount)
    ) { try columns.record($0) }
  }

  static func insert(
    _ user: UserRecord,
    password: String,
    in tx: borrowing WriteTransaction
  ) throws {
    let proven: SQLValue = user.isEmailVerified ? .integer(user.created) : .null
    try tx.insert(user, columns, beside: .text(user.address.key), proven)
    if user.isEmailVerified { try AddressProofs.log(user.id, in: tx) }
    try tx.execute(
      "INSERT INTO credential (user_id, password, changed_at) VALUES (?, ?, ?)",
      .text(user.id),
      .text(password),
      .integer(user.created)
    )
  }

  /// Writes names, defaults, the language, the picture and the time zone, under the next revision.
  static func update(_ user: inout UserRecord, in tx: borrowing WriteTransaction) throws {
    user.revision += 1
    try tx.update(user, profile, .text(user.id))
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
    let isKnown = try tx.exists(
      "SELECT 1 FROM account WHERE id = ? AND email_verified = 1 AND email_key = ?",
      .text(userID),
      .text(email.key)
    )
    let isNewlyProven = isVerified && !isKnown
    try tx.execute(
      """
      UPDATE account SET email = ?, email_key = ?, email_verified = ?, updated_at = ?,
        proven_at = coalesce(?, proven_at), revision = revision + 1 WHERE id = ?
      """,
      .text(email.text),
      .text(email.key),
      .boolean(isVerified),
      .integer(now),
      isNewlyProven ? .integer(now) : .null,
      .text(userID)
    )
    if isNewlyProven { try AddressProofs.log(userID, in: tx) }
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
    in tx: borrowing some Queryable
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

  /// Writes what applications keep with an account: settings, and what its user does regularly.
  static func updateApplicationData(
    of user: UserRecord,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    var user = user
    user.updated = now
    try tx.update(user, applicationData, .text(user.id))
  }
}
