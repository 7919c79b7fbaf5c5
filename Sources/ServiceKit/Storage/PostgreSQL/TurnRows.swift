/// Rows of a store that take the place of advisory locks, on an engine whose locks exclude nobody.
///
/// A turn is taken by a change of its row, which every engine orders: the next one waits for the commit, or fails with a
/// conflict and is tried again. A lock of the row alone (FOR UPDATE) would let an engine that reads from one snapshot
/// go on without the commit that it has waited for.
///
/// Confined to the thread of its connection.
final class TurnRows {
  /// The name of their table, which is none of those that a service knows.
  static let tableName = "store_turn"

  /// The number of this program's time as the leader; nil while it does not lead.
  private var term: Int64?

  /// How long a program leads that says nothing, in milliseconds.
  private static let leaseDuration = 5000

  // MARK: The rows

  /// Makes the table and the row that stands for a store that is about to be made.
  ///
  /// The kind of turn is decided by the other rows, which come with the store, in one transaction.
  static func prepare(on server: PostgresConnection) throws(StoreError) {
    try server.run(
      """
      CREATE TABLE IF NOT EXISTS \(tableName) (
        name text PRIMARY KEY, term bigint NOT NULL, ends_at bigint NOT NULL
      );
      INSERT INTO \(tableName) VALUES ('make', 0, 0) ON CONFLICT (name) DO NOTHING
      """
    )
  }

  /// The rows of a store that is made.
  static let rowsOfStore = "INSERT INTO \(tableName) VALUES ('write', 0, 0), ('lead', 0, 0)"

  /// Whether a store was made with them.
  static func areUsed(on server: PostgresConnection) throws(StoreError) -> Bool {
    guard try server.hasTable(tableName) else { return false }
    let count = try server.first("SELECT count(*) FROM \(tableName) WHERE name = 'write'") {
      $0.integer(0)
    }
    return count == 1
  }

  // MARK: The turn to write

  /// Takes the turn; divides by zero where its row is gone, which excludes nobody.
  static let takingToWrite = taking("write", ifMissing: "1 / count(*)")
  /// Takes the turn to make a store.
  static let takingToMake = taking("make", ifMissing: "1 / count(*)")
  /// Takes the turn to write in a store that may have been made while it was waited for.
  static let takingIfMade = taking("write", ifMissing: "count(*)")

  private static func taking(_ name: String, ifMissing result: String) -> String {
    """
    WITH taken AS (UPDATE \(tableName) SET term = term + 1 WHERE name = '\(name)' RETURNING term)
    SELECT \(result) FROM taken
    """
  }

  /// Fails at once while another transaction has taken the turn to make a store.
  static let lockingAtOnce = "SELECT term FROM \(tableName) WHERE name = 'make' FOR UPDATE NOWAIT"

  // MARK: Who leads

  /// The time of the server, in milliseconds: programs need not agree on theirs.
  private static let now = "CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)"

  /// Goes on leading, or begins to where nobody leads.
  func lead(on server: PostgresConnection) throws(StoreError) -> Bool {
    if let term, try prolong(term, on: server) { return true }
    term = try server.first(
      """
      UPDATE \(Self.tableName) SET term = term + 1, ends_at = \(Self.now) + \(Self.leaseDuration)
      WHERE name = 'lead' AND ends_at < \(Self.now) RETURNING term
      """
    ) { $0.integer(0) }
    return term != nil
  }

  private func prolong(_ term: Int64, on server: PostgresConnection) throws(StoreError) -> Bool {
    let count = try server.execute(
      """
      UPDATE \(Self.tableName) SET ends_at = \(Self.now) + \(Self.leaseDuration)
      WHERE name = 'lead' AND term = ?
      """,
      [.integer(term)]
    )
    return count == 1
  }

  /// Leads no longer.
  func stopLeading(on server: PostgresConnection) throws(StoreError) {
    guard let term else { return }
    self.term = nil
    try server.execute(
      "UPDATE \(Self.tableName) SET ends_at = 0 WHERE name = 'lead' AND term = ?",
      [.integer(term)]
    )
  }
}
