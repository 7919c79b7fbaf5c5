extension Database {
  /// Copies the store, as of one instant, to a new file, which can be opened like the store itself.
  ///
  /// Readers and writers continue in the meantime; the log grows until the copy is made. The copy has mode
  /// 0600, was checked in full, and has its name only once the disk has confirmed it; a file of that
  /// name is replaced. `PATH.lock` beside it has a digest of its pages, so that `verify` finds what
  /// becomes of the copy. Throws `StoreError`: `unavailable` when the disk of the copy is full.
  public func backup(to path: String) async throws(StoreError) {
    try await Self.backUp(configuration.path, to: path)
  }

  /// Copies the store in the file `source`, which another process may have open; otherwise like
  /// `backup(to:)`.
  public static func backUp(_ source: String, to path: String) async throws(StoreError) {
    guard path != source else {
      throw .cannotOpen(path: path, detail: "a store cannot be copied onto itself")
    }
    // On a thread of its own, as it may take minutes.
    try await StoreThread.result(name: "store-backup") { () throws(StoreError) in
      try StoreBackup(source: source, target: path).run()
    }
  }
}

/// One copy of a store.
private struct StoreBackup {
  let source: String
  let target: String

  private static let cacheByteCount = 1 << 20

  func run() throws(StoreError) {
    let partial = target + ".partial"
    let markerFile = try StoreFileHandle.openPrivately(target + ".lock")
    guard try markerFile.lock() else { throw .inUse(path: target) }
    defer { withExtendedLifetime(markerFile) {} }
    StoreFile.remove(partial)
    do throws(StoreError) {
      try StoreFile.makePrivate(partial)
      var marker = try copy(to: partial)
      try StoreFile.synchronize(partial)
      if let file = try StoreFileHandle.openForReading(partial) {
        let (pageByteCount, _) = try FileInspection.header(file)
        let pages = try PageDigests(file, pageByteCount: pageByteCount)
        marker.state.pages = .init(count: pages.pageCount, digest: pages.total)
      }
      // It described the file that is replaced.
      try markerFile.empty()
      // The log of a file that was here before would be taken for the copy's.
      StoreFile.remove(target + "-wal")
      StoreFile.remove(target + "-shm")
      try StoreFile.rename(partial, to: target)
      try StoreFile.synchronizeFolder(of: target)
      if marker.identity != nil { try marker.write(to: markerFile) }
    } catch {
      StoreFile.remove(partial)
      StoreFile.remove(partial + "-journal")
      throw error
    }
  }

  /// Copies the store; what is to be said of the copy, its pages excepted.
  private func copy(to partial: String) throws(StoreError) -> StoreMarker {
    let from = try SQLiteConnection(
      path: source,
      role: .reader,
      cacheByteCount: Self.cacheByteCount
    )
    let to = try SQLiteConnection(path: partial, role: .writer, cacheByteCount: Self.cacheByteCount)
    to.leaveLogAtEnd(false)
    try to.copyAll(of: from)
    // The copy says that it is written through a log, of which none is wanted beside the copy.
    _ = try to.first("PRAGMA journal_mode = DELETE") { $0.text(0) }
    try to.check(.full)
    var marker = StoreMarker()
    let applicationID = try to.first("PRAGMA application_id") { $0.integer(0) } ?? 0
    let schema = StoreSchema(connection: to, applicationID: Int32(clamping: applicationID))
    if let storeID = try schema.storeID() {
      marker.identity = .init(storeID: storeID, applicationID: schema.applicationID)
      marker.state = .init(log: .empty, revision: try to.lastRevision())
    }
    return marker
  }
}
