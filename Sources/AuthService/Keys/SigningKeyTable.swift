internal import ServiceKit

/// A signing key as it lies in the store: sealed.
struct StoredSigningKey: Hashable, Sendable {
  /// Its name.
  var id: String
  /// The private key, sealed for `purpose(of:)`.
  var sealed: [UInt8]
  /// When it begins to sign, in milliseconds since 1970.
  var from: Int64

  /// The sealing purpose of a key.
  static func purpose(of id: String) -> String { "signing key \(id)" }
}

/// Signing keys in the store.
enum SigningKeyTable {
  static let columns = RecordColumns<StoredSigningKey>(
    "signing_key",
    beside: ["created_at"],
    .text("id", \.id),
    .blob("sealed", \.sealed),
    .integer("signs_from", \.from)
  ) { row in StoredSigningKey(id: row.text(), sealed: row.blob(), from: row.integer()) }

  static func all(in tx: borrowing some Queryable) throws -> [StoredSigningKey] {
    try tx.query(columns, "ORDER BY signs_from, id")
  }

  static func insert(
    _ key: StoredSigningKey,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.insert(key, columns, beside: .integer(now))
  }

  static func delete(_ ids: [String], in tx: borrowing WriteTransaction) throws {
    for id in ids { try tx.execute("DELETE FROM signing_key WHERE id = ?", .text(id)) }
  }
}
