internal import ServiceKit

/// The table `points_rule`.
enum PointsRuleTable {
  /// The rule of one app, if it has one.
  static func load(
    _ app: String,
    of holder: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> PointsRule? {
    try tx.first(
      "SELECT \(columns) FROM points_rule WHERE holder = ? AND app = ?",
      .text(holder),
      .text(app)
    ) { rule($0) }
  }

  /// The rule of one app, if it has one, and the points of that app that can be redeemed.
  static func loadWithBalance(
    _ app: String,
    of holder: String,
    in tx: borrowing WriteTransaction
  ) throws -> (rule: PointsRule, balance: Int64)? {
    try tx.first(
      """
      SELECT app, points_per_minute, points_per_reward_minute, (
        SELECT points FROM points_account
        WHERE holder = points_rule.holder AND app = points_rule.app AND name = ?)
      FROM points_rule WHERE holder = ? AND app = ?
      """,
      .text(PointsAccount.balance.rawValue),
      .text(holder),
      .text(app)
    ) { (rule: rule($0), balance: $0.optionalInteger(3) ?? 0) }
  }

  /// All rules of a holder, sorted by app.
  static func all(
    of holder: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [PointsRule] {
    try tx.query(
      "SELECT \(columns) FROM points_rule WHERE holder = ? ORDER BY app",
      .text(holder)
    ) { rule($0) }
  }

  /// Sets the rule of an app; throws `PointsError.ruleLimit` for one too many.
  static func save(
    _ rule: PointsRule,
    of holder: String,
    in tx: borrowing WriteTransaction
  ) throws {
    let count = try tx.first(
      "SELECT count(*) FROM points_rule WHERE holder = ? AND app <> ?",
      .text(holder),
      .text(rule.app)
    ) { $0.integer(0) }
    guard count ?? 0 < PointsRule.countMax else { throw PointsError.ruleLimit }
    try tx.execute(
      """
      INSERT INTO points_rule (holder, \(columns)) VALUES (?, ?, ?, ?)
      ON CONFLICT (holder, app) DO UPDATE SET
        points_per_minute = excluded.points_per_minute,
        points_per_reward_minute = excluded.points_per_reward_minute
      """,
      .text(holder),
      .text(rule.app),
      .integer(rule.pointsPerMinute),
      .integer(rule.pointsPerRewardMinute)
    )
  }

  private static let columns = "app, points_per_minute, points_per_reward_minute"

  private static func rule(_ row: borrowing Row) -> PointsRule {
    PointsRule(
      app: row.text(0),
      pointsPerMinute: row.integer(1),
      pointsPerRewardMinute: row.integer(2)
    )
  }
}
