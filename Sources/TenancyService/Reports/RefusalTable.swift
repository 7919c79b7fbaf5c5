internal import ServiceKit

/// How often somebody was refused the same in an hour.
struct RefusalCount: Hashable, Sendable {
  /// The key of refusals; of those that share a key only the number is kept.
  struct Key: Hashable, Sendable {
    /// The root of the tree that the object belongs to.
    var rootID: String
    /// When the hour began, in milliseconds since 1970.
    var hour: Int64
    var actor: String
    var onBehalfOf = ""
    /// Empty, like the object and the reason, for what is only counted.
    var action = ""
    var object = ""
    var reason = ""
  }

  /// Milliseconds of an hour.
  static let hour: Int64 = 3_600_000
  /// Different refusals of one actor, and of all, that are kept of a tree in an hour; the others are
  /// only counted.
  static let keyCountMax = (ofActor: 20, ofTree: 200)

  var key: Key
  var count: Int64
  var firstAt: Int64
  var lastAt: Int64

  /// Another refusal under the same key, or several.
  mutating func add(_ other: RefusalCount) {
    count += min(other.count, .max - count)
    firstAt = min(firstAt, other.firstAt)
    lastAt = max(lastAt, other.lastAt)
  }

  /// The same without saying what was refused, or to whom.
  func counted(nobody: Bool) -> RefusalCount {
    var refusal = self
    refusal.key = Key(rootID: key.rootID, hour: key.hour, actor: nobody ? "" : key.actor)
    if !nobody { refusal.key.onBehalfOf = key.onBehalfOf }
    return refusal
  }

  init(key: Key, count: Int64 = 1, at instant: Int64) {
    self.key = key
    self.count = count
    (firstAt, lastAt) = (instant, instant)
  }

  static let columns = RecordColumns<RefusalCount>(
    "refusal",
    .text("root_id", \.key.rootID),
    .integer("hour", \.key.hour),
    .text("actor", \.key.actor),
    .text("on_behalf_of", \.key.onBehalfOf),
    .text("action", \.key.action),
    .text("object", \.key.object),
    .text("reason", \.key.reason),
    .integer("count", \.count),
    .integer("first_at", \.firstAt),
    .integer("last_at", \.lastAt)
  ) { RefusalCount(row: &$0) }

  private init(row: inout RowReader) {
    key = Key(
      rootID: row.text(),
      hour: row.integer(),
      actor: row.text(),
      onBehalfOf: row.text(),
      action: row.text(),
      object: row.text(),
      reason: row.text()
    )
    (count, firstAt, lastAt) = (row.integer(), row.integer(), row.integer())
  }

  fileprivate var keyValues: [SQLValue] {
    [
      .text(key.rootID), .integer(key.hour), .text(key.actor), .text(key.onBehalfOf),
      .text(key.action), .text(key.object), .text(key.reason),
    ]
  }
}

enum RefusalTable {
  static let key = "root_id, hour, actor, on_behalf_of, action, object, reason"

  /// Those of a tree whose hours began in an interval, in the order of their keys, after one of them.
  static func page(
    of rootID: String,
    _ interval: Range<Int64>,
    after key: RefusalCount.Key?,
    limit: Int,
    in tx: borrowing ReadTransaction
  ) throws -> [RefusalCount] {
    let last = key ?? RefusalCount.Key(rootID: rootID, hour: interval.lowerBound - 1, actor: "")
    return try tx.query(
      RefusalCount.columns,
      """
      WHERE root_id = ? AND (hour, actor, on_behalf_of, action, object, reason) > (?, ?, ?, ?, ?, ?)
        AND hour >= ? AND hour < ?
      ORDER BY hour, actor, on_behalf_of, action, object, reason LIMIT ?
      """,
      values: [
        .text(rootID), .integer(last.hour), .text(last.actor), .text(last.onBehalfOf),
        .text(last.action), .text(last.object), .text(last.reason), .integer(interval.lowerBound),
        .integer(interval.upperBound), .integer(limit),
      ]
    )
  }

  /// Adds it to what the store has; bounded, whatever anybody tries.
  static func store(_ record: RefusalCount, in tx: borrowing WriteTransaction) throws {
    guard try !addToStored(record, in: tx) else { return }
    let count = try tx.first(
      """
      SELECT count(*), count(CASE WHEN actor = ? AND on_behalf_of = ? THEN 1 END) FROM refusal
      WHERE root_id = ? AND hour = ?
      """,
      .text(record.key.actor),
      .text(record.key.onBehalfOf),
      .text(record.key.rootID),
      .integer(record.key.hour)
    ) { (ofTree: $0.integer(0), ofActor: $0.integer(1)) }
    let (ofTree, ofActor) = count ?? (0, 0)
    guard ofTree < RefusalCount.keyCountMax.ofTree else {
      return try add(record.counted(nobody: true), in: tx)
    }
    guard ofActor < RefusalCount.keyCountMax.ofActor else {
      return try add(record.counted(nobody: false), in: tx)
    }
    try tx.insert(record, RefusalCount.columns)
  }

  private static func add(_ record: RefusalCount, in tx: borrowing WriteTransaction) throws {
    if try !addToStored(record, in: tx) { try tx.insert(record, RefusalCount.columns) }
  }

  private static func addToStored(
    _ record: RefusalCount,
    in tx: borrowing WriteTransaction
  ) throws -> Bool {
    try tx.rowsChanged(
      by: """
        UPDATE refusal SET count = count + ?,
          first_at = CASE WHEN first_at > ? THEN ? ELSE first_at END,
          last_at = CASE WHEN last_at < ? THEN ? ELSE last_at END
        WHERE root_id = ? AND hour = ? AND actor = ? AND on_behalf_of = ? AND action = ?
          AND object = ? AND reason = ?
        """,
      values: [
        .integer(record.count), .integer(record.firstAt), .integer(record.firstAt),
        .integer(record.lastAt), .integer(record.lastAt),
      ] + record.keyValues
    ) > 0
  }
}
