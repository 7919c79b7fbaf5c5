internal import ServiceKit

/// The table `points_clock`: how much of each app's time was earned.
enum EarnClockTable {
  private static let columns = RecordColumns<EarnClock>(
    "points_clock",
    beside: ["holder", "app"],
    .integer("earned_until", \.earnedUntil),
    .integer("day", \.day),
    .integer("day_minutes", \.dayMinutes)
  ) { row in
    EarnClock(earnedUntil: row.integer(), day: row.integer(), dayMinutes: row.integer())
  }
  private static let saving = columns.upsert(on: "holder", "app")

  static let migration = Migration(
    version: 10,
    sql: """
      CREATE TABLE points_clock (
        holder TEXT NOT NULL,
        app TEXT NOT NULL,
        earned_until BIGINT NOT NULL,
        day BIGINT NOT NULL,
        day_minutes BIGINT NOT NULL,
        PRIMARY KEY (holder, app)
      );
      """
  )

  /// The clock of an app with minutes of it used up; throws `PointsError.earnedTooFast` when so many have not passed.
  static func clock(
    earning minutes: Int64,
    in app: String,
    of holder: String,
    in tx: borrowing WriteTransaction
  ) throws -> EarnClock {
    let used = try tx.first(
      columns,
      "WHERE holder = ? AND app = ?",
      .text(holder),
      .text(app)
    )
    var clock = used ?? EarnClock.unused
    try clock.earn(minutes, in: app, at: tx.now)
    return clock
  }

  /// Keeps the clock of an app.
  static func save(
    _ clock: EarnClock,
    of app: String,
    of holder: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.save(clock, saving, beside: .text(holder), .text(app))
  }
}
