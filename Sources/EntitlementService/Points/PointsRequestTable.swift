internal import ServiceKit

/// The table `points_request`.
enum PointsRequestTable {
  private static let columns = RecordColumns<PointsRequest>(
    "points_request",
    .text("id", \.id),
    .text("holder", \.holder),
    .text("reward", \.reward),
    .text("state", \.state.rawValue),
    .text("hold_id", \.holdID),
    .text("requested_by", \.requestedBy),
    .integer("requested_at", \.requestedAt),
    .integer("expires_at", \.expiresAt),
    .text("decided_by", \.decidedBy),
    .optionalInteger("decided_at", \.decidedAt),
    .text("transaction_id", \.transactionID)
  ) { row in
    PointsRequest(
      id: row.text(),
      holder: row.text(),
      reward: row.text(),
      state: try row.text(as: PointsRequest.State.self),
      holdID: row.text(),
      requestedBy: row.text(),
      requestedAt: row.integer(),
      expiresAt: row.integer(),
      decidedBy: row.text(),
      decidedAt: row.optionalInteger(),
      transactionID: row.text()
    )
  }
  private static let settling = columns.update(
    "state",
    "decided_by",
    "decided_at",
    "transaction_id",
    where: "holder = ? AND id = ? AND state = ?"
  )

  /// Rules can require approval, and requests hold points until they are decided.
  static let migration = Migration(
    version: 12,
    sql: """
      ALTER TABLE points_rule ADD COLUMN requires_approval INTEGER NOT NULL DEFAULT 0;
      CREATE TABLE points_request (
        id TEXT NOT NULL,
        holder TEXT NOT NULL,
        reward TEXT NOT NULL,
        state TEXT NOT NULL,
        hold_id TEXT NOT NULL,
        requested_by TEXT NOT NULL,
        requested_at BIGINT NOT NULL,
        expires_at BIGINT NOT NULL,
        decided_by TEXT NOT NULL,
        decided_at BIGINT,
        transaction_id TEXT NOT NULL,
        PRIMARY KEY (holder, id)
      );
      CREATE INDEX points_request_waiting ON points_request (holder, expires_at)
        WHERE state = 'pending';
      CREATE INDEX points_request_by_end ON points_request (expires_at) WHERE state = 'pending';
      """
  )

  /// A request of a holder.
  static func load(
    _ id: String,
    of holder: String,
    in tx: borrowing some Queryable
  ) throws -> PointsRequest? {
    try tx.first(columns, "WHERE holder = ? AND id = ?", .text(holder), .text(id))
  }

  /// The requests of a holder that wait at `now`, oldest first.
  static func waiting(
    of holder: String,
    at now: Int64,
    in tx: borrowing some Queryable
  ) throws -> [PointsRequest] {
    try tx.query(
      columns,
      "WHERE holder = ? AND state = 'pending' AND expires_at > ? ORDER BY expires_at, id",
      .text(holder),
      .integer(now)
    )
  }

  /// Requests of a holder that nobody has decided in time and that still hold points.
  static func overdue(
    of holder: String,
    at now: Int64,
    in tx: borrowing some Queryable
  ) throws -> [PointsRequest] {
    try tx.query(
      columns,
      "WHERE holder = ? AND state = 'pending' AND expires_at <= ? ORDER BY expires_at, id",
      .text(holder),
      .integer(now)
    )
  }

  /// The same of any holder; at most `limit`.
  static func overdue(
    at now: Int64,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [PointsRequest] {
    try tx.query(
      columns,
      "WHERE state = 'pending' AND expires_at <= ? ORDER BY expires_at LIMIT ?",
      .integer(now),
      .integer(limit)
    )
  }

  /// Requests behind one of them, in the order in which they were made or the other way round.
  static func page(
    of holder: String,
    _ state: PointsRequest.State?,
    after id: String?,
    _ direction: ListDirection,
    skipping skippedCount: Int,
    count: Int,
    at now: Int64,
    in tx: borrowing some Queryable
  ) throws -> [PointsRequest] {
    var condition = "WHERE holder = ? AND id \(direction.comparison) ?"
    var values: [SQLValue] = [.text(holder), .text(id ?? direction.firstText)]
    switch state {
    case nil: break
    case .pending:
      condition += " AND state = 'pending' AND expires_at > ?"
      values.append(.integer(now))
    case .expired:
      condition += " AND (state = 'expired' OR (state = 'pending' AND expires_at <= ?))"
      values.append(.integer(now))
    case let state?:
      condition += " AND state = ?"
      values.append(.text(state.rawValue))
    }
    values += [.integer(count), .integer(skippedCount)]
    // Identifiers grow with time.
    condition += " ORDER BY id \(direction.keyword) LIMIT ? OFFSET ?"
    return try tx.query(columns, condition, values: values)
  }

  /// Adds a request.
  static func insert(_ request: PointsRequest, in tx: borrowing WriteTransaction) throws {
    try tx.insert(request, columns)
  }

  /// Writes what became of a request that waited.
  static func settle(_ request: PointsRequest, in tx: borrowing WriteTransaction) throws {
    let count = try tx.rowsChanged(
      by: settling,
      to: request,
      .text(request.holder),
      .text(request.id),
      .text(PointsRequest.State.pending.rawValue)
    )
    precondition(count == 1, "a request is decided once")
  }
}
