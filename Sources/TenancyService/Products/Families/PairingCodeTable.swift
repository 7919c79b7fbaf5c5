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
    issuerACR = user.assurance(at: now).text
    createdAt = now
    expiresAt = now + PairingLimits.codeLifetime
  }

  static let columns = RecordColumns<PairingCodeRecord>(
    "pairing_code",
    beside: ["added"],
    .text("selector", \.selector),
    .blob("digest", \.digest),
    .text("family_id", \.familyID),
    .optionalText("child_id", \.childID),
    .text("issued_by", \.issuedBy),
    .text("issuer_acr", \.issuerACR),
    .integer("created_at", \.createdAt),
    .integer("expires_at", \.expiresAt),
    .integer("wrong_count", \.wrongCount)
  ) { PairingCodeRecord(row: &$0) }

  private init(row: inout RowReader) {
    selector = row.text()
    digest = row.blob()
    familyID = row.text()
    childID = row.optionalText()
    issuedBy = row.text()
    issuerACR = row.text()
    createdAt = row.integer()
    expiresAt = row.integer()
    wrongCount = row.integer()
  }
}

enum PairingCodeTable {
  /// The code of a selector, if it can be used.
  static func find(
    selector: String,
    in tx: borrowing WriteTransaction
  ) throws -> PairingCodeRecord? {
    try tx.first(
      PairingCodeRecord.columns,
      "WHERE selector = ? AND expires_at > ?",
      .text(selector),
      .integer(tx.now)
    )
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
        ORDER BY created_at, added LIMIT 1)
      """,
      .integer(tx.now)
    )
    return true
  }

  /// Adds it, in place of one that has expired, and drops the oldest ones beyond the shares of the family and
  /// made it.
  static func insert(_ record: PairingCodeRecord, in tx: borrowing WriteTransaction) throws {
    try remove(record, in: tx)
    let added = try tx.first("SELECT coalesce(max(added), 0) + 1 FROM pairing_code") {
      $0.integer(0)
    }
    try tx.insert(record, PairingCodeRecord.columns, beside: .integer(added ?? 1))
    for (column, value, countMax) in [
      ("family_id", record.familyID, PairingLimits.codesOfFamilyMax),
      ("issued_by", record.issuedBy, PairingLimits.codes.share),
    ] {
      try tx.execute(
        """
        DELETE FROM pairing_code WHERE selector IN (
          SELECT selector FROM pairing_code WHERE \(column) = ? ORDER BY created_at DESC, added DESC
          LIMIT \(Int64.max) OFFSET ?)
        """,
        .text(value),
        .integer(countMax)
      )
    }
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
