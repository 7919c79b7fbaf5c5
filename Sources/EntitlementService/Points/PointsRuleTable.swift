internal import ServiceKit

/// The table `points_rule`.
enum PointsRuleTable {
  static let migration = Migration(
    version: 14,
    sql: "ALTER TABLE points_rule ADD COLUMN revision BIGINT NOT NULL DEFAULT 1;"
  )

  private static let columns = RecordColumns<PointsRule>(
    "points_rule",
    beside: ["holder"],
    .text("app", \.app),
    .integer("points_per_minute", \.pointsPerMinute),
    .integer("points_per_reward_minute", \.pointsPerRewardMinute),
    .boolean("requires_approval", \.requiresApproval),
    .integer("revision", \.revision)
  ) { row in
    PointsRule(
      app: row.text(),
      pointsPerMinute: row.integer(),
      pointsPerRewardMinute: row.integer(),
      requiresApproval: row.boolean(),
      revision: row.integer()
    )
  }
  private static let saving = columns.upsert(on: "holder", "app")

  /// The rule of one app, if it has one.
  static func load(
    _ app: String,
    of holder: String,
    in tx: borrowing some Queryable
  ) throws -> PointsRule? {
    try tx.first(columns, "WHERE holder = ? AND app = ?", .text(holder), .text(app))
  }

  /// The rule of one app, if it has one, and the points of that app that can be redeemed.
  static func loadWithBalance(
    _ app: String,
    of holder: String,
    in tx: borrowing WriteTransaction
  ) throws -> (rule: PointsRule, balance: Int64)? {
    try tx.first(
      """
      SELECT (
        SELECT points FROM points_account
        WHERE holder = points_rule.holder AND app = points_rule.app AND name = ?), \(columns.list)
      FROM points_rule WHERE holder = ? AND app = ?
      """,
      .text(PointsAccount.balance.rawValue),
      .text(holder),
      .text(app)
    ) { (rule: try columns.record($0, at: 1), balance: $0.optionalInteger(0) ?? 0) }
  }

  /// All rules of a holder, sorted by app.
  static func all(of holder: String, in tx: borrowing some Queryable) throws -> [PointsRule] {
    try tx.query(columns, "WHERE holder = ? ORDER BY app", .text(holder))
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
    try tx.save(rule, saving, beside: .text(holder))
  }
}
