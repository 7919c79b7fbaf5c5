internal import RPCKit
internal import ServiceKit

/// A pairing code as the store keeps it.
struct PairingCodeRecord: Hashable, Sendable {
  /// The letters that find it.
  let selector: String
  /// The stored digest of the whole code.
  let digest: [UInt8]
  let familyID: String
  /// Nil for a parent's device.
  let childID: String?
  let issuedBy: String
  /// How the one who made it had proved to be that.
  let issuerACR: String
  /// Milliseconds since 1970.
  let createdAt: Int64
  let expiresAt: Int64
  var wrongCount: Int64 = 0

  /// The letters of a code that find it.
  static func selector(of code: PassedCode) -> String {
    String(code.text.prefix(PairingLimits.selectorLetterCount))
  }

  init(
    _ code: PassedCode,
    digest: [UInt8],
    familyID: String,
    childID: String?,
    by user: UserIdentity,
    now: Int64
  ) {
    selector = Self.selector(of: code)
    self.digest = digest
    self.familyID = familyID
    self.childID = childID
    issuedBy = user.userID
    issuerACR = user.assurance.text
    createdAt = now
    expiresAt = now + PairingLimits.codeLifetime
  }

  fileprivate init(row: borrowing Row) {
    selector = row.text(0)
    digest = row.blob(1)
    familyID = row.text(2)
    childID = row.optionalText(3)
    issuedBy = row.text(4)
    issuerACR = row.text(5)
    createdAt = row.integer(6)
    expiresAt = row.integer(7)
    wrongCount = row.integer(8)
  }
}

enum PairingCodeTable {
  private static let columns = """
    selector, digest, family_id, child_id, issued_by, issuer_acr, created_at, expires_at, wrong_count
    """

  /// The code of a selector, if it can be used.
  static func find(
    selector: String,
    in tx: borrowing WriteTransaction
  ) throws -> PairingCodeRecord? {
    try tx.first(
      "SELECT \(columns) FROM pairing_code WHERE selector = ? AND expires_at > ?",
      .text(selector),
      .integer(tx.now)
    ) { PairingCodeRecord(row: $0) }
  }

  /// Makes room for another code of anybody; whether somebody's code had to go for it.
  ///
  /// That is the oldest of the holder with the most, so who has one keeps it while others have several.
  static func makeRoom(in tx: borrowing WriteTransaction) throws -> Bool {
    let total = PairingLimits.codes.total
    let count = try tx.query(
      "SELECT 1 FROM pairing_code WHERE expires_at > ? LIMIT ?",
      .integer(tx.now),
      .integer(total)
    ) { _ in }.count
    guard count >= total else { return false }
    try tx.execute(
      """
      DELETE FROM pairing_code WHERE selector = (
        SELECT selector FROM pairing_code WHERE expires_at > ?1 AND issued_by = (
          SELECT issued_by FROM pairing_code WHERE expires_at > ?1
          GROUP BY issued_by ORDER BY count(*) DESC, min(created_at), issued_by LIMIT 1)
        ORDER BY created_at, rowid LIMIT 1)
      """,
      .integer(tx.now)
    )
    return true
  }

  /// Adds it, in place of one that has expired, and drops the oldest ones beyond the shares of the family and
  /// made it.
  static func insert(_ record: PairingCodeRecord, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "INSERT OR REPLACE INTO pairing_code (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      values: [
        .text(record.selector), .blob(record.digest), .text(record.familyID),
        .optionalText(record.childID), .text(record.issuedBy), .text(record.issuerACR),
        .integer(record.createdAt), .integer(record.expiresAt), .integer(record.wrongCount),
      ]
    )
    try tx.execute(
      """
      DELETE FROM pairing_code WHERE selector IN (
        SELECT selector FROM pairing_code WHERE family_id = ? ORDER BY created_at DESC, rowid DESC
        LIMIT -1 OFFSET ?)
      """,
      .text(record.familyID),
      .integer(PairingLimits.codesOfFamilyMax)
    )
    try tx.execute(
      """
      DELETE FROM pairing_code WHERE selector IN (
        SELECT selector FROM pairing_code WHERE issued_by = ? ORDER BY created_at DESC, rowid DESC
        LIMIT -1 OFFSET ?)
      """,
      .text(record.issuedBy),
      .integer(PairingLimits.codes.share)
    )
  }

  /// Counts a wrong try; the last one kills it.
  static func countWrongTry(_ record: PairingCodeRecord, in tx: borrowing WriteTransaction) throws {
    guard record.wrongCount + 1 < PairingLimits.wrongCountMax else {
      return try remove(record, in: tx)
    }
    try tx.execute(
      "UPDATE pairing_code SET wrong_count = wrong_count + 1 WHERE selector = ?",
      .text(record.selector)
    )
  }

  /// Removes it: it was used, or is dead.
  static func remove(_ record: PairingCodeRecord, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM pairing_code WHERE selector = ?", .text(record.selector))
  }
}
