internal import ServiceKit

/// A device that is paired with a family, as the store keeps it.
struct PairingRecord: Hashable, Sendable {
  let id: String
  let familyID: String
  /// The child whose device it is; nil for a parent's device.
  let childID: String?
  /// As the device calls itself; only unique for each account, because nothing proves it.
  let deviceID: String
  let deviceName: String
  /// The account that paired it.
  let userID: String
  let issuedBy: String
  /// Milliseconds since 1970.
  let pairedAt: Int64
  /// The child's role that came with the pairing; empty if the account had it before.
  var associationID: String
  /// Of the child and the family; filled when read.
  var childName = ""
  var rootID = ""

  /// The entity on which its account needs a role: the child, or the family for a parent's device.
  var entityID: String { childID ?? familyID }

  /// Digest for the audit log.
  var digest: [UInt8] {
    Digests.sha256(lines: id, familyID, childID ?? "", deviceID, deviceName, userID, issuedBy)
  }

  init(
    id: String,
    _ code: PairingCodeRecord,
    deviceID: String,
    deviceName: String,
    userID: String,
    now: Int64
  ) {
    self.init(
      id: id,
      familyID: code.familyID,
      childID: code.childID,
      deviceID: deviceID,
      deviceName: deviceName,
      userID: userID,
      issuedBy: code.issuedBy,
      now: now
    )
  }

  init(
    id: String,
    familyID: String,
    childID: String?,
    deviceID: String,
    deviceName: String,
    userID: String,
    issuedBy: String,
    now: Int64
  ) {
    self.id = id
    self.familyID = familyID
    self.childID = childID
    self.deviceID = deviceID
    self.deviceName = deviceName
    self.userID = userID
    self.issuedBy = issuedBy
    pairedAt = now
    associationID = ""
  }

  /// `p` is the pairing in conditions.
  static let columns = RecordColumns<PairingRecord>(
    "pairing",
    as: "p",
    joining: "JOIN entity f ON f.id = p.family_id LEFT JOIN entity c ON c.id = p.child_id",
    .text("id", \.id),
    .text("family_id", \.familyID),
    .optionalText("child_id", \.childID),
    .text("device_id", \.deviceID),
    .text("device_name", \.deviceName),
    .text("user_id", \.userID),
    .text("issued_by", \.issuedBy),
    .integer("paired_at", \.pairedAt),
    .text("association_id", \.associationID),
    .joined(.text("coalesce(c.name, '')", \.childName)),
    .joined(.text("f.root_id", \.rootID))
  ) { PairingRecord(row: &$0) }

  private init(row: inout RowReader) {
    id = row.text()
    familyID = row.text()
    childID = row.optionalText()
    deviceID = row.text()
    deviceName = row.text()
    userID = row.text()
    issuedBy = row.text()
    pairedAt = row.integer()
    associationID = row.text()
    childName = row.text()
    rootID = row.text()
  }
}

extension PairingRecord: AuditedRecord {
  var auditObject: String { entityID }
  var auditDetail: String { "\(id) \(userID)" }
}

enum PairingTable {
  private static let columns = PairingRecord.columns

  static func find(_ id: String, in tx: borrowing some Queryable) throws -> PairingRecord? {
    try tx.first(columns, "WHERE p.id = ?", .text(id))
  }

  /// The pairing of a device by an account.
  static func find(
    device: String,
    of userID: String,
    in tx: borrowing some Queryable
  ) throws -> PairingRecord? {
    try tx.first(columns, "WHERE p.device_id = ? AND p.user_id = ?", .text(device), .text(userID))
  }

  /// Everything that an account has paired.
  static func all(
    ofUser userID: String,
    in tx: borrowing some Queryable
  ) throws -> [PairingRecord] {
    try tx.query(columns, "WHERE p.user_id = ? ORDER BY p.id", .text(userID))
  }

  /// The pairings of a device by all accounts, newest first, without those whose role has ended.
  static func all(
    ofDevice device: String,
    by roles: PairingRoles,
    at now: Int64,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [PairingRecord] {
    let unended = roles.unended(at: now)
    return try tx.query(
      columns,
      "WHERE p.device_id = ? AND \(unended.condition) ORDER BY p.id DESC LIMIT \(limit)",
      values: [.text(device)] + unended.values
    )
  }

  /// Pairings of a family in the order of their identifiers, after one of them; of one child if given, and without
  /// those whose role has ended.
  static func list(
    family: String,
    child: String?,
    by roles: PairingRoles,
    at now: Int64,
    after id: String?,
    _ direction: ListDirection = .ascending,
    skipping skippedCount: Int = 0,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [PairingRecord] {
    let unended = roles.unended(at: now)
    var values: [SQLValue] = [.text(family), .text(id ?? direction.firstText)]
    if let child { values.append(.text(child)) }
    return try tx.query(
      columns,
      """
      WHERE p.family_id = ? AND p.id \(direction.comparison) ? \(child == nil ? "" : "AND p.child_id = ?")
        AND \(unended.condition)
      ORDER BY p.id \(direction.keyword) LIMIT \(limit) OFFSET \(skippedCount)
      """,
      values: values + unended.values
    )
  }

  /// Pairings whose role has ended by an instant.
  static func ended(
    by roles: PairingRoles,
    at now: Int64,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [PairingRecord] {
    let unended = roles.unended(at: now)
    return try tx.query(
      columns,
      "WHERE NOT (\(unended.condition)) LIMIT \(limit)",
      values: unended.values
    )
  }

  static func insert(_ record: PairingRecord, in tx: borrowing WriteTransaction) throws {
    try tx.insert(record, columns)
  }

  /// Removes it from the store, says so in the audit log, and has AuthService sign a child out there.
  static func end(_ record: PairingRecord, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM pairing WHERE id = ?", .text(record.id))
    if record.childID != nil { try EndedFamilyTable.insert(record.id, in: tx) }
    try tx.audit("pairing.end", from: record)
  }

  /// Hands the role that came with it on to another device of the same account and child; false when there
  /// is none.
  static func handOnAssociation(
    _ record: PairingRecord,
    in tx: borrowing WriteTransaction
  ) throws -> Bool {
    guard let childID = record.childID else { return false }
    let count = try tx.rowsChanged(
      by: """
        UPDATE pairing SET association_id = ? WHERE id = (
          SELECT id FROM pairing WHERE child_id = ? AND user_id = ? AND id <> ? ORDER BY id LIMIT 1)
        """,
      values: [.text(record.associationID), .text(childID), .text(record.userID), .text(record.id)]
    )
    return count > 0
  }
}
