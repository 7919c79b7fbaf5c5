/// The events of a store, as senders read them.
public enum EventTable {
  /// How long events are kept, in milliseconds: 30 days.
  public static let lifetime: Int64 = 30 * 86_400_000

  /// The first events after one, in order.
  public static func list(
    after sequence: Int64,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [Event] {
    try tx.query(
      Event.columns,
      "WHERE sequence > ? ORDER BY sequence LIMIT ?",
      .integer(sequence),
      .integer(limit)
    )
  }

  /// The newest event that is kept; 0 without any.
  public static func newest(in tx: borrowing some Queryable) throws -> Int64 {
    try tx.first("SELECT coalesce(max(sequence), 0) FROM event") { $0.integer(0) } ?? 0
  }

  /// The oldest event that is kept; nil without any.
  public static func oldest(in tx: borrowing some Queryable) throws -> Int64? {
    try tx.first("SELECT min(sequence) FROM event") { $0.optionalInteger(0) } ?? nil
  }

  /// Drops the events about a person whose account is erased; how many there were.
  @discardableResult
  public static func drop(about userID: String, in tx: borrowing WriteTransaction) throws -> Int {
    try tx.rowsChanged(by: "DELETE FROM event WHERE user_id = ?", .text(userID))
  }
}
