/// A store's file that is made under another name, and gets its own once it is complete and on the disk.
struct NewStoreFile {
  let path: String

  /// Has `body` make the file, checks all of it, and gives it its name; a file of that name is replaced.
  ///
  /// It has mode 0600 and no log, and `PATH.lock` beside it has a digest of its pages. When anything fails, nothing
  /// remains of it.
  func write(
    _ body: (_ partial: String) throws(StoreError) -> SQLiteConnection
  ) throws(StoreError) {
    let partial = path + ".partial"
    let markerFile = try StoreFileHandle.openPrivately(path + ".lock")
    guard try markerFile.lock() else { throw .inUse(path: path) }
    defer { withExtendedLifetime(markerFile) {} }
    Self.remove(partial)
    do throws(StoreError) {
      try StoreFile.makePrivate(partial)
      var marker = try Self.finish(try body(partial))
      try StoreFile.synchronize(partial)
      if let file = try StoreFileHandle.openForReading(partial) {
        let (pageByteCount, _) = try FileInspection.header(file)
        let pages = try PageDigests(file, pageByteCount: pageByteCount)
        marker.state.pages = .init(count: pages.pageCount, digest: pages.total)
      }
      // It described the file that is replaced.
      try markerFile.empty()
      // The log of a file that was here before would be taken for this one's.
      StoreFile.remove(path + "-wal")
      StoreFile.remove(path + "-shm")
      try StoreFile.rename(partial, to: path)
      try StoreFile.synchronizeFolder(of: path)
      if marker.identity != nil { try marker.write(to: markerFile) }
    } catch {
      Self.remove(partial)
      throw error
    }
  }

  private static func remove(_ partial: String) {
    for suffix in ["", "-journal", "-wal", "-shm"] { StoreFile.remove(partial + suffix) }
  }

  /// Closes the file without a log; what is to be said of it, its pages excepted.
  private static func finish(_ file: SQLiteConnection) throws(StoreError) -> StoreMarker {
    // It says that it is written through a log, of which none is wanted beside it.
    _ = try file.first("PRAGMA journal_mode = DELETE") { $0.text(0) }
    try file.check(.full)
    var marker = StoreMarker()
    let applicationID = try file.first("PRAGMA application_id") { $0.integer(0) } ?? 0
    let schema = StoreSchema(connection: file, applicationID: Int32(clamping: applicationID))
    if let storeID = try schema.storeID() {
      marker.identity = .init(storeID: storeID, applicationID: schema.applicationID)
      marker.state = .init(log: .empty, revision: try file.lastRevision())
    }
    return marker
  }
}
