internal import AccessEngine
internal import ServiceKit

/// How many entities count against each limit of each holder.
///
/// A row is exact, and only there once somebody has counted: the first creation under a limit does. A policy that
/// counts otherwise begins without rows.
enum LimitTable {
  /// The tenant that a holder is, or is a part of.
  static func root(of holderID: String, in tx: borrowing some Queryable) throws -> String {
    try tx.first("SELECT root_id FROM entity WHERE id = ?", .text(holderID)) { $0.text(0) }
      ?? holderID
  }

  /// Rows end with their holder.
  static let migration = Migration(
    version: 19,
    sql: """
      CREATE TABLE limit_count (
        holder_id TEXT NOT NULL REFERENCES entity (id) ON DELETE CASCADE,
        limit_name TEXT NOT NULL,
        used BIGINT NOT NULL CHECK (used >= 0),
        PRIMARY KEY (holder_id, limit_name)
      );
      """
  )

  /// The nearest holder of a limit at or above an entity.
  static func holder(
    of limit: CountedLimit,
    from id: String,
    in tx: borrowing some Queryable
  ) throws -> String? {
    try tx.first(
      """
      WITH RECURSIVE above (id, type, parent_id) AS (
        SELECT id, type, parent_id FROM entity WHERE id = ?
        UNION ALL
        SELECT entity.id, entity.type, entity.parent_id
        FROM entity JOIN above ON entity.id = above.parent_id WHERE above.type <> ?
      )
      SELECT id FROM above WHERE type = ?
      """,
      .text(id),
      .text(limit.holderType),
      .text(limit.holderType)
    ) { $0.text(0) }
  }

  /// How many count against a limit of a holder, if that is known.
  static func used(
    _ limit: CountedLimit,
    of holderID: String,
    in tx: borrowing some Queryable
  ) throws -> Int64? {
    try tx.first(
      "SELECT used FROM limit_count WHERE holder_id = ? AND limit_name = ?",
      .text(holderID),
      .text(limit.name)
    ) { $0.integer(0) }
  }

  /// Counts what counts against a limit of a holder.
  static func count(
    _ limit: CountedLimit,
    of holderID: String,
    in tx: borrowing some Queryable
  ) throws -> Int64 {
    try count(limit, "parent_id", holderID, in: tx)
  }

  /// Counts an entity and what is below it, without what counts against holders inside.
  static func count(
    _ limit: CountedLimit,
    within id: String,
    in tx: borrowing some Queryable
  ) throws -> Int64 {
    try count(limit, "id", id, in: tx)
  }

  /// Counts from the entities on whose `column` an identifier is; what is below a holder is that one's.
  private static func count(
    _ limit: CountedLimit,
    _ column: String,
    _ id: String,
    in tx: borrowing some Queryable
  ) throws -> Int64 {
    try tx.query(
      """
      WITH RECURSIVE below (id, type) AS (
        SELECT id, type FROM entity WHERE \(column) = ?
        UNION ALL
        SELECT entity.id, entity.type
        FROM entity JOIN below ON entity.parent_id = below.id WHERE below.type <> ?
      )
      SELECT count(*) FROM below WHERE type IN (\(Placeholders.list(limit.types.count)))
      """,
      values: [.text(id), .text(limit.holderType)] + limit.types.map { .text($0) }
    ) { $0.integer(0) }.first ?? 0
  }

  /// Keeps how many there are.
  static func set(
    _ used: Int64,
    _ limit: CountedLimit,
    of holderID: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      INSERT INTO limit_count (holder_id, limit_name, used) VALUES (?, ?, ?)
        ON CONFLICT (holder_id, limit_name) DO UPDATE SET used = excluded.used
      """,
      .text(holderID),
      .text(limit.name),
      .integer(used)
    )
  }

  /// Adds some, which may be less than none, to a row that is there.
  static func add(
    _ count: Int64,
    _ limit: CountedLimit,
    of holderID: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "UPDATE limit_count SET used = used + ? WHERE holder_id = ? AND limit_name = ?",
      .integer(count),
      .text(holderID),
      .text(limit.name)
    )
  }

  /// Forgets all rows: what counts may have changed.
  static func forget(in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM limit_count")
  }
}
