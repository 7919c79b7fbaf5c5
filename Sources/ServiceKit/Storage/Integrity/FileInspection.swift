/// The state of a store's files before SQLite opens them, which may change them: it deletes a
/// log beside an empty file, and ends a log where its checksums end.
struct FileInspection {
  let path: String
  let marker: StoreMarker

  /// How far a log's number of runs may be ahead of the marker's, which notes each run but need not
  /// survive a loss of power.
  private static let runCountMax: UInt32 = 4096

  /// Whether a store must be made: nothing says that there ever was one.
  ///
  /// Throws when one was there, or its log is.
  func isNew() throws(StoreError) -> Bool {
    guard StoreFile.byteCount(path) ?? 0 == 0 else { return false }
    if marker.identity != nil {
      throw .missing(path: path, isEmpty: StoreFile.byteCount(path) != nil)
    }
    if StoreFile.byteCount(path + "-wal") ?? 0 > 0 {
      throw .corrupt(path: path, detail: "it is missing or empty, but its log is not: \(path)-wal")
    }
    return true
  }

  /// Bytes in a page, from the header (sqlite.org/fileformat2.html, "The Database Header"), and whether
  /// the file is written through a log.
  static func header(
    _ file: StoreFileHandle
  ) throws(StoreError) -> (pageByteCount: Int, usesLog: Bool) {
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = try file.read(into: &bytes, at: 0)
    guard count == 100, bytes.starts(with: "SQLite format 3\0".utf8) else {
      throw .corrupt(path: file.path, detail: "it does not begin like a database")
    }
    let stated = Int(bytes[16]) << 8 | Int(bytes[17])
    let pageByteCount = stated == 1 ? 65_536 : stated
    guard pageByteCount >= 512, pageByteCount & (pageByteCount - 1) == 0 else {
      throw .corrupt(path: file.path, detail: "its header names a page of \(stated) bytes")
    }
    return (pageByteCount, bytes[18] == 2 && bytes[19] == 2)
  }

  /// Compares the file with what it held when it was last written.
  func check(_ pages: PageDigests, byteCount: Int, pageByteCount: Int) throws(StoreError) {
    guard let known = marker.state.pages else { return }
    guard byteCount == known.count * pageByteCount else {
      throw .corrupt(
        path: path,
        detail: "it has \(byteCount) bytes instead of \(known.count * pageByteCount)"
      )
    }
    guard pages.total == known.digest else {
      throw .corrupt(
        path: path,
        detail:
          "pages differ from what this program wrote: they were damaged, or written by another"
      )
    }
    // SQLite would play it back over pages that are in order.
    guard StoreFile.byteCount(path + "-journal") ?? 0 == 0 else {
      throw .corrupt(
        path: path,
        detail: "a journal of another file is beside it: \(path)-journal"
      )
    }
  }

  /// Compares the log with what the disk had confirmed of it.
  func check(_ log: LogScan) throws(StoreError) {
    guard let finding = finding(log) else { return }
    throw .corrupt(path: path + "-wal", detail: finding)
  }

  private func finding(_ log: LogScan) -> String? {
    switch marker.state.log {
    case .unknown: return nil
    case .empty:
      guard log.committedFrameCount > 0 else { return nil }
      return "the store was closed without a log, so this one is of another store or time"
    case .atLeast(let known, let frameCount):
      guard let salts = log.salts else {
        return log.byteCount == 0
          ? "it is missing or empty, and acknowledged changes with it"
          : "its header is damaged"
      }
      if salts == known {
        guard log.committedFrameCount < Int(frameCount) else { return nil }
        return
          "only \(log.committedFrameCount) of \(frameCount) pages can be read, so changes that "
          + "were acknowledged are missing"
      }
      // A log that starts again adds one to the first number (sqlite.org/fileformat2.html).
      let runs = salts.first &- known.first
      guard runs == 0 || runs > Self.runCountMax else { return nil }
      return "it is not the log of this store"
    }
  }
}
