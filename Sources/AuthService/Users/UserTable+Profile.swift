internal import ServiceKit

/// What applications keep with an account.
extension UserTable {
  /// Writes the settings of a user's applications.
  static func changeSettings(
    of userID: String,
    to settings: String,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "UPDATE user SET settings = ?, updated_at = ? WHERE id = ?",
      .text(settings),
      .integer(now),
      .text(userID)
    )
  }

  /// Writes what a user does regularly.
  static func changeActivities(
    of userID: String,
    to activities: String,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "UPDATE user SET activities = ?, updated_at = ? WHERE id = ?",
      .text(activities),
      .integer(now),
      .text(userID)
    )
  }
}
