internal import ServiceKit

/// The table `purchase_binding`: which subjects have a purchase.
enum PurchaseBindingTable {
  private static let columns = RecordColumns<PurchaseBinding>(
    "purchase_binding",
    beside: ["store", "environment", "original_transaction_id"],
    .text("subject_kind", \.subject.kind.rawValue),
    .text("subject_id", \.subject.id),
    .text("buyer_id", \.buyerID),
    .integer("bound_at", \.boundAt),
    .optionalInteger("ends_at", \.endsAt),
    .optionalInteger("unproven_end", \.unprovenEnd)
  ) { row in
    var binding = PurchaseBinding(
      Subject(try row.text(as: Subject.Kind.self), row.text()),
      buyer: row.text(),
      at: row.integer()
    )
    binding.endsAt = row.optionalInteger()
    binding.unprovenEnd = row.optionalInteger()
    return binding
  }

  /// The columns that a purchase and its bindings have in common.
  static let key = "store, environment, original_transaction_id"
  private static let isOfPurchase =
    "store = ? AND environment = ? AND original_transaction_id = ?"

  private static func key(of purchase: Purchase) -> [SQLValue] {
    [
      .text(purchase.store), .text(purchase.environment.rawValue),
      .text(purchase.originalTransactionID),
    ]
  }

  /// The bindings of a purchase, in the order they came.
  static func all(
    of purchase: Purchase,
    in tx: borrowing some Queryable
  ) throws -> [PurchaseBinding] {
    try tx.query(
      columns,
      "WHERE \(isOfPurchase) ORDER BY bound_at, subject_kind, subject_id",
      values: key(of: purchase)
    )
  }

  /// Binds a purchase to these subjects and no others.
  static func replace(
    _ bindings: [PurchaseBinding],
    of purchase: Purchase,
    in tx: borrowing WriteTransaction
  ) throws {
    let key = key(of: purchase)
    try tx.execute("DELETE FROM purchase_binding WHERE \(isOfPurchase)", values: key)
    for binding in bindings {
      try tx.insert(binding, columns, beside: key[0], key[1], key[2])
    }
  }

  /// Unbinds what an entity has that was deleted.
  static func remove(of subject: Subject, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "DELETE FROM purchase_binding WHERE subject_kind = ? AND subject_id = ?",
      subject.stored.kind,
      subject.stored.id
    )
  }

  /// A page of the purchases of a buyer or a subject after the given place, ordered by when they were made.
  static func page(
    of owner: PurchaseOwner,
    after place: PurchasePlace?,
    _ direction: ListDirection,
    skipping skippedCount: Int,
    count: Int,
    in tx: borrowing some Queryable
  ) throws -> [BoundPurchase] {
    let (condition, values) = owner.condition
    let (comparison, keyword) = (direction.comparison, direction.keyword)
    let instant = SQLValue.integer(place?.purchasedAt ?? direction.firstNumber)
    return try bound(
      """
      WHERE \(condition)
        AND (purchased_at \(comparison) ? OR (purchased_at = ? AND purchase.id \(comparison) ?))
      ORDER BY purchased_at \(keyword), purchase.id \(keyword) LIMIT ? OFFSET ?
      """,
      values + [
        instant, instant, .text(place?.id ?? ""), .integer(count), .integer(skippedCount),
      ],
      in: tx
    )
  }

  /// The purchases that a user bought, for whichever subject.
  static func bought(
    by userID: String,
    in tx: borrowing some Queryable
  ) throws -> [BoundPurchase] {
    try bound("WHERE buyer_id = ?", [.text(userID)], in: tx)
  }

  /// Bindings whose buyers' rights must still be asked for, the oldest first.
  static func unproven(count: Int, in tx: borrowing some Queryable) throws -> [BoundPurchase] {
    try bound(
      "WHERE unproven_end IS NOT NULL ORDER BY unproven_end, purchase.id LIMIT ?",
      [.integer(count)],
      in: tx
    )
  }

  /// Purchases with the bindings for which `condition` holds.
  private static func bound(
    _ condition: String,
    _ values: [SQLValue],
    in tx: borrowing some Queryable
  ) throws -> [BoundPurchase] {
    let (purchases, bindings) = (PurchaseTable.columns, columns)
    return try tx.query(
      """
      SELECT \(bindings.list), \(purchases.list) FROM purchase JOIN purchase_binding USING (\(key))
      \(condition)
      """,
      values: values
    ) { row in
      BoundPurchase(
        record: try purchases.record(row, at: bindingColumnCount),
        binding: try bindings.record(row)
      )
    }
  }

  /// Columns of a binding that a SELECT has before those of its purchase.
  private static let bindingColumnCount = 6
}

/// A purchase and one of those who have it.
struct BoundPurchase: Hashable, Sendable {
  var record: PurchaseRecord
  /// Nil while it belongs to nobody.
  var binding: PurchaseBinding?
}

/// The purchases that a list is of.
enum PurchaseOwner: Hashable, Sendable {
  /// Those that a user bought, for whichever subject.
  case buyer(String)
  /// Those of a subject.
  case subject(Subject)

  fileprivate var condition: (sql: String, values: [SQLValue]) {
    switch self {
    case .buyer(let userID): ("buyer_id = ?", [.text(userID)])
    case .subject(let subject):
      ("subject_kind = ? AND subject_id = ?", [subject.stored.kind, subject.stored.id])
    }
  }

  /// The parts of a page token that tell the list from others.
  var filter: [String] {
    switch self {
    case .buyer(let userID): [userID]
    case .subject(let subject): [subject.kind.rawValue, subject.id]
    }
  }
}
