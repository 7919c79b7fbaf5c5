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
    after cursor: (recordedAt: Int64, id: String)?,
    _ direction: ListDirection,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [AccessRecord] {
    // Before the beginning of what the reader sees there is what the reader did, found by an index of its own.
    let later = (user: String?.none, from: max(from, view.beginning), until: until)
    let earlier = (user: String?.some(view.reader), from: from, until: min(until, view.beginning))
    var records: [AccessRecord] = []
    for part in direction.isDescending ? [later, earlier] : [earlier, later]
    where records.count < limit && part.from < part.until {
      records += try history(
        of: deviceID,
        by: part.user,
        from: part.from,
        until: part.until,
        after: cursor ?? (direction.firstNumber, ""),
        direction,
        limit: limit - records.count,
        in: tx
      )
    }
    return records
  }

  /// Records of a device in a time, of one user if given.
  private static func history(
    of deviceID: String,
    by userID: String?,
    from: Int64,
    until: Int64,
    after last: (recordedAt: Int64, id: String),
    _ direction: ListDirection,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [AccessRecord] {
    var values: [SQLValue] = [.text(deviceID)]
    if let userID { values.append(.text(userID)) }
    values += [
      .integer(from), .integer(until), .integer(last.recordedAt), .integer(last.recordedAt),
      .text(last.id), .integer(limit),
    ]
    let (comparison, keyword) = (direction.comparison, direction.keyword)
    return try tx.query(
      AccessRecord.columns,
      """
      WHERE device_id = ? \(userID == nil ? "" : "AND user_id = ?")
        AND recorded_at >= ? AND recorded_at < ?
        AND (recorded_at \(comparison) ? OR (recorded_at = ? AND id \(comparison) ?))
      ORDER BY recorded_at \(keyword), id \(keyword) LIMIT ?
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
    try tx.rowsChanged(
      by: """
        DELETE FROM access_record WHERE id IN (
          SELECT id FROM access_record WHERE is_stranger = 1 AND device_id = ? \(condition)
          ORDER BY recorded_at DESC, id DESC LIMIT \(Int64.max) OFFSET ?
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
    try PersonTable.note(person: record.userID, in: tx)
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
