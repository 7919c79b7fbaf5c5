/// A store that was found in order and brought to the program's schema, and the seal on its files.
///
/// Confined to the writer's thread.
final class OpenedStore {
  let connection: SQLiteConnection
  let seal: StoreSeal
  /// The newest change that was ever logged, or 0.
  let lastRevision: Int64
  let pageByteCount: Int

  init(_ configuration: DatabaseConfiguration, migrations: [Migration]) throws(StoreError) {
    seal = try StoreSeal(
      configuration.path,
      checkByteCountMax: configuration.checkByteCountMax
    )
    connection = try SQLiteConnection(
      path: configuration.path,
      role: .writer,
      cacheByteCount: configuration.cacheByteCount,
      fileSystem: configuration.fileSystem,
      seal: seal
    )
    let schema = StoreSchema(connection: connection, applicationID: configuration.applicationID)
    let isNew = try schema.isNew()
    try schema.inspect(migrations)
    try seal.check(storeID: try schema.storeID(), revision: try connection.lastRevision())
    try connection.startLog(
      byteCountKept: configuration.checkpointByteCount,
      pageCountMax: configuration.pageCountMax
    )
    let byteCount = StoreFile.byteCount(configuration.path) ?? 0
    if byteCount <= configuration.checkByteCountMax { try connection.check(.quick) }
    try schema.migrate(migrations)
    // What was just made of nothing is as the migrations make it.
    if !isNew { try connection.checkSchema(configuration, migrations) }
    try StoreFile.synchronizeFolder(of: configuration.path)
    pageByteCount = try connection.pageByteCount
    lastRevision = try connection.lastRevision()
    guard let storeID = try schema.storeID() else {
      throw .corrupt(path: configuration.path, detail: "its identity is missing")
    }
    try seal.begin(
      storeID: storeID,
      applicationID: configuration.applicationID,
      revision: lastRevision
    )
  }
}

extension SQLiteConnection {
  /// Throws `corrupt` unless the schema is what the migrations make.
  ///
  /// Known by its digest; where that differs, the migrations are run in memory, which takes a third of a start.
  fileprivate func checkSchema(
    _ configuration: DatabaseConfiguration,
    _ migrations: [Migration]
  ) throws(StoreError) {
    let listing = try SchemaListing(self)
    guard configuration.schemaDigest != listing.digest else { return }
    try listing.check(against: .expected(migrations), path: configuration.path)
  }

  /// The newest change that was ever logged, or 0; for files of any age.
  func lastRevision() throws(StoreError) -> Int64 {
    // Before the first AUTOINCREMENT there is no such table.
    let hasSequences = try first(
      "SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'"
    ) { _ in true }
    guard hasSequences == true else { return 0 }
    return try first("SELECT seq FROM sqlite_sequence WHERE name = 'change_log'") {
      $0.integer(0)
    } ?? 0
  }
}

extension SQLiteConnection {
  /// How thoroughly a file is checked (sqlite.org/pragma.html).
  enum CheckDepth: String {
    /// Structure only.
    case quick = "quick_check"
    /// Indexes against their tables too; several times slower.
    case full = "integrity_check"
  }

  /// Reads the whole file and throws `StoreError.corrupt` at the first thing that is wrong.
  func check(_ depth: CheckDepth) throws(StoreError) {
    let finding = try first("PRAGMA \(depth.rawValue)(1)") { $0.text(0) }
    guard finding == "ok" else { throw .corrupt(path: path, detail: finding ?? "no answer") }
  }
}
