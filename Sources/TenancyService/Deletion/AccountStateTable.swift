internal import ServiceKit

/// The state of an account by AuthService, as far as it decides whether its user can act permanently.
///
/// A row stays when nothing is wrong with the account any longer: its version tells what comes late.
struct AccountState: Hashable, Sendable {
  let userID: String
  /// Counts what AuthService says of the user.
  let version: Int64
  /// An operator disabled the account.
  let isDisabled: Bool
  /// Its deletion has begun.
  let isDeletionBegun: Bool

  static let columns = RecordColumns<AccountState>(
    "account_state",
    .text("user_id", \.userID),
    .integer("version", \.version),
    .boolean("is_disabled", \.isDisabled),
    .boolean("is_deletion_begun", \.isDeletionBegun)
  ) { row in
    AccountState(
      userID: row.text(),
      version: row.integer(),
      isDisabled: row.boolean(),
      isDeletionBegun: row.boolean()
    )
  }
}

enum AccountStateTable {
  /// The version of the last state that counted; nil when AuthService has said nothing of the user.
  static func version(of userID: String, in tx: borrowing some Queryable) throws -> Int64? {
    try tx.first("SELECT version FROM account_state WHERE user_id = ?", .text(userID)) {
      $0.integer(0)
    }
  }

  /// Forgets a user who is gone.
  static func remove(of userID: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM account_state WHERE user_id = ?", .text(userID))
  }

  /// Has this state count from now on.
  static func put(_ record: AccountState, in tx: borrowing WriteTransaction) throws {
    try tx.insert(
      record,
      AccountState.columns,
      clause: """
        ON CONFLICT (user_id) DO UPDATE SET version = excluded.version,
          is_disabled = excluded.is_disabled, is_deletion_begun = excluded.is_deletion_begun
        """
    )
  }
}
