internal import ServiceKit

/// Authenticator apps in the store: one of a user.
enum TotpTable {
  /// An app as it is stored.
  struct Stored: Hashable, Sendable {
    /// Identifier, `totp_…`: what the secret is sealed for, with its user.
    let id: String
    /// The secret, sealed.
    let sealed: [UInt8]
    /// When it was begun to be added, in milliseconds since 1970.
    let created: Int64
    /// When it was added; nil before it is.
    let confirmed: Int64?
    /// The latest step whose code was used.
    let lastStep: Int64

    /// How long an app can be added once that was begun, in milliseconds.
    static let confirmationMax: Int64 = 10 * 60_000

    /// Whether it can be added at a time.
    func isPending(now: Int64) -> Bool {
      confirmed == nil && now < created.addingSaturated(Self.confirmationMax)
    }

    /// Whether the code of a step was not used at a time.
    ///
    /// What was used later than everything that is accepted then was used by a clock that was wrong, and
    /// must not lock the user out until that time comes.
    func isFree(_ step: Int64, now: Int64) -> Bool {
      step > lastStep || lastStep > TimeCode.steps(at: now).upperBound
    }
  }

  static let columns = RecordColumns<Stored>(
    "totp",
    beside: ["user_id"],
    .text("id", \.id),
    .blob("sealed", \.sealed),
    .integer("created_at", \.created),
    .optionalInteger("confirmed_at", \.confirmed),
    .integer("last_step", \.lastStep)
  ) { row in
    Stored(
      id: row.text(),
      sealed: row.blob(),
      created: row.integer(),
      confirmed: row.optionalInteger(),
      lastStep: row.integer()
    )
  }

  private static let saving = columns.upsert(on: "user_id", where: "totp.confirmed_at IS NULL")

  static func find(_ userID: String, in tx: borrowing some Queryable) throws -> Stored? {
    try tx.first(columns, "WHERE user_id = ?", .text(userID))
  }

  /// Writes an app that is to be added, in the place of one that never was.
  static func insert(
    _ id: String,
    sealed: [UInt8],
    of userID: String,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    let new = Stored(id: id, sealed: sealed, created: now, confirmed: nil, lastStep: 0)
    try tx.save(new, saving, beside: .text(userID))
  }

  /// Burns the code of a step; says whether it was free.
  ///
  /// One statement, so that of two who use a code at once one is refused.
  static func burn(
    _ step: Int64,
    of userID: String,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> Bool {
    try tx.rowsChanged(
      by:
        "UPDATE totp SET last_step = ?1 WHERE user_id = ?2 AND (last_step < ?1 OR last_step > ?3)",
      .integer(step),
      .text(userID),
      .integer(TimeCode.steps(at: now).upperBound)
    ) > 0
  }

  static func confirm(_ userID: String, now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "UPDATE totp SET confirmed_at = ? WHERE user_id = ? AND confirmed_at IS NULL",
      .integer(now),
      .text(userID)
    )
  }

  /// Removes the app of a user; says whether one was added.
  @discardableResult
  static func delete(_ userID: String, in tx: borrowing WriteTransaction) throws -> Bool {
    let wasAdded = try find(userID, in: tx)?.confirmed != nil
    try tx.execute("DELETE FROM totp WHERE user_id = ?", .text(userID))
    return wasAdded
  }

  /// Deletes those that were not added in time.
  static func prune(now: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "DELETE FROM totp WHERE confirmed_at IS NULL AND created_at < ?",
      .integer(now.subtractingSaturated(Stored.confirmationMax))
    )
  }
}
