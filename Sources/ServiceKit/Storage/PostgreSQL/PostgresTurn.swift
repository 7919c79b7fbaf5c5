/// The turn to write in a store that several programs serve, and the one to lead them.
///
/// By advisory locks of the store's schema where the engine has such locks. They end with the transaction or the
/// connection that holds them, so a program that was cut off cannot write: no time and no promise of the program's own
/// is involved (PostgreSQL, "Advisory Locks"). Elsewhere rows of the store take their place (docs/decisions/0243).
/// Transactions of lanes share the turn, and exclude each other by their heads, and by a lock for the order of commits
/// (docs/decisions/0248).
///
/// Confined to the thread of its connection.
struct PostgresTurn {
  private let schemaID: Int64
  private let rows: TurnRows?

  /// Tells our locks from others' in the same database.
  private static let writing = 0x6761_7465
  private static let leading = 0x6761_7466
  private static let ordering = 0x6761_7467
  /// How long a turn is waited for, in seconds: longer than the server lets a program that has stopped hold one.
  private static let waitMax = 15

  /// Whether rows take the place of locks.
  var isByRows: Bool { rows != nil }

  /// The turn in the schema that a connection uses, by what the store there was made for.
  ///
  /// `makingRows` is for a store that is to be made with rows.
  init(_ server: PostgresConnection, makingRows: Bool = false) throws(StoreError) {
    let id = try server.first(
      "SELECT CAST(oid AS bigint) FROM pg_namespace WHERE nspname = current_schema()"
    ) { $0.integer(0) }
    guard let id else {
      throw .cannotOpen(
        path: server.path,
        detail: "the schema in its search_path does not exist: CREATE SCHEMA first"
      )
    }
    schemaID = id
    let usesRows = makingRows ? true : try TurnRows.areUsed(on: server)
    rows = usesRows ? TurnRows() : nil
  }

  /// The two numbers of a lock; the second is a signed one of 32 bits.
  private func key(_ lockClass: Int) -> String {
    "\(lockClass), \(Int32(truncatingIfNeeded: schemaID))"
  }

  /// Begin a transaction, of which the first statement waits for a turn.
  ///
  /// What was committed in the meantime is to be seen by the statements after it, so the isolation is not left to the
  /// server's default.
  private static let beginnings = [
    "BEGIN ISOLATION LEVEL READ COMMITTED", "SET LOCAL lock_timeout = '\(waitMax)s'",
  ]
  private static let beginning = beginnings.joined(separator: "; ")

  /// Begins a transaction that has the turn to write until its end, and runs a statement in it; all that with the next
  /// question.
  func begin(on server: PostgresConnection, with statement: String) throws(StoreError) {
    let taking =
      isByRows
      ? TurnRows.takingToWrite : "SELECT pg_advisory_xact_lock(\(key(Self.writing)))"
    for sql in Self.beginnings + [taking, statement] { try server.post(sql, []) }
  }

  /// Begins a transaction beside others that do not have the turn to write, in which nobody else has the heads, and runs
  /// a statement in it; all that with the next question.
  ///
  /// Programs lock heads in the same order, so that none waits for another in a circle.
  func beginBeside(
    on server: PostgresConnection,
    with statement: String,
    locking heads: Set<ConflictKey>
  ) throws(StoreError) {
    precondition(!isByRows, "rows of the store let nobody write beside the turn")
    let beside = "SELECT pg_advisory_xact_lock_shared(\(key(Self.writing)))"
    for sql in Self.beginnings + [beside, statement] { try server.post(sql, []) }
    let numbers = heads.map { $0.lockNumber(in: schemaID) }.sorted()
    try server.post(
      """
      SELECT pg_advisory_xact_lock(CAST(head AS bigint)) FROM unnest(string_to_array(?, ',')) AS head
      """,
      [.text(numbers.map(String.init).joined(separator: ","))]
    )
  }

  /// Waits, in a transaction that has begun beside others, until it is the next of them to commit; with the next question.
  func takeOrder(on server: PostgresConnection) throws(StoreError) {
    try server.post("SELECT pg_advisory_xact_lock(\(key(Self.ordering)))", [])
  }

  /// Runs `body` with the turn to write, over several transactions.
  func hold(
    on server: PostgresConnection,
    _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    guard !isByRows else { return try holdRows(beside: server, body) }
    try server.run(
      "\(Self.beginning); SELECT pg_advisory_lock(\(key(Self.writing))); COMMIT"
    )
    let result = Result { () throws(StoreError) in try body() }
    // It ends with the connection.
    if server.isConnected { try server.run("SELECT pg_advisory_unlock(\(key(Self.writing)))") }
    try result.get()
  }

  /// A transaction of another connection holds rows as long as `body` runs.
  private func holdRows(
    beside server: PostgresConnection,
    _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    let holder = try server.another()
    try holder.waitPatiently()
    try ConflictAttempts.run { () throws(StoreError) in
      if holder.isInTransaction { try holder.run("ROLLBACK") }
      try holder.run("\(Self.beginning); \(TurnRows.takingToMake); \(TurnRows.takingIfMade)")
    }
    let result = Result { () throws(StoreError) in try body() }
    if holder.isInTransaction { try holder.run("ROLLBACK") }
    try result.get()
  }

  /// Tries to lead, or to go on leading; the connection leads until its end, or the row for a while.
  func lead(on server: PostgresConnection, isLeading: Bool) throws(StoreError) -> Bool {
    if let rows { return try rows.lead(on: server) }
    if isLeading { return true }
    let isTaken = try server.first(
      "SELECT pg_try_advisory_lock(\(key(Self.leading)))"
    ) { $0.boolean(0) }
    return isTaken == true
  }

  /// Leads no longer, so that another program may.
  func stopLeading(on server: PostgresConnection) throws(StoreError) {
    if let rows { return try rows.stopLeading(on: server) }
    try server.run("SELECT pg_advisory_unlock(\(key(Self.leading)))")
  }
}
