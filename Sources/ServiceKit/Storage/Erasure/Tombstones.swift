/// The names that were deleted for good and must not come back: by a late call, a repeated one, an import, an
/// invitation or a notification.
///
/// A tombstone says nothing of what it is about: it is a keyed code of 32 bytes, which only a user who has
/// both the key and the name can find again. Every service has a table of them, made by `table`.
public struct Tombstones: Sendable {
  /// The name that is looked for.
  public enum Name: Hashable, Sendable {
    /// A user, `usr_…`.
    case user(String)
    /// An address, as addresses are compared (`EmailAddress.key`).
    case address(String)
    /// An entity of TenancyService that could have entitlements.
    case holder(String)
    /// A subject of an issuer of identity tokens.
    case identity(issuer: String, subject: String)
    /// An account as the system called it from which it was imported.
    case imported(source: String, id: String)

    fileprivate var bytes: [UInt8] {
      switch self {
      case .user(let id): Array("user \(id)".utf8)
      case .address(let key): Array("address \(key)".utf8)
      case .holder(let id): Array("holder \(id)".utf8)
      // The length keeps issuer and subject apart, whatever is in them.
      case .identity(let issuer, let subject):
        Array("identity \(issuer.utf8.count) \(issuer) \(subject)".utf8)
      case .imported(let source, let id):
        Array("imported \(source.utf8.count) \(source) \(id)".utf8)
      }
    }
  }

  /// Makes the table, in a migration of the service.
  public static let table = """
    CREATE TABLE erased (
      key BLOB PRIMARY KEY,
      erased_at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX erased_by_time ON erased (erased_at);
    """

  private let key: HMACKey

  /// Works under a key of its own, derived from `secret`.
  public init(secret: HMACKey) {
    key = HMACKey(secret.code(of: Array("key of tombstones".utf8)))
  }

  /// Whether this was deleted.
  public func contains(_ name: Name, in tx: borrowing some Queryable) throws -> Bool {
    try tx.exists("SELECT 1 FROM erased WHERE key = ?", .blob(key.code(of: name.bytes)))
  }

  /// When this was deleted last, in milliseconds since 1970; nil when it was not.
  public func time(of name: Name, in tx: borrowing some Queryable) throws -> Int64? {
    try tx.first("SELECT erased_at FROM erased WHERE key = ?", .blob(key.code(of: name.bytes))) {
      $0.integer(0)
    }
  }

  /// Throws UNAUTHENTICATED for a user who was deleted: the token outlives its user by the moment until all
  /// services have heard of it.
  func refuse(_ caller: Caller, in tx: borrowing WriteTransaction) throws {
    guard let user = caller.user, try contains(.user(user.userID), in: tx) else { return }
    throw IdentityError.unauthenticated
  }

  /// Remembers that this was deleted now; false when it was known to have been deleted before.
  ///
  /// An address or an identity can be deleted again, with the account that it was used for since.
  @discardableResult
  public func insert(_ name: Name, in tx: borrowing WriteTransaction) throws -> Bool {
    let isNew = try !contains(name, in: tx)
    try tx.execute(
      """
      INSERT INTO erased (key, erased_at) VALUES (?, ?)
      ON CONFLICT (key) DO UPDATE SET erased_at = excluded.erased_at
      """,
      .blob(key.code(of: name.bytes)),
      .integer(tx.now)
    )
    return isNew
  }

  /// Forgets what was deleted before an instant, in milliseconds since 1970.
  public static func prune(before instant: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM erased WHERE erased_at < ?", .integer(instant))
  }
}
