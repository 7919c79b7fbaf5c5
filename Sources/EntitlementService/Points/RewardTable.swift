internal import ServiceKit

/// The table `points_reward`: reward time that was running when it was last changed.
enum RewardTable {
  private static let columns = RecordColumns<RewardTime>(
    "points_reward",
    beside: ["holder"],
    .text("reward", \.reward),
    .integer("ends_at", \.endsAt)
  ) { row in RewardTime(reward: row.text(), endsAt: row.integer()) }

  /// The time of one reward, unless it has run out.
  static func load(
    _ reward: String,
    of holder: String,
    in tx: borrowing WriteTransaction
  ) throws -> RewardTime? {
    try tx.first(
      columns,
      "WHERE holder = ? AND reward = ? AND ends_at > ?",
      .text(holder),
      .text(reward),
      .integer(tx.now)
    )
  }

  /// The time of every reward that has not run out, sorted by reward.
  static func running(
    of holder: String,
    at now: Int64,
    in tx: borrowing some Queryable
  ) throws -> [RewardTime] {
    try tx.query(
      columns,
      "WHERE holder = ? AND ends_at > ? ORDER BY reward",
      .text(holder),
      .integer(now)
    )
  }

  /// Keeps the time of a reward, by what ran before; throws `PointsError.rewardLimit` when too many run.
  ///
  /// What has run out is dropped when a reward is added or ends.
  static func save(
    _ time: RewardTime,
    among running: [RewardTime],
    of holder: String,
    in tx: borrowing WriteTransaction
  ) throws {
    let goesOn = running.contains { $0.reward == time.reward }
    if time.endsAt > tx.now, goesOn {
      return try tx.execute(
        "UPDATE points_reward SET ends_at = ? WHERE holder = ? AND reward = ?",
        .integer(time.endsAt),
        .text(holder),
        .text(time.reward)
      )
    }
    try tx.execute(
      "DELETE FROM points_reward WHERE holder = ? AND (ends_at <= ? OR reward = ?)",
      .text(holder),
      .integer(tx.now),
      .text(time.reward)
    )
    guard time.endsAt > tx.now else { return }
    guard running.count < RewardTime.countMax else { throw PointsError.rewardLimit }
    try tx.insert(time, columns, beside: .text(holder))
  }
}
