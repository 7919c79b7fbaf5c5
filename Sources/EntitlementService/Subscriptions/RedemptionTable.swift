internal import ServiceKit

/// A trial or a coupon that a subject has redeemed.
public struct Redemption: Hashable, Sendable {
  /// The name of the promotion.
  public var promotion: String
  /// When it was redeemed: milliseconds since 1970.
  public var redeemedAt: Int64
  /// When it ends.
  public var endsAt: Int64

  /// How many of one subject may be running.
  static let countMax = 100

  /// Makes a redemption.
  public init(promotion: String, redeemedAt: Int64, endsAt: Int64) {
    self.promotion = promotion
    self.redeemedAt = redeemedAt
    self.endsAt = endsAt
  }
}

/// The tables `redemption` and `promotion_count`: who has redeemed what, and how many.
enum RedemptionTable {
  /// The redemptions of a subject: those that last longest, as many as can run at a time.
  static func latest(
    of subject: Subject,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [Redemption] {
    try tx.query(
      """
      SELECT promotion, redeemed_at, ends_at FROM redemption
      WHERE kind = ? AND id = ? ORDER BY ends_at DESC, promotion LIMIT ?
      """,
      .text(subject.kind.rawValue),
      .text(subject.id),
      .integer(Redemption.countMax)
    ) { Redemption(promotion: $0.text(0), redeemedAt: $0.integer(1), endsAt: $0.integer(2)) }
  }

  /// Whether a subject has redeemed a promotion, however long ago.
  static func contains(
    _ promotion: String,
    of subject: Subject,
    in tx: borrowing WriteTransaction
  ) throws -> Bool {
    try tx.exists(
      "SELECT 1 FROM redemption WHERE kind = ? AND id = ? AND promotion = ?",
      .text(subject.kind.rawValue),
      .text(subject.id),
      .text(promotion)
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
    try tx.execute(
      """
      INSERT INTO redemption (kind, id, promotion, redeemed_at, ends_at) VALUES (?, ?, ?, ?, ?)
      """,
      .text(subject.kind.rawValue),
      .text(subject.id),
      .text(redemption.promotion),
      .integer(redemption.redeemedAt),
      .integer(redemption.endsAt)
    )
    try tx.execute(
      """
      INSERT INTO promotion_count (promotion, redeemed) VALUES (?, 1)
      ON CONFLICT (promotion) DO UPDATE SET redeemed = promotion_count.redeemed + 1
      """,
      .text(redemption.promotion)
    )
  }
}
