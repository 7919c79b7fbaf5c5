internal import PeerContracts
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

  init(_ request: Tenancy_V1.SetAccountStateRequest) {
    userID = request.userId
    version = Int64(clamping: request.version)
    (isDisabled, isDeletionBegun) = (request.disabled, request.deletionBegun)
  }
}

enum AccountStateTable {
  /// The version of the last state that counted; nil when AuthService has said nothing of the user.
  static func version(
    of userID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> Int64? {
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
    try tx.execute(
      """
      INSERT OR REPLACE INTO account_state (user_id, version, is_disabled, is_deletion_begun)
      VALUES (?, ?, ?, ?)
      """,
      values: [
        .text(record.userID), .integer(record.version), .boolean(record.isDisabled),
        .boolean(record.isDeletionBegun),
      ]
    )
  }
}
