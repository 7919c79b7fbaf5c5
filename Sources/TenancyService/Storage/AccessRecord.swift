internal import ServiceKit

/// Who did, or tried, what with a device; kept when the device goes.
struct AccessRecord: Hashable, Sendable {
  var id: String
  var deviceID: String
  var userID: String
  var operation: String
  var succeeded: Bool
  /// A reason code of decisions.
  var reason: String
  /// The role that allowed it; empty when none did.
  var role: String
  /// Milliseconds since 1970.
  var recordedAt: Int64

  private static let columns =
    "id, device_id, user_id, operation, succeeded, reason, role, recorded_at"

  /// Adds it to the history.
  func insert(_ tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "INSERT INTO access_record (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      .text(id),
      .text(deviceID),
      .text(userID),
      .text(operation),
      .boolean(succeeded),
      .text(reason),
      .text(role),
      .integer(recordedAt)
    )
  }

  /// Records of a device in a time, newest first, before a place in that order.
  static func history(
    of deviceID: String,
    from: Int64,
    until: Int64,
    before cursor: (recordedAt: Int64, id: String)?,
    limit: Int,
    _ tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [AccessRecord] {
    let last = cursor ?? (.max, "")
    return try tx.query(
      """
      SELECT \(columns) FROM access_record
      WHERE device_id = ? AND recorded_at >= ? AND recorded_at < ?
        AND (recorded_at < ? OR (recorded_at = ? AND id < ?))
      ORDER BY recorded_at DESC, id DESC LIMIT ?
      """,
      .text(deviceID),
      .integer(from),
      .integer(until),
      .integer(last.recordedAt),
      .integer(last.recordedAt),
      .text(last.id),
      .integer(limit)
    ) { row in
      AccessRecord(
        id: row.text(0),
        deviceID: row.text(1),
        userID: row.text(2),
        operation: row.text(3),
        succeeded: row.boolean(4),
        reason: row.text(5),
        role: row.text(6),
        recordedAt: row.integer(7)
      )
    }
  }
}
