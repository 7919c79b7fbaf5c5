internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
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
  /// Milliseconds since 1970.
  let createdAt: Int64
  let expiresAt: Int64
  var outcome = Outcome.waiting
  var acknowledgedAt: Int64?

  var message: Tenancy_V1.DeviceCommand {
    // What the store has is ours, and was bounded when it came.
    let parameters = try? JSONReader.read(
      Array(self.parameters.utf8),
      limits: JSONLimits(byteCountMax: 1 << 20)
    ).object
    return Tenancy_V1.DeviceCommand(
      id: id,
      deviceId: deviceID,
      propertyId: propertyID,
      operation: operation,
      parameters: Google_Protobuf.Struct(
        fields: Dictionary(
          parameters?.members.map { ($0.name, AttributeMapping.value($0.value)) } ?? []
        ) { first, _ in first }
      ),
      createdAt: .init(milliseconds: createdAt),
      expiresAt: .init(milliseconds: expiresAt)
    )
  }
}

extension CommandRecord {
  fileprivate init(row: borrowing Row) {
    self.init(
      id: row.text(0),
      revision: row.integer(1),
      deviceID: row.text(2),
      propertyID: row.text(3),
      operation: row.text(4),
      parameters: row.text(5),
      createdAt: row.integer(6),
      expiresAt: row.integer(7),
      // One that this version does not know has ended somehow.
      outcome: Outcome(rawValue: row.text(8)) ?? .failed,
      acknowledgedAt: row.optionalInteger(9)
    )
  }
}

enum CommandTable {
  private static let columns = """
    id, revision, device_id, property_id, operation, parameters, created_at, expires_at, outcome,
    acknowledged_at
    """

  /// Adds a command to do what a user may do, to be announced after the commit.
  static func give(
    _ operation: String,
    _ parameters: [UInt8],
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
      createdAt: tx.now,
      expiresAt: tx.now + CommandLimits.lifetime
    )
    try tx.execute(
      "INSERT INTO device_command (\(columns), detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '')",
      values: [
        .text(record.id), .integer(record.revision), .text(record.deviceID),
        .text(record.propertyID), .text(record.operation), .text(record.parameters),
        .integer(record.createdAt), .integer(record.expiresAt), .text(record.outcome.rawValue),
        .optionalInteger(record.acknowledgedAt),
      ]
    )
    return record
  }

  static func find(
    _ id: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> CommandRecord? {
    try tx.first("SELECT \(columns) FROM device_command WHERE id = ?", .text(id)) {
      CommandRecord(row: $0)
    }
  }

  /// Commands that wait, in the order they were given, after one of them; of all properties if
  /// `propertyID` is empty.
  static func waiting(
    inProperty propertyID: String,
    after revision: Int64,
    now: Int64,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [CommandRecord] {
    var values: [SQLValue] = [.integer(revision), .integer(now)]
    if !propertyID.isEmpty { values.append(.text(propertyID)) }
    // The outcome is a literal, as the partial index has it (sqlite.org/partialindex.html, section 3).
    return try tx.query(
      """
      SELECT \(columns) FROM device_command
      WHERE outcome = '' AND revision > ? AND expires_at > ?
        \(propertyID.isEmpty ? "" : "AND property_id = ?")
      ORDER BY revision LIMIT \(CommandLimits.eventCountMax)
      """,
      values: values
    ) { CommandRecord(row: $0) }
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
