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
    try NewStoreFile(path: target).write { partial throws(StoreError) in
      let from = try SQLiteConnection(
        path: source,
        role: .reader,
        cacheByteCount: Self.cacheByteCount
      )
      let to = try SQLiteConnection(
        path: partial,
        role: .writer,
        cacheByteCount: Self.cacheByteCount
      )
      to.leaveLogAtEnd(false)
      try to.copyAll(of: from)
      return to
    }
  }
}
