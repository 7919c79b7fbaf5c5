internal import ServiceKit

/// The record of an operation, or an attempt, on a device; kept when the device goes.
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
  /// The values it set.
  var changes: [SettingChange] = []

  static let columns = RecordColumns<AccessRecord>(
    "access_record",
    beside: ["is_stranger"],
    .text("id", \.id),
    .text("device_id", \.deviceID),
    .text("user_id", \.userID),
    .text("operation", \.operation),
    .boolean("succeeded", \.succeeded),
    .text("reason", \.reason),
    .text("role", \.role),
    .integer("recorded_at", \.recordedAt),
    .text("changes", \.changesText)
  ) { row in
    AccessRecord(
      id: row.text(),
      deviceID: row.text(),
      userID: row.text(),
      operation: row.text(),
      succeeded: row.boolean(),
      reason: row.text(),
      role: row.text(),
      recordedAt: row.integer(),
      changes: SettingChange.changes(row.text())
    )
  }

  private var changesText: String { SettingChange.text(of: changes) }
}

enum AccessTable {
  /// Attempts by users without a role on it that a device's history keeps: of one user, and of all.
  static let attemptCountMax = (ofStranger: 10, ofAllStrangers: 100)

  /// Records of a device in a time that a reader sees, newest first, before a place in that order.
  static func history(
    of deviceID: String,
    from: Int64,
    until: Int64,
    as view: HistoryView,
    before cursor: (recordedAt: Int64, id: String)?,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [AccessRecord] {
    let last = cursor ?? (.max, "")
    let all = try history(
      of: deviceID,
      by: nil,
      from: max(from, view.beginning),
      until: until,
      before: last,
      limit: limit,
      in: tx
    )
    guard all.count < limit, from < view.beginning else { return all }
    // What the reader did before that comes after it in this order, and is found by an index of its own.
    return try all
      + history(
        of: deviceID,
        by: view.reader,
        from: from,
        until: min(until, view.beginning),
        before: last,
        limit: limit - all.count,
        in: tx
      )
  }

  /// Records of a device in a time, of one user if given.
  private static func history(
    of deviceID: String,
    by userID: String?,
    from: Int64,
    until: Int64,
    before last: (recordedAt: Int64, id: String),
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [AccessRecord] {
    var values: [SQLValue] = [.text(deviceID)]
    if let userID { values.append(.text(userID)) }
    values += [
      .integer(from), .integer(until), .integer(last.recordedAt), .integer(last.recordedAt),
      .text(last.id), .integer(limit),
    ]
    return try tx.query(
      AccessRecord.columns,
      """
      WHERE device_id = ? \(userID == nil ? "" : "AND user_id = ?")
        AND recorded_at >= ? AND recorded_at < ?
        AND (recorded_at < ? OR (recorded_at = ? AND id < ?))
      ORDER BY recorded_at DESC, id DESC LIMIT ?
      """,
      values: values
    )
  }

  /// Drops all but the newest attempts of strangers.
  private static func drop(
    after count: Int,
    _ condition: String,
    _ values: [SQLValue],
    in tx: borrowing WriteTransaction
  ) throws -> Int {
    try tx.execute(
      """
      DELETE FROM access_record WHERE id IN (
        SELECT id FROM access_record WHERE is_stranger = 1 AND device_id = ? \(condition)
        ORDER BY recorded_at DESC, id DESC LIMIT -1 OFFSET ?
      )
      """,
      values: values + [.integer(count)]
    )
  }

  static func insert(_ record: AccessRecord, in tx: borrowing WriteTransaction) throws {
    try tx.insert(record, AccessRecord.columns, beside: .boolean(false))
  }

  /// Adds what somebody tried who has no role on the device; returns how many older attempts went.
  ///
  /// Anyone who has ever heard a device's identifier can make any number of these, so only the newest are
  /// kept. Otherwise they would hide what was done by those who have a role, and fill the disk.
  static func insertBounded(_ record: AccessRecord, in tx: borrowing WriteTransaction) throws -> Int
  {
    // Everyone with a role is noted with it.
    try tx.note(person: record.userID)
    try tx.insert(record, AccessRecord.columns, beside: .boolean(true))
    let (ofStranger, ofAll) = Self.attemptCountMax
    return try drop(
      after: ofStranger,
      "AND user_id = ?",
      [.text(record.deviceID), .text(record.userID)],
      in: tx
    )
      + drop(after: ofAll, "", [.text(record.deviceID)], in: tx)
  }
}
