/// The state of a store on a server that was copied elsewhere: triggers that refuse every write.
///
/// They hold for all programs that serve the store, of whatever version, and cost nothing before.
struct PostgresMove {
  /// The SQLSTATE of the refusal: its class is none of the standard's or of PostgreSQL's.
  static let errorState = "MOVED"
  /// The name of the triggers and of their function.
  private static let name = "store_moved"

  private let connection: PostgresConnection

  init(_ connection: PostgresConnection) { self.connection = connection }

  /// Where the store was copied to; nil for one that takes writes.
  var target: String? {
    get throws(StoreError) {
      try connection.first(
        """
        SELECT coalesce(obj_description(oid, 'pg_proc'), '') FROM pg_proc
        WHERE proname = ? AND pronamespace = CAST(current_schema() AS regnamespace)
        """,
        [.text(Self.name)]
      ) { $0.text(0) }
    }
  }

  /// Refuses writes from now on, in the transaction of the connection, which has the turn to write.
  func mark(_ tables: [CopiedTable], for target: String) throws(StoreError) {
    let text =
      "'"
      + target.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "''") + "'"
    try connection.run(
      """
      CREATE FUNCTION \(Self.name)() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          RAISE EXCEPTION USING ERRCODE = '\(Self.errorState)',
            MESSAGE = obj_description(CAST('\(Self.name)' AS regproc), 'pg_proc');
        END
      $$
      """
    )
    try connection.run("COMMENT ON FUNCTION \(Self.name)() IS \(text)")
    for table in tables {
      try connection.run(
        """
        CREATE TRIGGER \(Self.name) BEFORE UPDATE OR DELETE OR INSERT ON \(table.name)
        FOR EACH STATEMENT EXECUTE FUNCTION \(Self.name)()
        """
      )
    }
  }

  /// Takes writes again; false when the store did anyway.
  func unmark() throws(StoreError) -> Bool {
    guard try target != nil else { return false }
    // With its triggers.
    try connection.run("DROP FUNCTION \(Self.name)() CASCADE")
    return true
  }
}
