internal import ServiceKit

/// Users with a proven address, for those who give something to addresses.
///
/// Written where the address of an account is (`UserTable`), so no way to prove one can forget it.
enum AddressProofs {
  /// The kind of the entry in the change log of a user whose address is proven from then on.
  static let changeKind: StaticString = "user.proven"
  /// How long proofs are sent again to a service that has missed changes, in milliseconds: longer than invitations
  /// can be accepted.
  static let resent: Int64 = 31 * 86_400_000

  static let migration = Migration(
    version: 25,
    sql: """
      -- When the address was proven; NULL for those proven before this was kept.
      ALTER TABLE user ADD COLUMN proven_at BIGINT;
      CREATE INDEX user_by_proof ON user (proven_at, id) WHERE proven_at IS NOT NULL;
      """
  )

  /// A place in the order in which they are sent again.
  struct Place: Hashable, Sendable {
    var provenAt: Int64
    var userID: String
  }

  /// Users who have a proven address, after a place.
  static func list(
    after place: Place,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [Place] {
    try tx.query(
      """
      SELECT proven_at, id FROM account
      WHERE proven_at IS NOT NULL AND (proven_at, id) > (?, ?) AND email_verified = 1
      ORDER BY proven_at, id LIMIT ?
      """,
      values: [.integer(place.provenAt), .text(place.userID), .integer(limit)]
    ) { Place(provenAt: $0.integer(0), userID: $0.text(1)) }
  }

  static func log(_ userID: String, in tx: borrowing WriteTransaction) throws {
    try tx.appendChange(kind: "\(changeKind)", subject: userID, scope: "")
  }
}
