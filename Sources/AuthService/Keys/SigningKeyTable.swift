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
  static func all(
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [StoredSigningKey] {
    try tx.query("SELECT id, sealed, signs_from FROM signing_key ORDER BY signs_from, id") { row in
      StoredSigningKey(id: row.text(0), sealed: row.blob(1), from: row.integer(2))
    }
  }

  static func insert(
    _ key: StoredSigningKey,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "INSERT INTO signing_key (id, sealed, signs_from, created_at) VALUES (?, ?, ?, ?)",
      .text(key.id),
      .blob(key.sealed),
      .integer(key.from),
      .integer(now)
    )
  }

  static func delete(_ ids: [String], in tx: borrowing WriteTransaction) throws {
    for id in ids { try tx.execute("DELETE FROM signing_key WHERE id = ?", .text(id)) }
  }
}
