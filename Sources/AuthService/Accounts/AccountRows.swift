internal import ServiceKit

/// The rows that are one account's alone.
///
/// They are in every table that has a column `user_id`, whichever those are: so a new table of accounts is
/// erased without anybody thinking of it.
enum AccountRows {
  /// Tables with such a column that are looked after for themselves: the account, its mails, which may be
  /// on their way, the deletion, what TenancyService is to know, which changes while rows of the others go, and
  /// revocations, which count until the last token has ended and name the pseudonym in the meantime.
  private static let others: Set<String> = [
    "account", "mail", "deletion", "account_report", "revocation",
  ]

  /// Leaves an account without credentials, sessions and names, and its address to anyone who wants it.
  ///
  /// The account itself goes last: what has yet to be erased elsewhere is known by it.
  static func empty(
    _ userID: String,
    pseudonym: String,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    let tables = try tx.storeColumns().filter { $0.name == "user_id" }.map(\.table)
      .filter { !others.contains($0) }
    for table in tables {
      try tx.execute("DELETE FROM \"\(table)\" WHERE user_id = ?", .text(userID))
    }
    try AccountChangeTable.replaceOperator(userID, by: pseudonym, in: tx)
    try tx.execute(
      """
      UPDATE account SET email = ?, email_key = ?, email_verified = 0, display_name = '',
        first_name = '', last_name = '', default_portfolio = NULL, default_property = NULL,
        default_unit = NULL, language = '', updated_at = ? WHERE id = ?
      """,
      .text(pseudonym),
      .text(pseudonym),
      .integer(now),
      .text(userID)
    )
  }

  /// When the last mail to the user is tried next; nil once it was sent or given up.
  static func nextFarewell(of userID: String, in tx: borrowing some Queryable) throws -> Int64? {
    try tx.first(
      "SELECT due_at FROM mail WHERE user_id = ? AND kind = ? AND state IN (?, ?)",
      .text(userID),
      .text(MailKind.deletionDone.rawValue),
      .integer(MailRecord.State.queued.rawValue),
      .integer(MailRecord.State.sending.rawValue)
    ) { $0.integer(0) }
  }

  /// The account's mails that are in the outbox or were, the last one excepted, which anyone who delivers mails
  /// is to have; nil while one of them is being sent.
  static func mails(
    of userID: String,
    now: Int64,
    in tx: borrowing some Queryable
  ) throws -> [String]? {
    let isSending = try tx.exists(
      "SELECT 1 FROM mail WHERE user_id = ? AND state = ? AND due_at > ?",
      .text(userID),
      .integer(MailRecord.State.sending.rawValue),
      .integer(now)
    )
    guard !isSending else { return nil }
    return try tx.query(
      "SELECT id FROM mail WHERE user_id = ? AND kind <> ?",
      .text(userID),
      .text(MailKind.deletionDone.rawValue)
    ) { $0.text(0) }
  }

  /// Gives the account's mails up that wait: they would be for nobody.
  ///
  /// They stay in the store until the account goes, because one of them may have been handed over by an
  /// attempt that ended with its process.
  static func giveUpMails(of userID: String, now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "UPDATE mail SET state = ?, finished_at = ? WHERE user_id = ? AND state = ?",
      .integer(MailRecord.State.dead.rawValue),
      .integer(now),
      .text(userID),
      .integer(MailRecord.State.queued.rawValue)
    )
  }

  /// Deletes the account and what is left of it in other rows: the address in what operators looked for.
  static func remove(
    _ userID: String,
    addresses: [String],
    attempts: [[UInt8]],
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute("DELETE FROM mail WHERE user_id = ?", .text(userID))
    try tx.execute("DELETE FROM account_report WHERE user_id = ?", .text(userID))
    try tx.execute("DELETE FROM account WHERE id = ?", .text(userID))
    for subject in attempts {
      try tx.execute("DELETE FROM attempt WHERE subject = ?", .blob(subject))
    }
    let keys = addresses.map { EmailAddress($0) }.flatMap { [$0.key, $0.formerKey] }
    for key in Set(keys).sorted() {
      // Of resets that were asked for and nobody looked up yet.
      try tx.execute(
        "DELETE FROM mail_token WHERE address_key = ? AND user_id IS NULL",
        .text(key)
      )
      // As `Operators.ListUsers` records it, in quotes: so no longer address that ends alike is touched.
      try tx.execute(
        """
        UPDATE audit_log SET detail = substr(detail, 1, instr(lower(detail), ?1) - 1) || '"[deleted]"'
          || substr(detail, instr(lower(detail), ?1) + length(?1))
        WHERE object = '' AND instr(lower(detail), ?1) > 0
        """,
        .text("\"\(key)\"")
      )
    }
    try tx.forgetAnswers(to: userID, naming: addresses)
  }
}
