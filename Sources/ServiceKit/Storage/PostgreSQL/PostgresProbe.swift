/// Finds out at the start whether the engine of a server keeps what a store with several programs rests on.
///
/// Engines that speak the protocol of PostgreSQL may accept its advisory locks and hold off nobody, so whether they do is
/// tried with two sessions. A version would say less: one of YugabyteDB released the lock that it was asked to take.
struct PostgresProbe {
  private let server: PostgresConnection
  /// A session beside that of the server's connection, in a transaction.
  private let other: PostgresConnection

  /// A class of locks that are taken for a moment, with the number of a session.
  private static let trial = 0x6761_7467
  private static let secondTrial = 0x6761_7468

  /// The profile for a store at a place; throws `cannotOpen`, with what to do, for a server on which programs would not
  /// be kept apart.
  static func profile(
    of server: PostgresConnection,
    at location: PostgresLocation,
    _ memory: StoreTimeline
  ) throws(StoreError) -> PostgresProfile {
    let other = try PostgresConnection(location, memory)
    // Its transactions go on until here, and may be ended by the server before on a machine that stalls.
    defer { withExtendedLifetime(other) {} }
    try PostgresSessions.require(server, beside: other)
    return try PostgresProbe(server: server, other: other).profile()
  }

  private func profile() throws(StoreError) -> PostgresProfile {
    let writing = try claims("BEGIN ISOLATION LEVEL READ COMMITTED")
    let reading = try claims("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    guard ["repeatable read", "serializable"].contains(reading.isolation) else {
      throw refusal(writing, "gives no snapshot: a transaction is \(reading.isolation)")
    }
    let wasMadeWithRows = try PostgresTurn(server).isByRows
    let mayUseLocks = !wasMadeWithRows && writing.isolation == "read committed"
    let hasLocks = mayUseLocks ? try locksExclude() : false
    if !hasLocks { try requireRows(writing, areMade: wasMadeWithRows) }
    return PostgresProfile(
      engine: writing.engine,
      isByRows: !hasLocks,
      hasTimeline: server.hasTimeline,
      endsIdleTransactions: writing.endsIdleTransactions
    )
  }

  // MARK: The engine's own word

  private struct Claims {
    let engine: String
    let isolation: String
    let endsIdleTransactions: Bool
  }

  /// The claims of a transaction that begins so.
  private func claims(_ beginning: String) throws(StoreError) -> Claims {
    try server.run(beginning)
    // YugabyteDB calls a snapshot "read committed" unless it is asked for the effective level.
    let found = try server.first(
      """
      SELECT version(),
        lower(coalesce(current_setting('yb_effective_transaction_isolation_level', true),
          current_setting('transaction_isolation'))),
        coalesce(current_setting('idle_in_transaction_session_timeout', true), '0')
      """
    ) { row in
      Claims(
        engine: Self.shortened(row.text(0)),
        isolation: row.text(1),
        endsIdleTransactions: !["", "0", "0s"].contains(row.text(2))
      )
    }
    try server.run("COMMIT")
    return found ?? Claims(engine: "an engine", isolation: "", endsIdleTransactions: false)
  }

  /// The version without the machine that it was built for.
  private static func shortened(_ version: String) -> String {
    let end = version.firstRange(of: " on ")?.lowerBound ?? version.endIndex
    return String(version[..<end].prefix(100))
  }

  // MARK: Locks

  /// Whether advisory locks of a transaction and of a session hold off another session.
  private func locksExclude() throws(StoreError) -> Bool {
    do throws(StoreError) {
      return try locksExcludeIfThere()
    } catch .statement {
      // There are no such functions.
      if other.isInTransaction { try other.run("ROLLBACK") }
      return false
    }
  }

  private func locksExcludeIfThere() throws(StoreError) -> Bool {
    let found = try other.first(
      "SELECT pg_backend_pid(), pg_advisory_xact_lock(\(Self.trial), pg_backend_pid())"
    ) { $0.integer(0) }
    let number = found ?? 0
    let (first, second) = ("\(Self.trial), \(number)", "\(Self.secondTrial), \(number)")
    try server.run("SELECT pg_advisory_lock(\(second))")
    let isFirstTaken = try isTaken(first, from: server)
    let isSecondTaken = try isTaken(second, from: other)
    // Both sessions are there still, so what one has taken was taken from the other.
    try server.run("SELECT pg_advisory_unlock(\(second))")
    return isFirstTaken && isSecondTaken
  }

  /// Whether a session cannot take a lock, since another one has it.
  private func isTaken(
    _ key: String,
    from session: PostgresConnection
  ) throws(StoreError) -> Bool {
    try session.first("SELECT pg_try_advisory_lock(\(key))") { $0.boolean(0) } == false
  }

  // MARK: Rows

  /// Throws unless a row of the store holds off another session.
  private func requireRows(_ claims: Claims, areMade: Bool) throws(StoreError) {
    if !areMade {
      guard try !server.hasTable("store_schema") else { throw Self.lostLocks(server.path) }
      try TurnRows.prepare(on: server)
    }
    guard try rowsExclude() else {
      throw refusal(
        claims,
        "lets two programs write at once: neither advisory locks nor a locked row exclude another session"
      )
    }
  }

  private func rowsExclude() throws(StoreError) -> Bool {
    if other.isInTransaction { try other.run("ROLLBACK") }
    // If another program that starts has the row, it holds off both of these.
    if try isHeldOff(other, from: "BEGIN; \(TurnRows.takingToMake)") { return true }
    return try isHeldOff(server, from: TurnRows.lockingAtOnce)
  }

  /// Whether a session is kept from a statement by another one.
  private func isHeldOff(
    _ session: PostgresConnection,
    from statement: String
  ) throws(StoreError) -> Bool {
    do throws(StoreError) {
      try session.run(statement)
      return false
    } catch .conflict {
      return true
    } catch .unavailable(let reason) {
      guard session.isConnected else { throw .unavailable(reason) }
      return true
    }
  }

  // MARK: Refusals

  /// The refusal of a server that has no locks for a store that was made with such.
  static func lostLocks(_ path: String) -> StoreError {
    .cannotOpen(
      path: path,
      detail:
        "the store was made for advisory locks, and those of this server do not exclude other sessions: "
        + "run copy-store where the store works, which makes one for this server"
    )
  }

  private func refusal(_ claims: Claims, _ what: String) -> StoreError {
    .cannotOpen(
      path: server.path,
      detail:
        "\(claims.engine) \(what). Keep the store on PostgreSQL 14 or newer, or in a file (database)"
    )
  }
}
