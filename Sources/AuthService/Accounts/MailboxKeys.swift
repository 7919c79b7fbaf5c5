internal import RPCKit
internal import ServiceKit

/// Accounts from before both spellings of a domain were one address.
///
/// Until then `ada@münchen.example` and `ada@xn--mnchen-3ya.example` were two keys, and imports and providers
/// could bring both. Accounts get the key that their address has now. Where another account has it, both keep
/// their data, and the one whose address is not proven loses it; of two that are proven neither does, and an
/// operator decides.
enum MailboxKeys {
  /// The finding.
  struct Outcome: Sendable {
    /// Accounts whose key was changed.
    var rekeyedCount = 0
    /// Accounts that lost their address.
    var freed: [String] = []
    /// Pairs of accounts with one mailbox that have both proven it.
    var shared: [Pair] = []
  }

  /// Two accounts of one mailbox.
  struct Pair: Hashable, Sendable {
    /// The one with the key that the address has now.
    let holder: String
    /// The one with the former key.
    let other: String
    /// The key of both.
    let key: String
  }

  private struct Account: Sendable {
    let id: String
    let email: String
    let key: String
    let isVerified: Bool
    let created: Int64
  }

  /// Whether there is anything to do, which costs a look at each key: 0.1 s for a million.
  static func hasWork(in tx: borrowing some Queryable) throws -> Bool {
    try !outdated(in: tx).isEmpty
  }

  /// Gives every account the key of its address, as far as no other account has proven it.
  static func unify(now: Int64, in tx: borrowing WriteTransaction) throws -> Outcome {
    var outcome = Outcome()
    for account in try outdated(in: tx) {
      let address = EmailAddress(account.email)
      guard let holder = try find(address.key, in: tx) else {
        try rekey(account, address, in: tx)
        outcome.rekeyedCount += 1
        continue
      }
      if account.isVerified, holder.isVerified {
        outcome.shared.append(Pair(holder: holder.id, other: account.id, key: address.key))
      } else if losesTo(account, holder) {
        try free(account, now: now, in: tx)
        outcome.freed.append(account.id)
      } else {
        try free(holder, now: now, in: tx)
        outcome.freed.append(holder.id)
        try rekey(account, address, in: tx)
        outcome.rekeyedCount += 1
      }
    }
    return outcome
  }

  /// Accounts with one mailbox that have both proven it.
  static func shared(in tx: borrowing some Queryable) throws -> [Pair] {
    try outdated(in: tx).compactMap { account in
      let key = EmailAddress(account.email).key
      return try find(key, in: tx).map { Pair(holder: $0.id, other: account.id, key: key) }
    }
  }

  /// Whether the one with the former key loses the address: if it alone is not proven, or neither is and it is
  /// the newer one.
  private static func losesTo(_ account: Account, _ holder: Account) -> Bool {
    account.isVerified == holder.isVerified
      ? account.created >= holder.created : !account.isVerified
  }

  private static let columns = RecordColumns<Account>(
    "account",
    .text("id", \.id),
    .text("email", \.email),
    .text("email_key", \.key),
    .boolean("email_verified", \.isVerified),
    .integer("created_at", \.created)
  ) { row in
    Account(
      id: row.text(),
      email: row.text(),
      key: row.text(),
      isVerified: row.boolean(),
      created: row.integer()
    )
  }

  /// Only keys beyond ASCII can be former ones.
  private static func outdated(in tx: borrowing some Queryable) throws -> [Account] {
    try tx.query(
      columns,
      "WHERE length(CAST(email_key AS BLOB)) <> length(email_key) ORDER BY created_at, id"
    ).filter { EmailAddress($0.email).key != $0.key }
  }

  private static func find(_ key: String, in tx: borrowing some Queryable) throws -> Account? {
    try tx.first(columns, "WHERE email_key = ?", .text(key))
  }

  private static func rekey(
    _ account: Account,
    _ address: EmailAddress,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "UPDATE account SET email_key = ? WHERE id = ?",
      .text(address.key),
      .text(account.id)
    )
    // Links that were mailed still work.
    try tx.execute(
      "UPDATE mail_token SET address_key = ? WHERE address_key = ? AND user_id = ?",
      .text(address.key),
      .text(account.key),
      .text(account.id)
    )
  }

  private static func free(
    _ account: Account,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    try AuthCore.freeAddress(of: account.id, now: now, in: tx)
    try tx.audit("email.unify", object: account.id)
  }
}

/// One account for each mailbox.
extension AuthCore {
  /// Gives accounts from before both spellings of a domain were one address the key that it has now.
  ///
  /// At each start, because an import of an older version may have run since; changes nothing where there is
  /// nothing to do.
  func unifyMailboxes() async throws {
    guard try await store.read({ tx in try MailboxKeys.hasWork(in: tx) }) else { return }
    let now = clock.now
    let outcome = try await store.writeOwn { tx in try MailboxKeys.unify(now: now, in: tx) }
    if outcome.rekeyedCount > 0 || !outcome.freed.isEmpty {
      logger.notice(
        "addresses with two spellings were unified",
        [
          "rekeyed": LogValue(outcome.rekeyedCount),
          "lost_address": .string(outcome.freed.joined(separator: " ")),
        ]
      )
    }
    guard !outcome.shared.isEmpty else { return }
    logger.warning(
      "accounts have proven the same mailbox; see list-shared-mailboxes",
      ["pairs": LogValue(outcome.shared.count)]
    )
  }
}
