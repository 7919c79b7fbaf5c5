internal import ServiceKit

/// How often somebody was refused the same in an hour.
struct RefusalCount: Hashable, Sendable {
  /// What tells refusals apart; of those that share a key only the number is kept.
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

  private static let columns = """
    root_id, hour, actor, on_behalf_of, action, object, reason, count, first_at, last_at
    """

  init(key: Key, count: Int64 = 1, at instant: Int64) {
    self.key = key
    self.count = count
    (firstAt, lastAt) = (instant, instant)
  }

  private init(row: borrowing Row) {
    key = Key(
      rootID: row.text(0),
      hour: row.integer(1),
      actor: row.text(2),
      onBehalfOf: row.text(3),
      action: row.text(4),
      object: row.text(5),
      reason: row.text(6)
    )
    (count, firstAt, lastAt) = (row.integer(7), row.integer(8), row.integer(9))
  }

  /// Adds it to what the store has; bounded, whatever anybody tries.
  func store(_ tx: borrowing WriteTransaction) throws {
    guard try !addToStored(tx) else { return }
    let count = try tx.first(
      """
      SELECT count(*), coalesce(sum(actor = ? AND on_behalf_of = ?), 0) FROM refusal
      WHERE root_id = ? AND hour = ?
      """,
      .text(key.actor),
      .text(key.onBehalfOf),
      .text(key.rootID),
      .integer(key.hour)
    ) { (ofTree: $0.integer(0), ofActor: $0.integer(1)) }
    let (ofTree, ofActor) = count ?? (0, 0)
    guard ofTree < Self.keyCountMax.ofTree else {
      return try counted(nobody: true).add(tx)
    }
    guard ofActor < Self.keyCountMax.ofActor else {
      return try counted(nobody: false).add(tx)
    }
    try insert(tx)
  }

  private func add(_ tx: borrowing WriteTransaction) throws {
    if try !addToStored(tx) { try insert(tx) }
  }

  private func addToStored(_ tx: borrowing WriteTransaction) throws -> Bool {
    try tx.execute(
      """
      UPDATE refusal SET count = count + ?, first_at = min(first_at, ?), last_at = max(last_at, ?)
      WHERE root_id = ? AND hour = ? AND actor = ? AND on_behalf_of = ? AND action = ?
        AND object = ? AND reason = ?
      """,
      values: [.integer(count), .integer(firstAt), .integer(lastAt)] + keyValues
    ) > 0
  }

  private func insert(_ tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "INSERT INTO refusal (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      values: keyValues + [.integer(count), .integer(firstAt), .integer(lastAt)]
    )
  }

  private var keyValues: [SQLValue] {
    [
      .text(key.rootID), .integer(key.hour), .text(key.actor), .text(key.onBehalfOf),
      .text(key.action), .text(key.object), .text(key.reason),
    ]
  }

  /// Those of a tree whose hours began in an interval, in the order of their keys, after one of them.
  static func page(
    of rootID: String,
    _ interval: Range<Int64>,
    after key: Key?,
    limit: Int,
    _ tx: borrowing ReadTransaction
  ) throws -> [RefusalCount] {
    let last = key ?? Key(rootID: rootID, hour: interval.lowerBound - 1, actor: "")
    return try tx.query(
      """
      SELECT \(columns) FROM refusal
      WHERE root_id = ? AND (hour, actor, on_behalf_of, action, object, reason) > (?, ?, ?, ?, ?, ?)
        AND hour >= ? AND hour < ?
      ORDER BY hour, actor, on_behalf_of, action, object, reason LIMIT ?
      """,
      .text(rootID),
      .integer(last.hour),
      .text(last.actor),
      .text(last.onBehalfOf),
      .text(last.action),
      .text(last.object),
      .text(last.reason),
      .integer(interval.lowerBound),
      .integer(interval.upperBound),
      .integer(limit)
    ) { RefusalCount(row: $0) }
  }
}
