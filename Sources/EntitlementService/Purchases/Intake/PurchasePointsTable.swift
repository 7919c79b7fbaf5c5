internal import ServiceKit

/// The points that a purchase gave.
struct PurchasePoints: Hashable, Sendable {
  /// The holder of the points: the subject that the purchase was bound to.
  var holder: String
  /// The app that they are points of.
  var app: String
  /// How many the purchase gives.
  var points: Int64
  /// How many of them the holder does not have because of a refund.
  var missing: Int64
  /// Whether the purchase is refunded.
  var isRefunded: Bool
  /// The transaction of the ledger that gave them last; empty before the first.
  var transactionID: String
}

/// The table `purchase_points`.
enum PurchasePointsTable {
  private static let columns = RecordColumns<PurchasePoints>(
    "purchase_points",
    beside: ["purchase_id"],
    .text("holder", \.holder),
    .text("app", \.app),
    .integer("points", \.points),
    .integer("missing", \.missing),
    .boolean("is_refunded", \.isRefunded),
    .text("transaction_id", \.transactionID)
  ) { row in
    PurchasePoints(
      holder: row.text(),
      app: row.text(),
      points: row.integer(),
      missing: row.integer(),
      isRefunded: row.boolean(),
      transactionID: row.text()
    )
  }
  private static let saving = columns.upsert(on: "purchase_id")

  /// The points of a purchase; nil if it gave none.
  static func load(
    of purchaseID: String,
    in tx: borrowing WriteTransaction
  ) throws -> PurchasePoints? {
    try tx.first(columns, "WHERE purchase_id = ?", .text(purchaseID))
  }

  /// Writes the points of a purchase.
  static func save(
    _ points: PurchasePoints,
    of purchaseID: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.save(points, saving, beside: .text(purchaseID))
  }
}
