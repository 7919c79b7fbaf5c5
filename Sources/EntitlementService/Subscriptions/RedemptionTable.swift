internal import ServiceKit

/// A trial or a coupon that a subject has redeemed.
struct Redemption: Hashable, Sendable {
  /// The name of the promotion.
  var promotion: String
  /// The trials of which the subject may use one, this among them.
  var group: String
  /// When it was redeemed: milliseconds since 1970.
  var redeemedAt: Int64
  /// When it ends.
  var endsAt: Int64

  /// How many of one subject may be running.
  static let countMax = 100
}

/// The tables `redemption` and `promotion_count`: who has redeemed what, and how many.
enum RedemptionTable {
  private static let columns = RecordColumns<Redemption>(
    "redemption",
    beside: ["kind", "id"],
    .text("promotion", \.promotion),
    .text("trial_group", \.group),
    .integer("redeemed_at", \.redeemedAt),
    .integer("ends_at", \.endsAt)
  ) { row in
    Redemption(
      promotion: row.text(),
      group: row.text(),
      redeemedAt: row.integer(),
      endsAt: row.integer()
    )
  }

  /// The redemptions of a subject: those that last longest, as many as can run at a time.
  static func latest(of subject: Subject, in tx: borrowing some Queryable) throws -> [Redemption] {
    try tx.query(
      columns,
      "WHERE kind = ? AND id = ? ORDER BY ends_at DESC, promotion LIMIT ?",
      subject.stored.kind,
      subject.stored.id,
      .integer(Redemption.countMax)
    )
  }

  /// Whether a subject has redeemed a promotion or one of a group, however long ago.
  static func contains(
    _ promotion: String = "",
    group: String,
    of subject: Subject,
    in tx: borrowing WriteTransaction
  ) throws -> Bool {
    try tx.exists(
      """
      SELECT 1 FROM redemption
      WHERE kind = ? AND id = ? AND (promotion = ? OR trial_group = ?)
      """,
      .text(subject.kind.rawValue),
      .text(subject.id),
      .text(promotion),
      .text(group)
    )
  }

  /// Adds a trial that the store gave, unless the subject has had it.
  static func note(
    _ redemption: Redemption,
    of subject: Subject,
    in tx: borrowing WriteTransaction
  ) throws {
    let (kind, id) = subject.stored
    try tx.insert(
      redemption,
      columns,
      beside: kind,
      id,
      clause: "ON CONFLICT (kind, id, promotion) DO NOTHING"
    )
  }

  /// How many have redeemed a promotion.
  static func count(of promotion: String, in tx: borrowing WriteTransaction) throws -> Int64 {
    try tx.first(
      "SELECT redeemed FROM promotion_count WHERE promotion = ?",
      .text(promotion)
    ) { $0.integer(0) } ?? 0
  }

  /// Adds what a subject redeems, and counts it.
  static func insert(
    _ redemption: Redemption,
    of subject: Subject,
    in tx: borrowing WriteTransaction
  ) throws {
    let (kind, id) = subject.stored
    try tx.insert(redemption, columns, beside: kind, id)
    try tx.execute(
      """
      INSERT INTO promotion_count (promotion, redeemed) VALUES (?, 1)
      ON CONFLICT (promotion) DO UPDATE SET redeemed = promotion_count.redeemed + 1
      """,
      .text(redemption.promotion)
    )
  }
}
