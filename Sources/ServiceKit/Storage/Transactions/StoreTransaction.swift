/// The queries that both kinds of transaction allow.
///
/// Write look-ups that are needed in both as functions of `borrowing some Queryable`.
public protocol StoreTransaction: ~Copyable {
  /// Runs a SELECT and turns each row into a value.
  ///
  /// Throws `StoreError`, or what `row` throws.
  func query<T>(
    _ sql: String,
    values: [SQLValue],
    limit: Int,
    _ row: (borrowing Row) throws -> T
  ) throws -> [T]

  /// How the engine of the store lists its tables.
  var catalog: StoreCatalog { get }

  /// Whether earlier writes of the same commit changed something that this transaction may rely on.
  ///
  /// While it is false `rely` has nothing to say, so anyone who would have to work out what to rely on
  /// need not.
  var mayConflict: Bool { get }

  /// Says that this transaction goes by something that was read elsewhere than in it: in memory that
  /// follows commits (see `CommitFollower`).
  ///
  /// In a write that comes after one of the same commit that has changed it, this throws, and the write
  /// runs again once those before it are committed and memory has followed. Pass the error on. Reads
  /// have no predecessors and nothing happens.
  func rely(on key: ConflictKey) throws

  /// Whether the same write has touched something before: never outside of a write.
  func hasTouched(_ key: ConflictKey) -> Bool
}

/// Either kind of transaction, as a look-up takes it: `in tx: borrowing some Queryable`.
public typealias Queryable = StoreTransaction & ~Copyable

extension StoreTransaction where Self: ~Copyable {
  /// Runs a SELECT and turns each row into a value; one value for each `?`.
  ///
  /// ```swift
  /// let names = try tx.query("SELECT name FROM unit WHERE property_id = ?", .text(id)) { $0.text(0) }
  /// ```
  public func query<T>(
    _ sql: String,
    _ values: SQLValue...,
    row: (borrowing Row) throws -> T
  ) throws -> [T] {
    try query(sql, values: values, limit: .max, row)
  }

  /// Runs a SELECT whose values were collected in an array.
  public func query<T>(
    _ sql: String,
    values: [SQLValue],
    row: (borrowing Row) throws -> T
  ) throws -> [T] {
    try query(sql, values: values, limit: .max, row)
  }

  /// The value of the first row, or nil without one.
  public func first<T>(
    _ sql: String,
    _ values: SQLValue...,
    row: (borrowing Row) throws -> T
  ) throws -> T? {
    try query(sql, values: values, limit: 1, row).first
  }

  /// Whether there is a row.
  public func exists(_ sql: String, _ values: SQLValue...) throws -> Bool {
    try !query(sql, values: values, limit: 1) { _ in }.isEmpty
  }
}

/// A view of the store as it was at one instant.
public struct ReadTransaction: StoreTransaction, ~Copyable {
  private let connection: any StoreConnection

  // As that of `WriteTransaction`.
  @inline(never)
  init(_ connection: any StoreConnection) { self.connection = connection }

  /// An error that names the store's file, for rows that contradict each other.
  public func damage(_ detail: String) -> StoreError {
    .corrupt(path: connection.path, detail: detail)
  }

  /// See `StoreTransaction.query`.
  public func query<T>(
    _ sql: String,
    values: [SQLValue],
    limit: Int,
    _ row: (borrowing Row) throws -> T
  ) throws -> [T] {
    try connection.query(sql, values, limit: limit, row)
  }

  /// See `StoreTransaction.catalog`.
  public var catalog: StoreCatalog { connection.catalog }

  /// See `StoreTransaction.mayConflict`.
  public var mayConflict: Bool { false }

  /// See `StoreTransaction.rely`.
  public func rely(on key: ConflictKey) {}

  /// See `StoreTransaction.hasTouched`.
  public func hasTouched(_ key: ConflictKey) -> Bool { false }
}
