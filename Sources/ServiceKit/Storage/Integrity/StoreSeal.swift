/// Keeps a store's files to itself and remembers how they were left, so that the next start finds out
/// what became of them in the meantime.
///
/// Confined to the writer's thread, and lives until SQLite has closed the file.
final class StoreSeal {
  let path: String
  /// Whether the store was not there before.
  let isNew: Bool
  private(set) var marker: StoreMarker

  private let markerFile: StoreFileHandle
  private let file: StoreFileHandle
  private let checkByteCountMax: Int
  private var pageByteCount = 0
  /// Nil when the file is too large to be digested.
  private var pages: PageDigests?
  /// The run of the log; nil when it may have begun again.
  private var salts: LogScan.Salts?
  /// Whether the file may differ from what was digested.
  private var mayHaveChanged = true

  /// Locks a store, and looks at its files before anybody else does.
  ///
  /// Throws `inUse`, `missing`, `corrupt`, `cannotOpen`.
  init(_ path: String, checkByteCountMax: Int) throws(StoreError) {
    self.path = path
    self.checkByteCountMax = checkByteCountMax
    markerFile = try StoreFileHandle.openPrivately(path + ".lock")
    guard try markerFile.lock() else { throw .inUse(path: path) }
    marker = try StoreMarker.read(markerFile)
    let inspection = FileInspection(path: path, marker: marker)
    isNew = try inspection.isNew()
    file = try StoreFileHandle.openStore(path)
    if !isNew { try inspect(inspection) }
  }

  private func inspect(_ inspection: FileInspection) throws(StoreError) {
    // Of a store that was never opened in full, or not since there are markers, nothing is known, and a
    // creation that was cut off is for SQLite to undo.
    guard marker.identity != nil else { return }
    let (pageByteCount, usesLog) = try FileInspection.header(file)
    self.pageByteCount = pageByteCount
    let byteCount = try file.byteCount
    if byteCount <= checkByteCountMax {
      let pages = try PageDigests(file, pageByteCount: pageByteCount)
      try inspection.check(pages, byteCount: byteCount, pageByteCount: pageByteCount)
      self.pages = pages
    }
    try inspection.check(try LogScan(StoreFileHandle.openForReading(path + "-wal")))
    // From here on SQLite may write: the header of a copy, which is not kept with a log, and the log.
    let hasJournal = StoreFile.byteCount(path + "-journal") ?? 0 > 0
    mayHaveChanged = pages == nil || !usesLog || hasJournal
    if !usesLog { marker.state.pages = nil }
    if marker.state.log == .empty || !usesLog { try update { $0.log = .unknown } }
  }

  /// Checks that the store inside the file is the one that was here, and not an older copy of it.
  func check(storeID: [UInt8]?, revision: Int64) throws(StoreError) {
    guard let identity = marker.identity else { return }
    guard identity.storeID == storeID else {
      throw .corrupt(path: path, detail: "it is not the store that was here before")
    }
    guard revision >= marker.state.revision else {
      throw .corrupt(
        path: path,
        detail: "it ends with change \(revision), but change \(marker.state.revision) was committed"
      )
    }
  }

  /// The store is open and in order: from now on it is known that it was there.
  func begin(storeID: [UInt8], applicationID: Int32, revision: Int64) throws(StoreError) {
    if mayHaveChanged {
      pageByteCount = try FileInspection.header(file).pageByteCount
      let isSmall = try file.byteCount <= checkByteCountMax
      pages = isSmall ? try PageDigests(file, pageByteCount: pageByteCount) : nil
      mayHaveChanged = false
    }
    // A process that was killed may have left pages that only the kernel has; what is said of them below
    // must not outlive them.
    try file.synchronize()
    marker.identity = .init(storeID: storeID, applicationID: applicationID)
    marker.state.pages = pages.map { .init(count: $0.pageCount, digest: $0.total) }
    marker.state.revision = max(marker.state.revision, revision)
    try marker.write(to: markerFile)
  }

  /// A commit was confirmed by the disk; the log has so many frames now.
  ///
  /// It is not synced: a process that is killed leaves it behind, and after a loss of power the
  /// marker tells of less than there is.
  func committed(frameCount: Int, revision: Int64) {
    do throws(StoreError) {
      if salts == nil { salts = try LogScan.salts(path + "-wal") }
      guard let salts else { return }
      marker.state.log = .atLeast(salts, frameCount: UInt32(clamping: frameCount))
      marker.state.revision = max(marker.state.revision, revision)
      try marker.writeState(to: markerFile)
    } catch {
      // The store itself is written; only less will be known of it.
    }
  }

  /// Runs a checkpoint, before which what is said of the file is taken back.
  ///
  /// Nil, and nothing was moved, when the disk does not take even that. After one that `emptiesLog` nothing
  /// is known of the log until the next commit: otherwise a start after a crash would miss what it had.
  func aroundCheckpoint(
    isLast: Bool = false,
    emptiesLog: Bool = false,
    _ body: () -> SQLiteConnection.Checkpoint
  ) -> SQLiteConnection.Checkpoint? {
    let moved: Set<Int>
    do throws(StoreError) {
      moved = pages == nil ? [] : try LogScan.pages(path + "-wal", pageByteCount: pageByteCount)
      if marker.state.pages != nil || isLast || emptiesLog {
        try update { state in
          state.pages = nil
          if isLast || emptiesLog { state.log = .unknown }
        }
      }
    } catch {
      return nil
    }
    let result = body()
    salts = nil
    note(result, moved, isLast: isLast)
    return result
  }

  private func note(_ result: SQLiteConnection.Checkpoint, _ moved: Set<Int>, isLast: Bool) {
    do throws(StoreError) {
      let isSmall = try file.byteCount <= checkByteCountMax
      if !result.isSound || !isSmall { pages = nil }
      try pages?.update(file, pages: moved)
      // Only a complete one has had the disk confirm the file (walCheckpoint in SQLite's wal.c).
      guard result.isComplete else { return }
      marker.state.pages = pages.map { .init(count: $0.pageCount, digest: $0.total) }
      if isLast { marker.state.log = .empty }
      try marker.writeState(to: markerFile)
      if isLast { try markerFile.synchronize() }
    } catch {
      // What cannot be read again, or said, is not known of the file from now on.
      pages = nil
      marker.state.pages = nil
    }
  }

  /// Changes what is said of the files, and has the disk confirm it.
  private func update(_ change: (inout StoreMarker.State) -> Void) throws(StoreError) {
    change(&marker.state)
    guard marker.identity != nil else { return }
    try marker.writeState(to: markerFile)
    try markerFile.synchronize()
  }
}
