internal import ServiceKit

/// The code that claims a device, and since when its history is its owner's.
struct DeviceClaim: Hashable, Sendable {
  var deviceID: String
  /// The stored digest of the code; nil once it was used.
  var codeDigest: [UInt8]?
  /// Milliseconds since 1970.
  var issuedAt: Int64
  /// When the device was claimed; nil until then.
  var claimedAt: Int64?

  static let columns = RecordColumns<DeviceClaim>(
    "device_claim",
    beside: ["code_key"],
    .text("device_id", \.deviceID),
    .optionalBlob("code_digest", \.codeDigest),
    .integer("issued_at", \.issuedAt),
    .optionalInteger("claimed_at", \.claimedAt)
  ) { row in
    DeviceClaim(
      deviceID: row.text(),
      codeDigest: row.optionalBlob(),
      issuedAt: row.integer(),
      claimedAt: row.optionalInteger()
    )
  }
}

enum DeviceClaimTable {
  /// Bytes of a code's digest that find its row; all of them are compared then.
  private static let keyByteCount = 8

  private static let saving = DeviceClaim.columns.upsert(on: "device_id")

  static func put(_ claim: DeviceClaim, in tx: borrowing WriteTransaction) throws {
    let key: SQLValue = claim.codeDigest.map { .blob(Array($0.prefix(keyByteCount))) } ?? .null
    try tx.save(claim, saving, beside: key)
  }

  /// The claim of a code that was not used.
  static func find(
    codeDigest: [UInt8],
    in tx: borrowing some Queryable
  ) throws -> DeviceClaim? {
    try tx.query(
      DeviceClaim.columns,
      "WHERE code_key = ?",
      .blob(Array(codeDigest.prefix(keyByteCount)))
    ).first { claim in claim.codeDigest.map { Digests.areEqual($0, codeDigest) } ?? false }
  }

  /// When a device was claimed last; nil when that never happened.
  static func claimedAt(_ deviceID: String, in tx: borrowing some Queryable) throws -> Int64? {
    try tx.first(DeviceClaim.columns, "WHERE device_id = ?", .text(deviceID))?.claimedAt
  }
}
