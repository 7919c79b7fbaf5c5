internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
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
    self.id = id
    familyID = code.familyID
    childID = code.childID
    self.deviceID = deviceID
    self.deviceName = deviceName
    self.userID = userID
    issuedBy = code.issuedBy
    pairedAt = now
    associationID = ""
  }

  fileprivate init(row: borrowing Row) {
    id = row.text(0)
    familyID = row.text(1)
    childID = row.optionalText(2)
    deviceID = row.text(3)
    deviceName = row.text(4)
    userID = row.text(5)
    issuedBy = row.text(6)
    pairedAt = row.integer(7)
    associationID = row.text(8)
    childName = row.text(9)
    rootID = row.text(10)
  }

  var message: Tenancy_V1.Pairing {
    Tenancy_V1.Pairing(
      id: id,
      familyId: familyID,
      childId: childID ?? "",
      childName: childName,
      deviceRole: childID == nil ? .parent : .child,
      deviceId: deviceID,
      deviceName: deviceName,
      userId: userID,
      issuedBy: issuedBy,
      pairedAt: .init(milliseconds: pairedAt)
    )
  }
}

enum PairingTable {
  private static let selection = """
    SELECT p.id, p.family_id, p.child_id, p.device_id, p.device_name, p.user_id, p.issued_by,
      p.paired_at, p.association_id, ifnull(c.name, ''), f.root_id
    FROM pairing p JOIN entity f ON f.id = p.family_id LEFT JOIN entity c ON c.id = p.child_id
    """

  static func find(
    _ id: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> PairingRecord? {
    try tx.first("\(selection) WHERE p.id = ?", .text(id)) { PairingRecord(row: $0) }
  }

  /// The pairing of a device by an account.
  static func find(
    device: String,
    of userID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> PairingRecord? {
    try tx.first(
      "\(selection) WHERE p.device_id = ? AND p.user_id = ?",
      .text(device),
      .text(userID)
    ) { PairingRecord(row: $0) }
  }

  /// Everything that an account has paired.
  static func all(
    ofUser userID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [PairingRecord] {
    try tx.query("\(selection) WHERE p.user_id = ? ORDER BY p.id", .text(userID)) {
      PairingRecord(row: $0)
    }
  }

  /// The pairings of a device by all accounts, newest first, without those whose role has ended.
  static func all(
    ofDevice device: String,
    by roles: PairingRoles,
    at now: Int64,
    limit: Int,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [PairingRecord] {
    let unended = roles.unended(at: now)
    return try tx.query(
      """
      \(selection) WHERE p.device_id = ? AND \(unended.condition) ORDER BY p.id DESC LIMIT \(limit)
      """,
      values: [.text(device)] + unended.values
    ) { PairingRecord(row: $0) }
  }

  /// Pairings of a family in the order of their identifiers, after one of them; of one child if given, and without
  /// those whose role has ended.
  static func list(
    family: String,
    child: String?,
    by roles: PairingRoles,
    at now: Int64,
    after id: String,
    limit: Int,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [PairingRecord] {
    let unended = roles.unended(at: now)
    var values: [SQLValue] = [.text(family), .text(id)]
    if let child { values.append(.text(child)) }
    return try tx.query(
      """
      \(selection) WHERE p.family_id = ? AND p.id > ? \(child == nil ? "" : "AND p.child_id = ?")
        AND \(unended.condition)
      ORDER BY p.id LIMIT \(limit)
      """,
      values: values + unended.values
    ) { PairingRecord(row: $0) }
  }

  /// Pairings whose role has ended by an instant.
  static func ended(
    by roles: PairingRoles,
    at now: Int64,
    limit: Int,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [PairingRecord] {
    let unended = roles.unended(at: now)
    return try tx.query(
      "\(selection) WHERE NOT (\(unended.condition)) LIMIT \(limit)",
      values: unended.values
    ) { PairingRecord(row: $0) }
  }

  static func insert(_ record: PairingRecord, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      INSERT INTO pairing (id, family_id, child_id, device_id, device_name, user_id, issued_by,
        paired_at, association_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      values: [
        .text(record.id), .text(record.familyID), .optionalText(record.childID),
        .text(record.deviceID), .text(record.deviceName), .text(record.userID),
        .text(record.issuedBy), .integer(record.pairedAt), .text(record.associationID),
      ]
    )
  }

  /// Removes it from the store, and says so in the audit log.
  static func end(_ record: PairingRecord, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM pairing WHERE id = ?", .text(record.id))
    try audit(record, "pairing.end", before: record.digest, in: tx)
  }

  /// Says in the audit log what has become of it.
  static func audit(
    _ record: PairingRecord,
    _ action: String,
    before: [UInt8]? = nil,
    after: [UInt8]? = nil,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.audit(
      action,
      object: record.entityID,
      scope: record.rootID,
      before: before,
      after: after,
      detail: "\(record.id) \(record.userID)"
    )
  }

  /// Hands the role that came with it on to another device of the same account and child; false when there
  /// is none.
  static func handOnAssociation(
    _ record: PairingRecord,
    in tx: borrowing WriteTransaction
  ) throws -> Bool {
    guard let childID = record.childID else { return false }
    let count = try tx.execute(
      """
      UPDATE pairing SET association_id = ? WHERE id = (
        SELECT id FROM pairing WHERE child_id = ? AND user_id = ? AND id <> ? ORDER BY id LIMIT 1)
      """,
      values: [.text(record.associationID), .text(childID), .text(record.userID), .text(record.id)]
    )
    return count > 0
  }
}
