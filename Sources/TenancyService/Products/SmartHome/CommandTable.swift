internal import ServiceKit

/// Every bound of commands for devices.
enum CommandLimits {
  /// The lifetime of a command, in milliseconds: a door must not open after the user has left.
  static let lifetime: Int64 = 60_000
  /// How long commands can be acknowledged after they have expired, in milliseconds: a day.
  static let retention: Int64 = 86_400_000
  /// Commands that are read at a time for a bridge.
  static let eventCountMax = 64
  /// Commands that are given while a bridge takes none of its events; then it is cut off.
  static let missedCountMax = 1_000
}

/// An operation that the hardware bridge is to carry out, as the store keeps it.
struct CommandRecord: Hashable, Sendable {
  enum Outcome: String, Sendable {
    case waiting = ""
    case done
    case failed
    /// Nobody has acknowledged it in time.
    case expired
  }

  /// The kind of its entry in the change log, which wakes anyone who watches its property.
  static let changeKind = "command"

  let id: String
  /// The order in which commands are given; a place to continue from.
  let revision: Int64
  let deviceID: String
  let propertyID: String
  let operation: String
  /// A JSON object.
  let parameters: String
  /// The values it asks of the device.
  let changes: [SettingChange]
  /// Milliseconds since 1970.
  let createdAt: Int64
  let expiresAt: Int64
  var outcome = Outcome.waiting
  var acknowledgedAt: Int64?

  static let columns = RecordColumns<CommandRecord>(
    "device_command",
    beside: ["detail"],
    .text("id", \.id),
    .integer("revision", \.revision),
    .text("device_id", \.deviceID),
    .text("property_id", \.propertyID),
    .text("operation", \.operation),
    .text("parameters", \.parameters),
    .text("changes", \.changesText),
    .integer("created_at", \.createdAt),
    .integer("expires_at", \.expiresAt),
    .text("outcome", \.outcome.rawValue),
    .optionalInteger("acknowledged_at", \.acknowledgedAt)
  ) { row in
    CommandRecord(
      id: row.text(),
      revision: row.integer(),
      deviceID: row.text(),
      propertyID: row.text(),
      operation: row.text(),
      parameters: row.text(),
      changes: SettingChange.changes(row.text()),
      createdAt: row.integer(),
      expiresAt: row.integer(),
      // One that this version does not know has ended somehow.
      outcome: Outcome(rawValue: row.text()) ?? .failed,
      acknowledgedAt: row.optionalInteger()
    )
  }

  private var changesText: String { SettingChange.text(of: changes) }
}

enum CommandTable {
  /// Adds a command to do what a user may do, to be announced after the commit.
  static func give(
    _ operation: String,
    _ parameters: [UInt8],
    setting changes: [SettingChange],
    to deviceID: String,
    inProperty propertyID: String,
    id: String,
    in tx: borrowing WriteTransaction
  ) throws -> CommandRecord {
    let revision = try tx.appendChange(
      kind: CommandRecord.changeKind,
      subject: deviceID,
      scope: propertyID
    )
    let record = CommandRecord(
      id: id,
      revision: revision,
      deviceID: deviceID,
      propertyID: propertyID,
      operation: operation,
      parameters: String(decoding: parameters, as: UTF8.self),
      changes: changes,
      createdAt: tx.now,
      expiresAt: tx.now + CommandLimits.lifetime
    )
    try tx.insert(record, CommandRecord.columns, beside: .text(""))
    return record
  }

  static func find(_ id: String, in tx: borrowing some Queryable) throws -> CommandRecord? {
    try tx.first(CommandRecord.columns, "WHERE id = ?", .text(id))
  }

  /// Commands that wait, in the order they were given, after one of them; of all properties if
  /// `propertyID` is empty.
  static func waiting(
    inProperty propertyID: String,
    after revision: Int64,
    now: Int64,
    in tx: borrowing some Queryable
  ) throws -> [CommandRecord] {
    var values: [SQLValue] = [.integer(revision), .integer(now)]
    if !propertyID.isEmpty { values.append(.text(propertyID)) }
    // The outcome is a literal, as the partial index has it (sqlite.org/partialindex.html, section 3).
    return try tx.query(
      CommandRecord.columns,
      """
      WHERE outcome = '' AND revision > ? AND expires_at > ?
        \(propertyID.isEmpty ? "" : "AND property_id = ?")
      ORDER BY revision LIMIT \(CommandLimits.eventCountMax)
      """,
      values: values
    )
  }

  /// The commands of a device, newest first.
  static func newest(
    of deviceID: String,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [CommandRecord] {
    try tx.query(
      CommandRecord.columns,
      "WHERE device_id = ? ORDER BY revision DESC LIMIT ?",
      values: [.text(deviceID), .integer(limit)]
    )
  }

  /// Commands that nobody has acknowledged in time, in the order they were given.
  static func expired(
    at now: Int64,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [String] {
    try tx.query(
      """
      SELECT id FROM device_command WHERE outcome = '' AND expires_at <= ?
      ORDER BY revision LIMIT ?
      """,
      values: [.integer(now), .integer(limit)]
    ) { $0.text(0) }
  }

  /// Ends a command that nobody has acknowledged.
  static func end(
    _ record: inout CommandRecord,
    _ outcome: CommandRecord.Outcome,
    in tx: borrowing WriteTransaction
  ) throws {
    record.outcome = outcome
    try tx.execute(
      "UPDATE device_command SET outcome = ? WHERE id = ?",
      .text(outcome.rawValue),
      .text(record.id)
    )
  }

  static func acknowledge(
    _ record: inout CommandRecord,
    _ outcome: CommandRecord.Outcome,
    detail: String,
    in tx: borrowing WriteTransaction
  ) throws {
    record.outcome = outcome
    record.acknowledgedAt = tx.now
    try tx.execute(
      "UPDATE device_command SET outcome = ?, detail = ?, acknowledged_at = ? WHERE id = ?",
      values: [
        .text(outcome.rawValue), .text(detail), .optionalInteger(record.acknowledgedAt),
        .text(record.id),
      ]
    )
  }
}
