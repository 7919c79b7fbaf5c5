/// A file that was found in order and brought to the program's schema, and the lock on it.
///
/// Confined to the writer's thread.
final class OpenedStore {
  let connection: SQLiteConnection
  /// The newest change that was ever logged, or 0.
  let lastRevision: Int64
  let pageByteCount: Int
  private let lock: StoreFile.Lock

  init(_ configuration: DatabaseConfiguration, migrations: [Migration]) throws(StoreError) {
    lock = try StoreFile.lock(configuration.path)
    try StoreFile.makePrivate(configuration.path)
    connection = try SQLiteConnection(
      path: configuration.path,
      role: .writer,
      cacheByteCount: configuration.cacheByteCount,
      fileSystem: configuration.fileSystem
    )
    let schema = StoreSchema(connection: connection, applicationID: configuration.applicationID)
    try schema.inspect(migrations)
    try connection.startLog(
      byteCountKept: configuration.checkpointByteCount,
      pageCountMax: configuration.pageCountMax
    )
    if configuration.checksAtOpen { try connection.check(.quick) }
    try schema.migrate(migrations)
    try StoreFile.synchronizeFolder(of: configuration.path)
    pageByteCount = try connection.pageByteCount
    lastRevision =
      try connection.first("SELECT seq FROM sqlite_sequence WHERE name = 'change_log'") {
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
