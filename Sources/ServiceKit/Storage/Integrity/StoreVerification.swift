extension Database {
  /// Reads all of a store, or of a copy, and returns what is wrong with it; empty when all is in order.
  ///
  /// Changes nothing in the store, which a service may have open: SQLite reads beside it. Takes some
  /// seconds for each GiB; `progress` gets a line for each part that was checked. Throws
  /// `StoreError.unavailable` when no thread can be started.
  public static func verify(
    _ path: String,
    _ definition: StoreDefinition,
    progress: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws(StoreError) -> [String] {
    if let server = try TestServer.location(of: path) {
      return try await verify(server, definition, progress: progress)
    }
    return try await StoreThread.result(name: "store-verify") { () throws(StoreError) in
      StoreVerification(path, definition, progress).run()
    }
  }
}

/// One reading of a store from end to end.
private struct StoreVerification {
  let path: String
  let definition: StoreDefinition
  let progress: (String) -> Void
  private var findings: [String] = []

  /// Findings of one check that are listed.
  private static let findingCountMax = 20
  /// How often files are compared again when the service wrote them in the meantime.
  private static let attemptCount = 5

  init(_ path: String, _ definition: StoreDefinition, _ progress: @escaping (String) -> Void) {
    self.path = path
    self.definition = definition
    self.progress = progress
  }

  consuming func run() -> [String] {
    do throws(StoreError) {
      let path = try StoreFile.canonical(path)
      // Not opened by SQLite when the files contradict each other: it would mend them in its own way.
      guard try checkFiles(path) else { return findings }
      try checkContents(path)
    } catch {
      findings.append(Self.text(error))
    }
    return findings
  }

  private static func text(_ error: StoreError) -> String {
    if case .corrupt(let path, let detail) = error { "\(path): \(detail)" } else { "\(error)" }
  }

  // MARK: Files

  private mutating func checkFiles(_ path: String) throws(StoreError) -> Bool {
    guard let file = try StoreFileHandle.openForReading(path) else {
      findings.append("\(path): file not found")
      return false
    }
    var (error, attempts): (StoreError?, Int) = (nil, 0)
    repeat {
      attempts += 1
      error = nil
      do throws(StoreError) {
        let marker = try readMarker(path)
        let inspection = FileInspection(path: path, marker: marker)
        guard try !inspection.isNew() else {
          throw .corrupt(path: path, detail: "it is empty")
        }
        let (pageByteCount, _) = try FileInspection.header(file)
        let log = try LogScan(StoreFileHandle.openForReading(path + "-wal"))
        let pages = try PageDigests(file, pageByteCount: pageByteCount)
        // A service that has it open says beforehand that it is going to change the file.
        let isStill = try readMarker(path).state.pages == marker.state.pages
        if isStill {
          let byteCount = try file.byteCount
          try inspection.check(pages, byteCount: byteCount, pageByteCount: pageByteCount)
        }
        try inspection.check(log)
        tell(marker, pages, log, isStill: isStill)
      } catch let failure {
        error = failure
      }
    } while error != nil && attempts < Self.attemptCount
    guard let error else { return true }
    findings.append(Self.text(error))
    return false
  }

  private func readMarker(_ path: String) throws(StoreError) -> StoreMarker {
    guard let file = try StoreFileHandle.openForReading(path + ".lock") else {
      return StoreMarker()
    }
    return try StoreMarker.read(file)
  }

  private func tell(_ marker: StoreMarker, _ pages: PageDigests, _ log: LogScan, isStill: Bool) {
    if marker.state.pages != nil, isStill {
      progress("\(pages.pageCount) pages are as they were written")
    } else {
      progress("\(pages.pageCount) pages, of which no digest is known")
    }
    switch marker.state.log {
    case .atLeast(_, let count):
      progress("\(log.committedFrameCount) pages in the log, of which \(count) must be there")
    case .empty: progress("no log, and none is missing")
    case .unknown:
      progress("\(log.committedFrameCount) pages in the log; how many must be there is not known")
    }
  }

  // MARK: Contents

  private mutating func checkContents(_ path: String) throws(StoreError) {
    let connection = try SQLiteConnection(path: path, role: .reader, cacheByteCount: 8 << 20)
    let schema = StoreSchema(connection: connection, applicationID: definition.applicationID)
    try schema.inspect(definition.migrations)
    let marker = try readMarker(path)
    if let identity = marker.identity, try schema.storeID() != identity.storeID {
      findings.append("\(path): another store was here: this one has another identity")
    }
    progress("the store of this service, of a schema that this program knows")
    try list("PRAGMA integrity_check(\(Self.findingCountMax))", "structure and indexes") {
      $0.text(0) == "ok" ? nil : $0.text(0)
    }
    try list("PRAGMA foreign_key_check", "references between tables") {
      "a row of \($0.text(0)) refers to nothing in \($0.text(2))"
    }
    try checkSchema(connection, schema)
    try checkChanges(connection)
    try count(connection)

    func list(
      _ sql: String,
      _ what: String,
      _ finding: (borrowing Row) -> String?
    ) throws(StoreError) {
      let found = try rows(connection, sql) { finding($0) }.compactMap { $0 }
      findings += found.map { "\(path): \($0)" }
      if found.isEmpty { progress("\(what): no damage found") }
    }
  }

  private mutating func checkSchema(
    _ connection: SQLiteConnection,
    _ schema: StoreSchema
  ) throws(StoreError) {
    guard try schema.isNewest(definition.migrations) else {
      return progress("the schema is older than this program, which will migrate it")
    }
    let listing = try SchemaListing(connection)
    if let finding = listing.finding(against: try .expected(definition.migrations)) {
      findings.append("\(connection.path): \(finding)")
    } else {
      progress("the schema is what the migrations make")
    }
    for check in definition.checks {
      let found = try check.findings(on: connection)
      findings += found.map { "\(connection.path): \($0)" }
      if found.isEmpty { progress("\(check.name): no damage found") }
    }
  }

  /// Revisions count up without gaps from the newest that was purged, since nothing but a purge deletes
  /// them and what is undone gives its revision back.
  private mutating func checkChanges(_ connection: SQLiteConnection) throws(StoreError) {
    let found = try connection.first(
      """
      SELECT count(*), coalesce(min(revision), 0), coalesce(max(revision), 0),
        (SELECT purged_revision FROM store_version) FROM change_log
      """
    ) { ($0.integer(0), $0.integer(1), $0.integer(2), $0.integer(3)) }
    let newest = try connection.lastRevision()
    guard let (count, first, last, purged) = found else { return }
    let isGapless = count == 0 ? newest == purged : first == purged + 1 && last - first + 1 == count
    if isGapless, count == 0 || last == newest {
      progress("\(count) changes up to revision \(newest), none missing")
    } else {
      findings.append(
        "\(connection.path): of changes \(purged + 1) to \(newest) only \(count) exist"
      )
    }
  }

  private mutating func count(_ connection: SQLiteConnection) throws(StoreError) {
    let tables = try rows(
      connection,
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name"
    ) { $0.text(0) }
    for table in tables {
      let count = try connection.first("SELECT count(*) FROM \"\(table)\"") { $0.integer(0) } ?? 0
      progress("\(table): \(count) rows")
    }
  }

  private func rows<T>(
    _ connection: SQLiteConnection,
    _ sql: String,
    _ body: (borrowing Row) -> T
  ) throws(StoreError) -> [T] {
    do {
      return try connection.query(sql, limit: Self.findingCountMax * 5, body)
    } catch let error as StoreError {
      throw error
    } catch {
      preconditionFailure("a query whose rows do not throw threw \(error)")
    }
  }
}
