internal import ServiceKit

/// A user's grant at Apple, as the store keeps it.
struct AppleGrant: Hashable, Sendable {
  /// The state, and the next step.
  enum State: Int64, Sendable {
    /// An authorization code, to be exchanged.
    case code = 1
    /// A refresh token, kept for the day on which it is revoked.
    case kept = 2
    /// A refresh token, to be revoked.
    case revoking = 3
  }

  let id: String
  /// The identity that it came with; nil once that is no account's.
  var identityID: String?
  /// Which client it was given to.
  let clientID: String
  var state: State
  /// The code or token with its subject, sealed.
  var sealed: [UInt8]
  /// When something is tried next, in milliseconds since 1970; nil while it is kept.
  var due: Int64?
  /// Attempts that failed one after another.
  var failedCount: Int64 = 0
  /// When attempts end.
  var expires: Int64

  /// How long a code works, in milliseconds.
  static let codeLifetime: Int64 = 5 * 60_000
  /// How long it is tried to revoke a token, in milliseconds.
  static let revocationMax: Int64 = 7 * 86_400_000
}

/// Users' grants at Apple, in the store.
///
/// The table has no column `user_id`: what is to be revoked outlives its user, and names nobody.
enum AppleGrantTable {
  static let columns = RecordColumns<AppleGrant>(
    "apple_grant",
    .text("id", \.id),
    .optionalText("identity_id", \.identityID),
    .text("client_id", \.clientID),
    .integer("state", \.state.rawValue),
    .blob("sealed", \.sealed),
    .optionalInteger("due_at", \.due),
    .integer("failed_count", \.failedCount),
    .integer("expires_at", \.expires)
  ) { row in
    AppleGrant(
      id: row.text(),
      identityID: row.optionalText(),
      clientID: row.text(),
      state: try row.integer(as: AppleGrant.State.self),
      sealed: row.blob(),
      due: row.optionalInteger(),
      failedCount: row.integer(),
      expires: row.integer()
    )
  }

  private static let progress = columns.update(
    "state",
    "sealed",
    "due_at",
    "failed_count",
    "expires_at",
    where: "id = ?"
  )

  static func find(_ id: String, in tx: borrowing some Queryable) throws -> AppleGrant? {
    try tx.first(columns, "WHERE id = ?", .text(id))
  }

  /// Those with which something is to be done, longest due first.
  static func due(now: Int64, limit: Int, in tx: borrowing some Queryable) throws -> [AppleGrant] {
    try tx.query(
      columns,
      "WHERE due_at <= ? ORDER BY due_at, id LIMIT ?",
      .integer(now),
      .integer(limit)
    )
  }

  static func insert(_ grant: AppleGrant, in tx: borrowing WriteTransaction) throws {
    try tx.insert(grant, columns)
  }

  static func update(_ grant: AppleGrant, in tx: borrowing WriteTransaction) throws {
    try tx.update(grant, progress, .text(grant.id))
  }

  static func delete(_ id: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM apple_grant WHERE id = ?", .text(id))
  }

  /// Forgets tokens of an identity that a newer one relieves.
  static func deleteKept(
    of identityID: String,
    except id: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "DELETE FROM apple_grant WHERE identity_id = ? AND id <> ? AND state = ?",
      .text(identityID),
      .text(id),
      .integer(AppleGrant.State.kept.rawValue)
    )
  }

  /// Has everything revoked that came with an identity which is no account's; a code is exchanged
  /// before that.
  static func detach(ofIdentity id: String, in tx: borrowing WriteTransaction) throws {
    try detach("identity_id = ?3", .text(id), in: tx)
  }

  /// Has everything revoked that came with a user's identities, which are about to go.
  static func detach(of userID: String, in tx: borrowing WriteTransaction) throws {
    try detach("identity_id IN (SELECT id FROM identity WHERE user_id = ?3)", .text(userID), in: tx)
  }

  private static func detach(
    _ condition: String,
    _ value: SQLValue,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      UPDATE apple_grant SET identity_id = NULL, due_at = ?1, failed_count = 0,
        expires_at = CASE state WHEN 2 THEN ?2 ELSE expires_at END,
        state = CASE state WHEN 2 THEN 3 ELSE state END
      WHERE \(condition)
      """,
      .integer(tx.now),
      .integer(tx.now.addingSaturated(AppleGrant.revocationMax)),
      value
    )
  }
}
