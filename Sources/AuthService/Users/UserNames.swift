internal import ServiceKit

/// The display name of a user as other services get it.
struct UserName: Hashable, Sendable {
  var userID: String
  var text: String
  /// Counts the changes of the name: of two answers the one with the greater number is newer.
  var version: Int64
}

/// Display names, without the rest of the account.
enum UserNames {
  /// The kind of the entry in the change log of a user who has another name.
  static let changeKind: StaticString = "user.renamed"

  static let migration = Migration(
    version: 21,
    sql: """
      ALTER TABLE user ADD COLUMN name_version BIGINT NOT NULL DEFAULT 1;
      CREATE INDEX user_rename ON change_log (scope, revision) WHERE kind = 'user.renamed';
      """
  )

  private static let columns = RecordColumns<UserName>(
    "account",
    .text("id", \.userID),
    .text("display_name", \.text),
    .integer("name_version", \.version)
  ) { row in
    UserName(userID: row.text(), text: row.text(), version: row.integer())
  }

  static func find(_ id: String, in tx: borrowing some Queryable) throws -> UserName? {
    try tx.first(columns, "WHERE id = ?", .text(id))
  }

  /// The names of those users who exist, in the order asked for.
  static func all(_ ids: [String], in tx: borrowing some Queryable) throws -> [UserName] {
    try ids.compactMap { id in try find(id, in: tx) }
  }

  /// Counts a change of a user's name, in the transaction that makes it, and logs it for those who follow names.
  static func changed(of userID: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "UPDATE account SET name_version = name_version + 1 WHERE id = ?",
      .text(userID)
    )
    try tx.appendChange(kind: "\(changeKind)", subject: userID, scope: "")
  }
}
