internal import ServiceKit

/// Disabled accounts in the store.
///
/// A table of its own, so that the lookups of every sign-in stay as small as they are, and the few disabled
/// accounts can be listed without a look at all the others.
enum DisablementTable {
  static let columns = RecordColumns<Disablement>(
    "disabled_user",
    .text("user_id", \.userID),
    .text("reason", \.reason),
    .text("actor", \.actor),
    .integer("since", \.since)
  ) { row in
    Disablement(userID: row.text(), reason: row.text(), actor: row.text(), since: row.integer())
  }

  static func find(_ userID: String, in tx: borrowing some Queryable) throws -> Disablement? {
    try tx.first(columns, "WHERE user_id = ?", .text(userID))
  }

  static func insert(_ disablement: Disablement, in tx: borrowing WriteTransaction) throws {
    try tx.insert(disablement, columns)
  }

  static func delete(_ userID: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM disabled_user WHERE user_id = ?", .text(userID))
  }
}
